// SPDX-License-Identifier: Apache-2.0
// Bit fields, selections and moves of PTX that only the interpreter executes, one line per
// instruction; integer.cpp has the rest.
#include <bit>

#include "simt/ops/alu.h"

namespace warpwright::simt {
namespace {

template <class T>
T mov(T a) {
  return a;
}
template <class T>
T cnot(T a) {
  return a == 0 ? 1 : 0;
}

u32 funnel_left(u32 lo, u32 hi, u32 n) { return static_cast<u32>((u64{hi} << 32 | lo) << n >> 32); }
u32 funnel_right(u32 lo, u32 hi, u32 n) { return static_cast<u32>((u64{hi} << 32 | lo) >> n); }
u32 shf_l_clamp(u32 a, u32 b, u32 n) { return n >= 32 ? a : funnel_left(a, b, n); }
u32 shf_r_clamp(u32 a, u32 b, u32 n) { return n >= 32 ? b : funnel_right(a, b, n); }

template <class T>
u32 popc(T a) {
  return static_cast<u32>(std::popcount(a));
}
template <class T>
u32 clz(T a) {
  return static_cast<u32>(std::countl_zero(a));
}

template <class T, bool kShiftAmount>
u32 bfind(T a) {
  using U = std::make_unsigned_t<T>;
  const U bits = static_cast<U>(std::is_signed_v<T> && a < 0 ? ~a : a);
  if (bits == 0) return 0xffffffffu;
  const auto zeros = static_cast<u32>(std::countl_zero(bits));
  return kShiftAmount ? zeros : static_cast<u32>(8 * sizeof(T) - 1) - zeros;
}

template <class T>
T brev(T a) {
  u64 x = a;
  x = (x >> 1 & 0x5555555555555555u) | (x & 0x5555555555555555u) << 1;
  x = (x >> 2 & 0x3333333333333333u) | (x & 0x3333333333333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0f0f0f0f0fu) | (x & 0x0f0f0f0f0f0f0f0fu) << 4;
  x = __builtin_bswap64(x);
  return static_cast<T>(x >> (64 - 8 * sizeof(T)));
}

/// Positions and lengths beyond 255 are outside of what PTX defines; hardware takes 8 bits of them
/// for 32-bit fields and all of them for 64-bit ones.
template <class T>
u32 field_number(u32 x) {
  return sizeof(T) == 8 ? (x < 255 ? x : 255) : x & 0xff;
}

template <class T>
T bfe(T a, u32 position, u32 length) {
  constexpr int kBits = 8 * sizeof(T);
  const int pos = static_cast<int>(field_number<T>(position));
  const int len = static_cast<int>(field_number<T>(length));
  if (len == 0) return 0;
  const auto bit = [&](int k) -> u64 {
    if (k >= kBits) return std::is_signed_v<T> ? (static_cast<u64>(a) >> (kBits - 1) & 1) : 0;
    return static_cast<u64>(a) >> k & 1;
  };
  const int last = pos + len - 1 < kBits - 1 ? pos + len - 1 : kBits - 1;
  const u64 fill = std::is_signed_v<T> ? bit(last) : 0;
  u64 result = 0;
  for (int k = 0; k < kBits; ++k) result |= (k < len && pos + k < kBits ? bit(pos + k) : fill) << k;
  return static_cast<T>(result);
}

template <class T>
T bfi(T a, T b, u32 position, u32 length) {
  constexpr u32 kBits = 8 * sizeof(T);
  const u32 pos = field_number<T>(position);
  const u32 len = field_number<T>(length);
  if (len == 0 || pos >= kBits) return b;
  const u64 field = len >= 64 ? ~u64{0} : (u64{1} << len) - 1;
  const T mask = static_cast<T>(field << pos);
  return static_cast<T>((b & ~mask) | (static_cast<T>(static_cast<u64>(a) << pos) & mask));
}

u32 bmsk_clamp(u32 a, u32 b) {
  if (a >= 32) return 0;
  const u64 field = b >= 32 ? 0xffffffffu : (u64{1} << b) - 1;
  return static_cast<u32>(field << a);
}

u32 prmt(u32 a, u32 b, u32 selector) {
  const u64 bytes = u64{b} << 32 | a;
  u32 result = 0;
  for (int k = 0; k < 4; ++k) {
    const u32 s = selector >> (4 * k) & 15;
    u32 byte = static_cast<u32>(bytes >> (8 * (s & 7)) & 0xff);
    if ((s & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    result |= byte << (8 * k);
  }
  return result;
}

/// Bit `a:b:c` of the table, for all 32 bits at once.
u32 lop3(u32 a, u32 b, u32 c, u32 table) {
  u32 result = 0;
  for (u32 k = 0; k < 8; ++k) {
    const u32 term = ((k & 4) != 0 ? a : ~a) & ((k & 2) != 0 ? b : ~b) & ((k & 1) != 0 ? c : ~c);
    result |= (table >> k & 1) != 0 ? term : 0;
  }
  return result;
}

template <class T>
T selp(T a, T b, bool p) {
  return p ? a : b;
}
template <class T>
T slct_s32(T a, T b, s32 c) {
  return c >= 0 ? a : b;
}
template <class T>
T slct_f32(T a, T b, f32 c) {
  return c >= 0 ? a : b;
}

// Instructions of our own, which the decoder uses to take packed moves and addresses apart.
u32 pack32(u16 low, u16 high) { return low | u32{high} << 16; }
u16 low16(u32 a) { return static_cast<u16>(a); }
u16 high16(u32 a) { return static_cast<u16>(a >> 16); }
bool in_shared(u64 a) { return a - kSharedWindow < kWindowBytes; }
bool in_local(u64 a) { return a - kLocalWindow < kWindowBytes; }
bool in_param(u64 a) { return a - kParamWindow < kWindowBytes; }
bool in_global(u64 a) { return !in_shared(a) && !in_local(a) && !in_param(a); }

template <class T>
void add_sized(OpTable& t, const char* bits, std::initializer_list<const char*> movable) {
  const OpClass k = OpClass::integer;
  t.add<cnot<T>>(opcode({"cnot", bits}), k);
  for (const char* ty : movable) {
    t.add<slct_s32<T>>(opcode({"slct", ty, "s32"}), k);
    t.add<slct_f32<T>>(opcode({"slct", ty, "f32"}), k);
  }
}

}  // namespace

void add_logic_ops(OpTable& t) {
  const OpClass k = OpClass::integer;
  add_sized<u16>(t, "b16", {"b16", "u16", "s16"});
  add_sized<u32>(t, "b32", {"b32", "u32", "s32"});
  add_sized<u64>(t, "b64", {"b64", "u64", "s64"});
  // Real-typed moves read their immediates as real numbers.
  t.add<mov<f32>>("mov.f32", OpClass::move, 0, {"mov_b32", ShapeRule::move});
  t.add<mov<f64>>("mov.f64", OpClass::move, 0, {"mov_b64", ShapeRule::move});
  t.add<selp<f32>>("selp.f32", k, 0, {"sel_b32", ShapeRule::select});
  t.add<selp<f64>>("selp.f64", k, 0, {"sel_b64", ShapeRule::select});
  t.add<mov<Half>>("mov.f16", OpClass::move);
  t.add<shf_l_clamp>("shf.l.clamp.b32", k);
  t.add<shf_r_clamp>("shf.r.clamp.b32", k);
  t.add<popc<u32>>("popc.b32", k);
  t.add<popc<u64>>("popc.b64", k);
  t.add<clz<u32>>("clz.b32", k);
  t.add<clz<u64>>("clz.b64", k);
  t.add<brev<u32>>("brev.b32", k);
  t.add<brev<u64>>("brev.b64", k);
  for_types<u32, s32, u64, s64>([&]<class T>() {
    t.add<bfind<T, false>>(opcode({"bfind", type_name<T>()}), k);
    t.add<bfind<T, true>>(opcode({"bfind", "shiftamt", type_name<T>()}), k);
    t.add<bfe<T>>(opcode({"bfe", type_name<T>()}), k);
  });
  t.add<bfi<u32>>("bfi.b32", k);
  t.add<bfi<u64>>("bfi.b64", k);
  t.add<bmsk_clamp>("bmsk.clamp.b32", k);
  t.add<prmt>("prmt.b32", k);
  t.add<lop3>("lop3.b32", k);
  t.add<pack32>("=pack.b32", OpClass::move);
  t.add<low16>("=low.b32", OpClass::move);
  t.add<high16>("=high.b32", OpClass::move);
  t.add<in_shared>("isspacep.shared", k);
  t.add<in_shared>("isspacep.shared::cta", k);
  t.add<in_shared>("isspacep.shared::cluster", k);
  t.add<in_local>("isspacep.local", k);
  t.add<in_global>("isspacep.global", k);
  t.add<in_param>("isspacep.param", k);
}

}  // namespace warpwright::simt
