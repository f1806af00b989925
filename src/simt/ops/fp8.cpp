// SPDX-License-Identifier: Apache-2.0
// Pairs of 8-bit floating-point numbers: e4m3 and e5m2.
#include <algorithm>
#include <cmath>

#include "simt/ops/alu.h"
#include "simt/ops/float_math.h"

namespace warpwright::simt {
namespace {

/// e4m3 has no infinities and one NaN; e5m2 is a binary16 without its last eight bits.
struct E4M3 {
  static constexpr int kFraction = 3, kBias = 7;
  static constexpr u32 kLargest = 0x7e;
};
struct E5M2 {
  static constexpr int kFraction = 2, kBias = 15;
  static constexpr u32 kLargest = 0x7b;
};
constexpr u32 kNan = 0x7f;

/// To nearest, ties to even; what is too large becomes the largest.
template <class E, bool kRelu>
u32 encoded(f32 x) {
  if (x != x) return kNan;
  if (kRelu && !(x > 0)) return 0;
  const u32 sign = std::signbit(x) ? 0x80 : 0;
  const f64 size = std::fabs(static_cast<f64>(x));
  if (std::isinf(size)) return sign | E::kLargest;
  const int exponent = size == 0 ? 1 - E::kBias : std::max(std::ilogb(size), 1 - E::kBias);
  const auto steps = static_cast<u32>(std::nearbyint(std::ldexp(size, E::kFraction - exponent)));
  const u32 code = steps + (static_cast<u32>(exponent + E::kBias - 1) << E::kFraction);
  return sign | std::min(code, E::kLargest);
}

template <class E>
f32 decoded(u32 code) {
  const u32 size = code & 0x7f;
  const f32 sign = (code & 0x80) != 0 ? -1.0F : 1.0F;
  if (std::is_same_v<E, E4M3> ? size == kNan : size > 0x7c) return std::nanf("");
  if (std::is_same_v<E, E5M2> && size == 0x7c) return sign * INFINITY;
  const auto field = static_cast<int>(size >> E::kFraction);
  const u32 low = size & ((1U << E::kFraction) - 1);
  const u32 steps = field == 0 ? low : low | 1U << E::kFraction;
  return sign * std::ldexp(static_cast<f32>(steps), std::max(field, 1) - E::kBias - E::kFraction);
}

template <class E, bool kRelu>
u16 of_floats(f32 high, f32 low) {
  return static_cast<u16>(encoded<E, kRelu>(high) << 8 | encoded<E, kRelu>(low));
}
template <class E, bool kRelu>
u16 of_halves(u32 pair) {
  return of_floats<E, kRelu>(to_float(Half{static_cast<u16>(pair >> 16)}),
                             to_float(Half{static_cast<u16>(pair & 0xffff)}));
}
template <class E, bool kRelu>
u32 to_halves(u16 pair) {
  const auto half = [](u32 code) {
    const f32 x = decoded<E>(code);
    if (x != x) return u32{0x7fff};
    return u32{half_from_float(kRelu && !(x > 0) ? 0.0F : x).bits};
  };
  return half(pair >> 8) << 16 | half(pair & 0xff);
}

template <class E, bool kRelu>
void add_forms(OpTable& t, const char* type) {
  constexpr OpClass kClass = OpClass::convert;
  const char* relu = kRelu ? "relu" : "";
  t.add<of_floats<E, kRelu>>(opcode({"cvt", "rn", "satfinite", relu, type, "f32"}), kClass);
  t.add<of_halves<E, kRelu>>(opcode({"cvt", "rn", "satfinite", relu, type, "f16x2"}), kClass);
  t.add<to_halves<E, kRelu>>(opcode({"cvt", "rn", relu, "f16x2", type}), kClass);
}

template <class To, class From>
To other_half(From a) {
  if constexpr (std::is_same_v<To, Half>)
    return half_from_float(to_float(a));
  else
    return bfloat_from_float(to_float(a));
}

}  // namespace

void add_fp8_ops(OpTable& t) {
  add_forms<E4M3, false>(t, "e4m3x2");
  add_forms<E4M3, true>(t, "e4m3x2");
  add_forms<E5M2, false>(t, "e5m2x2");
  add_forms<E5M2, true>(t, "e5m2x2");
  t.add<other_half<Half, BFloat>>("cvt.rn.f16.bf16", OpClass::convert);
  t.add<other_half<BFloat, Half>>("cvt.rn.bf16.f16", OpClass::convert);
}

}  // namespace warpwright::simt
