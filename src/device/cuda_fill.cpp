// SPDX-License-Identifier: Apache-2.0
#include "device/cuda_fill.h"

#include <algorithm>
#include <array>

#include "device/poison.h"

namespace warpwright::device {

namespace {

constexpr std::uint64_t kVectorsPerThread = 4;
constexpr std::uint64_t kMostFillBlocks = 1056;

// The words of vector %v in %x0 to %x3: mixed_bits() of the key and the place, under the masks.
#define WW_PTX_WORDS(half, low, high)                                                        \
  "  shl.b64 %z, %v, 1;\n  add.u64 %z, %z, " half                                            \
  ";\n  mad.lo.u64 %z, %z, 0x9E3779B97F4A7C15, %key;\n"                                      \
  "  shr.u64 %u, %z, 30;\n  xor.b64 %z, %z, %u;\n  mul.lo.u64 %z, %z, 0xBF58476D1CE4E5B9;\n" \
  "  shr.u64 %u, %z, 27;\n  xor.b64 %z, %z, %u;\n  mul.lo.u64 %z, %z, 0x94D049BB133111EB;\n" \
  "  shr.u64 %u, %z, 31;\n  xor.b64 %z, %z, %u;\n  mov.b64 {" low ", " high                  \
  "}, %z;\n"                                                                                 \
  "  and.b32 " low ", " low ", %keep;\n  or.b32 " low ", " low                               \
  ", %set;\n"                                                                                \
  "  and.b32 " high ", " high ", %keep;\n  or.b32 " high ", " high ", %set;\n"

// Each thread takes every so many-th vector of 16 bytes, counted from the aligned address at or
// before the range. Vectors that reach beyond the range are treated byte by byte.
std::string filling_entry(std::string_view name, std::string_view whole, std::string_view byte) {
  std::string ptx = ".visible .entry " + std::string(name) + "(.param .align 8 .b8 call[" +
                    std::to_string(sizeof(FillCall)) + "])\n{\n";
  ptx +=
      "  .reg .pred %p, %q;\n  .reg .b32 %x0, %x1, %x2, %x3, %y0, %y1, %y2, %y3;\n"
      "  .reg .b32 %keep, %set, %n, %b, %bad, %range;\n"
      "  .reg .b64 %c, %flags, %at, %end, %key, %v, %step, %z, %u, %base, %a;\n"
      "  mov.b64 %c, call;\n  ld.param.u64 %flags, [%c];\n  mov.u32 %range, %ctaid.y;\n"
      "  mul.wide.u32 %u, %range, 32;\n  add.u64 %c, %c, %u;\n"
      "  ld.param.u64 %at, [%c+16];\n  ld.param.u64 %end, [%c+24];\n  ld.param.u64 %key, [%c+32];\n"
      "  ld.param.u32 %keep, [%c+40];\n  ld.param.u32 %set, [%c+44];\n"
      "  add.u64 %end, %at, %end;\n  and.b64 %base, %at, -16;\n  mov.u32 %bad, 0;\n"
      "  mov.u32 %x0, %ctaid.x;\n  mov.u32 %x1, %ntid.x;\n  mov.u32 %x2, %tid.x;\n"
      "  mul.wide.u32 %v, %x0, %x1;\n  cvt.u64.u32 %u, %x2;\n  add.u64 %v, %v, %u;\n"
      "  mov.u32 %x0, %nctaid.x;\n  mul.wide.u32 %step, %x0, %x1;\n"
      "MORE:\n"
      "  shl.b64 %a, %v, 4;\n  add.u64 %a, %base, %a;\n"
      "  setp.ge.u64 %p, %a, %end;\n  @%p bra DONE;\n" WW_PTX_WORDS("0", "%x0", "%x1")
          WW_PTX_WORDS("1", "%x2", "%x3")
      "  setp.lt.u64 %p, %a, %at;\n  add.u64 %u, %a, 16;\n  setp.gt.u64 %q, %u, %end;\n"
      "  or.pred %p, %p, %q;\n  @%p bra BYTES;\n";
  ptx += whole;
  ptx +=
      "  bra NEXT;\n"
      "BYTES:\n  mov.u32 %n, 0;\n"
      "BYTE:\n"
      "  setp.lt.u64 %p, %a, %at;\n  @%p bra BESIDE;\n  setp.ge.u64 %p, %a, %end;\n"
      "  @%p bra BESIDE;\n";
  ptx += byte;
  ptx +=
      "BESIDE:\n"
      "  shr.u32 %x0, %x0, 8;\n  add.u64 %a, %a, 1;\n  add.u32 %n, %n, 1;\n"
      "  and.b32 %b, %n, 3;\n  setp.ne.u32 %p, %b, 0;\n  @%p bra SAME;\n"
      "  mov.u32 %x0, %x1;\n  mov.u32 %x1, %x2;\n  mov.u32 %x2, %x3;\n"
      "SAME:\n  setp.lt.u32 %p, %n, 16;\n  @%p bra BYTE;\n"
      "NEXT:\n  add.u64 %v, %v, %step;\n  bra MORE;\n"
      "DONE:\n"
      "  setp.eq.u32 %p, %bad, 0;\n  @%p bra END;\n"
      "  mul.wide.u32 %u, %range, 4;\n  add.u64 %u, %flags, %u;\n  red.global.or.b32 [%u], %bad;\n"
      "END:\n  ret;\n}\n";
  return ptx;
}

#undef WW_PTX_WORDS

}  // namespace

std::string fill_ptx() {
  return ".version 7.0\n.target sm_50\n.address_size 64\n" +
         filling_entry("fill", "  st.global.v4.u32 [%a], {%x0, %x1, %x2, %x3};\n",
                       "  st.global.u8 [%a], %x0;\n") +
         filling_entry("compare",
                       "  ld.global.v4.u32 {%y0, %y1, %y2, %y3}, [%a];\n"
                       "  xor.b32 %y0, %y0, %x0;\n  xor.b32 %y1, %y1, %x1;\n"
                       "  xor.b32 %y2, %y2, %x2;\n  xor.b32 %y3, %y3, %x3;\n"
                       "  or.b32 %bad, %bad, %y0;\n  or.b32 %bad, %bad, %y1;\n"
                       "  or.b32 %bad, %bad, %y2;\n  or.b32 %bad, %bad, %y3;\n",
                       "  ld.global.u8 %y0, [%a];\n  and.b32 %b, %x0, 255;\n"
                       "  xor.b32 %y0, %y0, %b;\n  or.b32 %bad, %bad, %y0;\n");
}

FillCall fill_call(std::span<const FillRange> ranges) {
  FillCall call;
  ASSERT(ranges.size() <= kMostFillRanges, "as many ranges as a call holds");
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const PoisonKind kind = poison_kind(ranges[i].key, ranges[i].watched);
    call.range[i] = {ranges[i].at, ranges[i].bytes, ranges[i].key, kind.keep, kind.set};
  }
  return call;
}

std::uint32_t fill_blocks(std::span<const FillRange> ranges) {
  std::uint64_t most = 0;
  for (const FillRange& range : ranges) most = std::max(most, range.bytes);
  const std::uint64_t per_block = 16 * kVectorsPerThread * CudaFill::kThreads;
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(most / per_block, 1, kMostFillBlocks));
}

Result<std::unique_ptr<CudaFill>> CudaFill::make(const CudaDriver& driver) {
  std::unique_ptr<CudaFill> fill(new CudaFill(driver));
  constexpr std::string_view kWhat = "load the judge's own kernel";
  const std::string ptx = fill_ptx();
  WW_CHECK(
      driver.check(driver.module_load(&fill->module_, ptx.c_str(), 0, nullptr, nullptr), kWhat));
  WW_CHECK(driver.check(driver.module_function(&fill->fill_, fill->module_, "fill"), kWhat));
  WW_CHECK(driver.check(driver.module_function(&fill->compare_, fill->module_, "compare"), kWhat));
  WW_CHECK(driver.check(driver.memory_alloc(&fill->flags_, kMostFillRanges * sizeof(std::uint32_t)),
                        "allocate memory for margins"));
  return fill;
}

CudaFill::~CudaFill() {
  if (flags_ != 0) driver_.memory_free(flags_);
  if (module_ != nullptr) driver_.module_unload(module_);
}

Status CudaFill::launch(CuFunction function, std::span<const FillRange> ranges, std::uint64_t flags,
                        CuStream stream) {
  FillCall call = fill_call(ranges);
  call.flags = flags;
  const CuLaunchConfig config{fill_blocks(ranges),
                              static_cast<std::uint32_t>(ranges.size()),
                              1,
                              kThreads,
                              1,
                              1,
                              0,
                              stream,
                              nullptr,
                              0};
  std::size_t bytes = sizeof call;
  std::array<void*, 5> extra = {reinterpret_cast<void*>(1), &call, reinterpret_cast<void*>(2),
                                &bytes, nullptr};
  return driver_.check(driver_.launch(&config, function, nullptr, extra.data()),
                       "fill memory with garbage");
}

Status CudaFill::fill(std::span<const FillRange> ranges, CuStream stream) {
  while (!ranges.empty()) {
    const std::size_t count = std::min(ranges.size(), kMostFillRanges);
    WW_CHECK(launch(fill_, ranges.first(count), 0, stream));
    ranges = ranges.subspan(count);
  }
  return {};
}

Result<std::vector<bool>> CudaFill::held(std::span<const FillRange> ranges, CuStream stream) {
  std::vector<bool> held;
  while (!ranges.empty()) {
    const std::size_t count = std::min(ranges.size(), kMostFillRanges);
    std::array<std::uint32_t, kMostFillRanges> flags{};
    WW_CHECK(driver_.check(driver_.set_32(flags_, 0, kMostFillRanges, stream), "look at margins"));
    WW_CHECK(launch(compare_, ranges.first(count), flags_, stream));
    WW_CHECK(driver_.check(driver_.copy_to_host_async(flags.data(), flags_, sizeof flags, stream),
                           "look at margins"));
    WW_CHECK(driver_.check(driver_.stream_synchronize(stream), "look at margins"));
    for (std::size_t i = 0; i < count; ++i) held.push_back(flags[i] == 0);
    ranges = ranges.subspan(count);
  }
  return held;
}

}  // namespace warpwright::device
