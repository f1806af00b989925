// SPDX-License-Identifier: Apache-2.0
// Comparisons. `.and`/`.or`/`.xor` forms and `set` are made of these by the decoder.
#include "simt/ops/alu.h"
#include "simt/ops/float_math.h"

namespace warpwright::simt {
namespace {

template <class T>
bool eq(T a, T b) {
  return a == b;
}
template <class T>
bool ne(T a, T b) {
  return a != b;
}
template <class T>
bool lt(T a, T b) {
  return a < b;
}
template <class T>
bool le(T a, T b) {
  return a <= b;
}
template <class T>
bool gt(T a, T b) {
  return a > b;
}
template <class T>
bool ge(T a, T b) {
  return a >= b;
}

template <class T>
f32 real(T x) {
  return to_float(x);
}
template <>
f32 real<f32>(f32 x) {
  return x;
}
f64 real64(f64 x) { return x; }

template <class T, bool Z>
auto value(T x) {
  if constexpr (std::is_same_v<T, f64>)
    return real64(x);
  else
    return flushed<Z>(real<T>(x));
}

// Ordered comparisons are false for NaNs, the "u" forms true. `ne` is ordered in PTX.
template <class T, bool Z>
bool feq(T a, T b) {
  return value<T, Z>(a) == value<T, Z>(b);
}
template <class T, bool Z>
bool fne(T a, T b) {
  return value<T, Z>(a) < value<T, Z>(b) || value<T, Z>(a) > value<T, Z>(b);
}
template <class T, bool Z>
bool flt(T a, T b) {
  return value<T, Z>(a) < value<T, Z>(b);
}
template <class T, bool Z>
bool fle(T a, T b) {
  return value<T, Z>(a) <= value<T, Z>(b);
}
template <class T, bool Z>
bool fgt(T a, T b) {
  return value<T, Z>(a) > value<T, Z>(b);
}
template <class T, bool Z>
bool fge(T a, T b) {
  return value<T, Z>(a) >= value<T, Z>(b);
}
template <class T, bool Z>
bool fequ(T a, T b) {
  return !fne<T, Z>(a, b);
}
template <class T, bool Z>
bool fneu(T a, T b) {
  return !feq<T, Z>(a, b);
}
template <class T, bool Z>
bool fltu(T a, T b) {
  return !fge<T, Z>(a, b);
}
template <class T, bool Z>
bool fleu(T a, T b) {
  return !fgt<T, Z>(a, b);
}
template <class T, bool Z>
bool fgtu(T a, T b) {
  return !fle<T, Z>(a, b);
}
template <class T, bool Z>
bool fgeu(T a, T b) {
  return !flt<T, Z>(a, b);
}
template <class T, bool Z>
bool fnum(T a, T b) {
  return value<T, Z>(a) == value<T, Z>(a) && value<T, Z>(b) == value<T, Z>(b);
}
template <class T, bool Z>
bool fnan(T a, T b) {
  return !fnum<T, Z>(a, b);
}

template <class T>
void add_integers(OpTable& t, const char* ty, bool is_unsigned) {
  const OpClass k = OpClass::integer;
  t.add<eq<T>>(opcode({"setp", "eq", ty}), k);
  t.add<ne<T>>(opcode({"setp", "ne", ty}), k);
  if (*ty == 'b') return;
  t.add<lt<T>>(opcode({"setp", "lt", ty}), k);
  t.add<le<T>>(opcode({"setp", "le", ty}), k);
  t.add<gt<T>>(opcode({"setp", "gt", ty}), k);
  t.add<ge<T>>(opcode({"setp", "ge", ty}), k);
  if (!is_unsigned) return;
  t.add<lt<T>>(opcode({"setp", "lo", ty}), k);
  t.add<le<T>>(opcode({"setp", "ls", ty}), k);
  t.add<gt<T>>(opcode({"setp", "hi", ty}), k);
  t.add<ge<T>>(opcode({"setp", "hs", ty}), k);
}

template <class T, bool Z>
void add_reals(OpTable& t, OpClass k) {
  const char* z = Z ? "ftz" : "";
  const char* ty = type_name<T>();
  t.add<feq<T, Z>>(opcode({"setp", "eq", z, ty}), k);
  t.add<fne<T, Z>>(opcode({"setp", "ne", z, ty}), k);
  t.add<flt<T, Z>>(opcode({"setp", "lt", z, ty}), k);
  t.add<fle<T, Z>>(opcode({"setp", "le", z, ty}), k);
  t.add<fgt<T, Z>>(opcode({"setp", "gt", z, ty}), k);
  t.add<fge<T, Z>>(opcode({"setp", "ge", z, ty}), k);
  t.add<fequ<T, Z>>(opcode({"setp", "equ", z, ty}), k);
  t.add<fneu<T, Z>>(opcode({"setp", "neu", z, ty}), k);
  t.add<fltu<T, Z>>(opcode({"setp", "ltu", z, ty}), k);
  t.add<fleu<T, Z>>(opcode({"setp", "leu", z, ty}), k);
  t.add<fgtu<T, Z>>(opcode({"setp", "gtu", z, ty}), k);
  t.add<fgeu<T, Z>>(opcode({"setp", "geu", z, ty}), k);
  t.add<fnum<T, Z>>(opcode({"setp", "num", z, ty}), k);
  t.add<fnan<T, Z>>(opcode({"setp", "nan", z, ty}), k);
}

/// set with a half result: 1.0 or 0.0, for one value or for both of a pair.
template <class H>
constexpr u16 kOne = std::is_same_v<H, Half> ? 0x3c00 : 0x3f80;
template <class H, bool (*F)(H, H)>
u16 set_one(H a, H b) {
  return F(a, b) ? kOne<H> : 0;
}
template <class H, bool (*F)(H, H)>
u32 set_pair(u32 a, u32 b) {
  const u32 low = set_one<H, F>(H{static_cast<u16>(a)}, H{static_cast<u16>(b)});
  const u32 high = set_one<H, F>(H{static_cast<u16>(a >> 16)}, H{static_cast<u16>(b >> 16)});
  return low | high << 16;
}

template <class H, bool (*F)(H, H)>
void add_set(OpTable& t, const char* compare) {
  const char* ty = type_name<H>();
  const std::string pair = std::string(ty) + "x2";
  t.add<set_one<H, F>>(opcode({"set", compare, ty, ty}), OpClass::fp16);
  t.add<set_pair<H, F>>(opcode({"set", compare, pair.c_str(), pair.c_str()}), OpClass::fp16);
}

template <class H>
void add_sets(OpTable& t) {
  add_set<H, feq<H, false>>(t, "eq");
  add_set<H, fne<H, false>>(t, "ne");
  add_set<H, flt<H, false>>(t, "lt");
  add_set<H, fle<H, false>>(t, "le");
  add_set<H, fgt<H, false>>(t, "gt");
  add_set<H, fge<H, false>>(t, "ge");
  add_set<H, fequ<H, false>>(t, "equ");
  add_set<H, fneu<H, false>>(t, "neu");
  add_set<H, fltu<H, false>>(t, "ltu");
  add_set<H, fleu<H, false>>(t, "leu");
  add_set<H, fgtu<H, false>>(t, "gtu");
  add_set<H, fgeu<H, false>>(t, "geu");
}

}  // namespace

void add_compare_ops(OpTable& t) {
  for_types<u16, u32, u64>([&]<class T>() { add_integers<T>(t, type_name<T>(), true); });
  for_types<s16, s32, s64>([&]<class T>() { add_integers<T>(t, type_name<T>(), false); });
  add_integers<u16>(t, "b16", false);
  add_integers<u32>(t, "b32", false);
  add_integers<u64>(t, "b64", false);
  add_reals<f32, false>(t, OpClass::fp32);
  add_reals<f32, true>(t, OpClass::fp32);
  add_reals<f64, false>(t, OpClass::fp64);
  add_reals<Half, false>(t, OpClass::fp16);
  add_reals<BFloat, false>(t, OpClass::fp16);
  add_sets<Half>(t);
  add_sets<BFloat>(t);
}

}  // namespace warpwright::simt
