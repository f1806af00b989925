// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "simt/isa/rules.h"

// Scalar building blocks of PTX's floating-point instructions, free of branches where the
// compiler is to turn them into vector code.

namespace warpwright::simt {

/// Subnormals become zeros of the same sign.
inline float flush(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>((bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}

template <bool kFtz>
inline float flushed(float x) {
  if constexpr (kFtz) return flush(x);
  return x;
}
template <bool kFtz>
inline double flushed(double x) {
  return x;
}

/// ftz goes by what the result would be with a larger range of exponents: a number that only its
/// rounding as a subnormal lifts to the least normal one is flushed. `scaled` is the same result
/// times kScale.
template <class T>
inline constexpr T kScale = T{0x1p64};
template <bool kFtz, class T>
inline T unless_tiny(T result, T scaled) {
  if constexpr (kFtz)
    return std::fabs(result) <= T{0x1p-126} && std::fabs(scaled) < T{0x1p-126} * kScale<T>
               ? std::copysign(T{0}, result)
               : result;
  return result;
}

/// binary32 instructions deliver one NaN, 0x7fffffff; binary64 ones keep the operand's.
inline float canonical(float x) { return x != x ? std::bit_cast<float>(WW_NAN_BITS) : x; }
inline double canonical(double x) { return x; }

/// [0, 1]; NaN becomes +0.
template <class T>
inline T saturate(T x) {
  const T low = x > T{0} ? x : T{0};
  return low < T{1} ? low : T{1};
}

template <bool kFtz, bool kSat, class T>
inline T finish(T x) {
  x = flushed<kFtz>(x);
  if constexpr (kSat) return saturate(x);
  return canonical(x);
}

#define NEGATIVE(a) std::signbit(a)
#define REAL_PICK(name, ...)               \
  template <class T>                       \
  inline bool prefers_##name(T a, T b) {   \
    return static_cast<bool>(__VA_ARGS__); \
  }
#include "simt/isa/arithmetic.def"
#undef NEGATIVE

/// One operand NaN: the other. Both: NaN. Zeros are ordered by sign.
template <bool kFtz, bool kNan, bool kMax, class T>
inline T min_max(T a, T b) {
  a = flushed<kFtz>(a);
  b = flushed<kFtz>(b);
  const bool take_a = kMax ? prefers_max(a, b) : prefers_min(a, b);
  T r = WW_PICKED(a, b, take_a, a, b);
  if constexpr (kNan) r = (a != a || b != b) ? std::numeric_limits<T>::quiet_NaN() : r;
  return canonical(r);
}

}  // namespace warpwright::simt
