// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace warpwright::simt {

/// IEEE binary16 and bfloat16 as storage; arithmetic goes through float or double.
struct Half {
  std::uint16_t bits;
};
struct BFloat {
  std::uint16_t bits;
};

enum class Rounding : std::uint8_t { nearest_even, zero, down, up, nearest_away };

inline float to_float(Half h) {
  const std::uint32_t sign = std::uint32_t{h.bits & 0x8000u} << 16;
  const std::uint32_t exponent = h.bits >> 10 & 31;
  const std::uint32_t fraction = h.bits & 0x3ff;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

inline float to_float(BFloat b) { return std::bit_cast<float>(std::uint32_t{b.bits} << 16); }

/// A double rounded once to a format of `kFraction` stored bits and smallest exponent
/// `kMinExponent`; bits in that format's layout. NaNs become the canonical 0x7fff.
template <int kFraction, int kMinExponent, int kMaxExponent>
inline std::uint16_t round_to_format(double value, Rounding mode) {
  constexpr std::uint16_t kInfinity =
      static_cast<std::uint16_t>((kMaxExponent - kMinExponent + 2) << kFraction);
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return 0x7fff;
  const double magnitude = std::fabs(value);
  if (std::isinf(value)) return sign | kInfinity;
  if (magnitude == 0) return sign;
  int exponent = std::ilogb(magnitude);
  if (exponent < kMinExponent) exponent = kMinExponent;
  // In units of the last place; exact, because scaling by a power of two is.
  const double scaled = std::ldexp(magnitude, kFraction - exponent);
  double whole = std::floor(scaled);
  const double rest = scaled - whole;
  bool up = false;
  switch (mode) {
    case Rounding::nearest_even:
      up = rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2) != 0);
      break;
    case Rounding::nearest_away:
      up = rest >= 0.5;
      break;
    case Rounding::zero:
      break;
    case Rounding::down:
      up = rest > 0 && sign != 0;
      break;
    case Rounding::up:
      up = rest > 0 && sign == 0;
      break;
  }
  if (up) whole += 1;
  // The carry out of the fraction moves into the exponent by itself in this layout.
  const auto units = static_cast<std::uint32_t>(whole);
  const std::uint32_t biased = static_cast<std::uint32_t>(exponent - kMinExponent) << kFraction;
  const std::uint32_t bits = biased + units;
  if (bits >= kInfinity) {
    const bool nearest = mode == Rounding::nearest_even || mode == Rounding::nearest_away;
    const bool to_infinity = nearest || mode == (sign != 0 ? Rounding::down : Rounding::up);
    return sign | (to_infinity ? kInfinity : static_cast<std::uint16_t>(kInfinity - 1));
  }
  return sign | static_cast<std::uint16_t>(bits);
}

inline Half to_half(double value, Rounding mode = Rounding::nearest_even) {
  return {round_to_format<10, -14, 15>(value, mode)};
}

/// Round to nearest even; the common case, without library calls so that loops vectorise.
inline Half half_from_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000;
  const std::uint32_t magnitude = bits & 0x7fffffff;
  // Normal results: rebias and round; the carry runs into the exponent as it should.
  const std::uint32_t normal = (magnitude - 0x38000000u + 0xfff + (magnitude >> 13 & 1)) >> 13;
  // Subnormal results: adding 0.5 aligns the last place of a float with that of a binary16.
  const std::uint32_t subnormal =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
  std::uint32_t result = magnitude < 0x38800000u ? subnormal : normal;
  result = magnitude >= 0x477ff000u ? 0x7c00 : result;
  result = magnitude > 0x7f800000u ? 0x7fff : result;
  const std::uint32_t signed_result = magnitude > 0x7f800000u ? result : result | sign;
  return {static_cast<std::uint16_t>(signed_result)};
}

inline BFloat bfloat_from_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  const bool nan = (bits & 0x7fffffff) > 0x7f800000u;
  return {static_cast<std::uint16_t>(nan ? 0x7fff : rounded)};
}

inline BFloat to_bfloat(double value, Rounding mode = Rounding::nearest_even) {
  return {round_to_format<7, -126, 127>(value, mode)};
}

/// a * b + c for values with at most 11 significant bits, as a double whose rounding to a
/// narrower format equals rounding the exact result: the last bit is made sticky.
inline double fma_sticky(double a, double b, double c) {
  const double product = a * b;
  const double sum = product + c;
  if (!std::isfinite(sum)) return sum;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (c - part);
  if (error == 0) return sum;
  auto bits = std::bit_cast<std::uint64_t>(sum);
  if ((bits & 1) != 0) return sum;
  // Move to the odd neighbour on the side of the exact value.
  const bool away = (error > 0) == (sum > 0);
  bits += away ? 1 : std::uint64_t{0} - 1;
  return std::bit_cast<double>(bits);
}

}  // namespace warpwright::simt
