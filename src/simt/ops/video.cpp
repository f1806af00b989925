// SPDX-License-Identifier: Apache-2.0
// Two halves or four bytes of a word at a time: the vector forms of PTX's video instructions,
// without selectors and masks. The last operand counts only where sums are added to it.
#include <algorithm>
#include <cstdlib>
#include <limits>

#include "simt/ops/alu.h"

namespace warpwright::simt {
namespace {

/// Applies F to fields of T, all in 32 bits.
template <class T, s32 (*F)(s32, s32), bool kSaturate>
u32 fields(u32 a, u32 b) {
  constexpr u32 kBits = 8 * sizeof(T);
  u32 d = 0;
  for (u32 k = 0; k < 32; k += kBits) {
    s32 r = F(static_cast<T>(a >> k), static_cast<T>(b >> k));
    if constexpr (kSaturate)
      r = std::clamp<s32>(r, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
    d |= (static_cast<u32>(r) & ((u32{1} << kBits) - 1)) << k;
  }
  return d;
}

s32 add(s32 a, s32 b) { return a + b; }
s32 sub(s32 a, s32 b) { return a - b; }
s32 minimum(s32 a, s32 b) { return std::min(a, b); }
s32 maximum(s32 a, s32 b) { return std::max(a, b); }
s32 distance(s32 a, s32 b) { return std::abs(a - b); }
s32 average(s32 a, s32 b) { return (a + b + 1) >> 1; }
s32 eq(s32 a, s32 b) { return a == b ? 1 : 0; }
s32 ne(s32 a, s32 b) { return a != b ? 1 : 0; }
s32 lt(s32 a, s32 b) { return a < b ? 1 : 0; }
s32 le(s32 a, s32 b) { return a <= b ? 1 : 0; }
s32 gt(s32 a, s32 b) { return a > b ? 1 : 0; }
s32 ge(s32 a, s32 b) { return a >= b ? 1 : 0; }

template <class T, s32 (*F)(s32, s32), bool kSaturate>
u32 packed(u32 a, u32 b, u32) {
  return fields<T, F, kSaturate>(a, b);
}

template <class T, s32 (*F)(s32, s32)>
u32 summed(u32 a, u32 b, u32 c) {
  constexpr u32 kBits = 8 * sizeof(T);
  for (u32 k = 0; k < 32; k += kBits)
    c += static_cast<u32>(F(static_cast<T>(a >> k), static_cast<T>(b >> k)));
  return c;
}

template <class T, s32 (*F)(s32, s32)>
void add_forms(OpTable& t, const char* name) {
  const std::string type = std::is_signed_v<T> ? "s32" : "u32";
  const std::string full = name + std::string(sizeof(T) == 1 ? "4." : "2.") + type + "." + type;
  t.add<packed<T, F, false>>(full + "." + type, OpClass::integer);
  t.add<packed<T, F, true>>(full + "." + type + ".sat", OpClass::integer);
  t.add<summed<T, F>>(full + "." + type + ".add", OpClass::integer);
}

template <class T, s32 (*F)(s32, s32)>
void add_comparison(OpTable& t, const char* name) {
  const std::string type = std::is_signed_v<T> ? "s32" : "u32";
  const std::string full = std::string(sizeof(T) == 1 ? "vset4." : "vset2.") + type + "." + type;
  t.add<packed<T, F, false>>(full + "." + name, OpClass::integer);
  t.add<summed<T, F>>(full + "." + name + ".add", OpClass::integer);
}

template <class T, s32 (*F)(s32, s32), bool kRelu>
u32 halves(u32 a, u32 b) {
  const u32 d = fields<T, F, false>(a, b);
  return kRelu ? fields<T, maximum, false>(d, 0) : d;
}
template <s32 (*F)(s32, s32)>
s32 relu(s32 a, s32 b) {
  return std::max(F(a, b), 0);
}

/// min.s16x2 and the like, of compute capability 9.
template <class T>
void add_halves(OpTable& t, const char* type) {
  const OpClass k = OpClass::integer;
  t.add<halves<T, add, false>>(std::string("add.") + type, k);
  t.add<halves<T, minimum, false>>(std::string("min.") + type, k);
  t.add<halves<T, maximum, false>>(std::string("max.") + type, k);
}

}  // namespace

void add_video_ops(OpTable& t) {
  add_halves<s16>(t, "s16x2");
  add_halves<u16>(t, "u16x2");
  t.add<halves<s16, minimum, true>>("min.relu.s16x2", OpClass::integer);
  t.add<halves<s16, maximum, true>>("max.relu.s16x2", OpClass::integer);
  // The toolkit's headers write it the other way round.
  t.add_name("min.s16x2.relu", "min.relu.s16x2");
  t.add_name("max.s16x2.relu", "max.relu.s16x2");
  t.add<relu<minimum>>("min.relu.s32", OpClass::integer);
  t.add<relu<maximum>>("max.relu.s32", OpClass::integer);
  t.add_name("min.s32.relu", "min.relu.s32");
  t.add_name("max.s32.relu", "max.relu.s32");
  for_types<s8, u8, s16, u16>([&]<class T>() {
    add_forms<T, add>(t, "vadd");
    add_forms<T, sub>(t, "vsub");
    add_forms<T, minimum>(t, "vmin");
    add_forms<T, maximum>(t, "vmax");
    add_forms<T, distance>(t, "vabsdiff");
    // How negative halves are rounded is not known here.
    if constexpr (std::is_unsigned_v<T>) add_forms<T, average>(t, "vavrg");
    add_comparison<T, eq>(t, "eq");
    add_comparison<T, ne>(t, "ne");
    add_comparison<T, lt>(t, "lt");
    add_comparison<T, le>(t, "le");
    add_comparison<T, gt>(t, "gt");
    add_comparison<T, ge>(t, "ge");
  });
}

}  // namespace warpwright::simt
