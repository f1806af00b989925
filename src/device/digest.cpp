// SPDX-License-Identifier: Apache-2.0
#include "device/digest.h"

#include <cstring>

#include "base/mix.h"

namespace warpwright::device {

namespace {

std::uint64_t mixed(std::uint64_t place, std::uint32_t value, std::uint64_t key) {
  return mixed_bits(key + ((place << 32) | value));
}

// mixed() in place of %z: first the place, then the value in %x, is in it.
#define WW_PTX_MIX                                                                                \
  "  shl.b64 %z, %z, 32;\n  cvt.u64.u32 %t, %x;\n  or.b64 %z, %z, %t;\n  add.u64 %z, %z, %key;\n" \
  "  shr.u64 %t, %z, 30;\n  xor.b64 %z, %z, %t;\n  mul.lo.u64 %z, %z, 0xBF58476D1CE4E5B9;\n"      \
  "  shr.u64 %t, %z, 27;\n  xor.b64 %z, %z, %t;\n  mul.lo.u64 %z, %z, 0x94D049BB133111EB;\n"      \
  "  shr.u64 %t, %z, 31;\n  xor.b64 %z, %z, %t;\n  add.u64 %sum, %sum, %z;\n"

#define WW_PTX_ADD_LANES(distance)               \
  "  mov.b64 {%low, %high}, %sum;\n"             \
  "  shfl.sync.bfly.b32 %low, %low, " distance   \
  ", 31, -1;\n"                                  \
  "  shfl.sync.bfly.b32 %high, %high, " distance \
  ", 31, -1;\n"                                  \
  "  mov.b64 %t, {%low, %high};\n  add.u64 %sum, %sum, %t;\n"

constexpr std::string_view kPtx =
    ".version 7.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry digest(.param .u64 at, .param .u64 words, .param .u64 rest,\n"
    "                       .param .u64 key, .param .u64 sum)\n{\n"
    "  .reg .pred %p;\n  .reg .b32 %x, %low, %high, %block, %thread, %width;\n"
    "  .reg .b64 %at, %words, %rest, %key, %out, %i, %first, %step, %z, %t, %sum;\n"
    "  ld.param.u64 %at, [at];\n  ld.param.u64 %words, [words];\n  ld.param.u64 %rest, [rest];\n"
    "  ld.param.u64 %key, [key];\n  ld.param.u64 %out, [sum];\n"
    "  mov.u32 %block, %ctaid.x;\n  mov.u32 %width, %ntid.x;\n  mov.u32 %thread, %tid.x;\n"
    "  mul.wide.u32 %first, %block, %width;\n  cvt.u64.u32 %t, %thread;\n"
    "  add.u64 %first, %first, %t;\n  mov.u32 %block, %nctaid.x;\n"
    "  mul.wide.u32 %step, %block, %width;\n  mov.u64 %i, %first;\n  mov.u64 %sum, 0;\n"
    "WORDS:\n"
    "  setp.ge.u64 %p, %i, %words;\n  @%p bra REST;\n"
    "  shl.b64 %t, %i, 2;\n  add.u64 %t, %at, %t;\n  ld.global.u32 %x, [%t];\n"
    "  mov.u64 %z, %i;\n" WW_PTX_MIX
    "  add.u64 %i, %i, %step;\n  bra WORDS;\n"
    "REST:\n"
    "  setp.ge.u64 %p, %first, %rest;\n  @%p bra TOGETHER;\n"
    "  shl.b64 %t, %words, 2;\n  add.u64 %t, %t, %first;\n  add.u64 %t, %at, %t;\n"
    "  ld.global.u8 %x, [%t];\n  add.u64 %z, %words, %first;\n" WW_PTX_MIX
    "TOGETHER:\n  bar.warp.sync -1;\n" WW_PTX_ADD_LANES("16") WW_PTX_ADD_LANES("8")
        WW_PTX_ADD_LANES("4") WW_PTX_ADD_LANES("2") WW_PTX_ADD_LANES("1")
    "  and.b32 %x, %thread, 31;\n  setp.ne.u32 %p, %x, 0;\n  @%p bra END;\n"
    "  red.global.add.u64 [%out], %sum;\n"
    "END:\n  ret;\n}\n";

#undef WW_PTX_MIX
#undef WW_PTX_ADD_LANES

}  // namespace

std::uint64_t digest_of(std::span<const std::byte> bytes, std::uint64_t key) {
  const std::uint64_t words = bytes.size() / 4;
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < words; ++i) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + 4 * i, 4);
    sum += mixed(i, value, key);
  }
  for (std::uint64_t i = 4 * words; i < bytes.size(); ++i) {
    sum += mixed(words + (i - 4 * words), std::to_integer<std::uint32_t>(bytes[i]), key);
  }
  return sum;
}

std::string_view digest_ptx() { return kPtx; }

}  // namespace warpwright::device
