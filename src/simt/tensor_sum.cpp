// SPDX-License-Identifier: Apache-2.0
#include "simt/tensor_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "simt/alu.h"

namespace warpwright::simt {
namespace {

constexpr s32 kNoExponent = -4096;
constexpr u32 kNan32 = 0x7fffffff, kInfinity32 = 0x7f800000;

struct Format {
  s32 fraction, bias, exponent_bits;
};
constexpr Format format_of(Element type) {
  switch (type) {
    case Element::half:
      return {10, 15, 5};
    case Element::bfloat:
      return {7, 127, 8};
    case Element::tf32:
      return {10, 127, 8};
    default:
      return {23, 127, 8};
  }
}

/// One number between two groups: what the accumulator holds.
struct Accumulator {
  s64 significand = 0;  ///< with its sign, 23 fraction bits
  s32 exponent = kNoExponent;
};

Accumulator accumulator_of(u32 bits) {
  const s32 field = static_cast<s32>(bits >> 23 & 255);
  s64 significand = bits & 0x7fffff;
  if (field != 0) significand |= 0x800000;
  if (significand == 0) return {};
  return {(bits >> 31) != 0 ? -significand : significand, std::max(field, 1) - 127};
}

/// sum * 2^(exponent - fraction) as binary32, cut off.
u32 cut_off(s64 sum, s32 exponent, s32 fraction) {
  if (sum == 0) return 0;
  const u32 sign = sum < 0 ? 0x80000000u : 0;
  const u64 magnitude = static_cast<u64>(sum < 0 ? -sum : sum);
  const s32 top = 63 - std::countl_zero(magnitude);
  s32 e = exponent - fraction + top;
  if (e > 127) return sign | kInfinity32;
  // Subnormal results have fewer bits.
  const s32 kept = e < -126 ? 23 - (-126 - e) : 23;
  if (kept < 0) return sign;
  const u64 bits = top >= kept ? magnitude >> (top - kept) : magnitude << (kept - top);
  if (e < -126) return sign | static_cast<u32>(bits);
  return sign | static_cast<u32>(e + 127) << 23 | (static_cast<u32>(bits) & 0x7fffff);
}

/// All of a group, with what was there, in one sum.
u32 add_group(const TensorVector& a, const TensorVector& b, u32 first, u32 count, u32 before,
              s32 product_fraction, s32 fraction) {
  const Accumulator c = accumulator_of(before);
  s32 exponent[kMostInner];
  s32 most = c.exponent;
  for (u32 k = 0; k < count; ++k) {
    exponent[k] = a.exponent[first + k] + b.exponent[first + k];
    most = std::max(most, exponent[k]);
  }
  if (most < -2000) return before;
  s64 sum = 0;
  const s32 up = fraction - product_fraction;
  for (u32 k = 0; k < count; ++k) {
    const s32 product = a.significand[first + k] * b.significand[first + k];
    const s32 magnitude = (product < 0 ? -product : product) << up;
    const s32 kept = magnitude >> std::min(most - exponent[k], 31);
    sum += product < 0 ? -kept : kept;
  }
  const s64 own = (c.significand < 0 ? -c.significand : c.significand) << (fraction - 23);
  const s64 kept = own >> std::min(most - c.exponent, 63);
  sum += c.significand < 0 ? -kept : kept;
  return cut_off(sum, most, fraction);
}

bool is_nan(u32 bits) { return (bits & 0x7fffffff) > kInfinity32; }
bool is_infinite(u32 bits) { return (bits & 0x7fffffff) == kInfinity32; }

/// What infinities and NaNs make of the sum, or 0 where there are none.
u32 special_sum(const TensorVector& a, const TensorVector& b, u32 inner, u32 c) {
  using S = TensorVector::Special;
  if (is_nan(c)) return kNan32;
  bool positive = c == kInfinity32, negative = is_infinite(c) && !positive;
  for (u32 k = 0; k < inner; ++k) {
    if (a.special[k] == S::nan || b.special[k] == S::nan) return kNan32;
    if (a.special[k] == S::none && b.special[k] == S::none) continue;
    const bool zero = (a.special[k] == S::none && a.significand[k] == 0) ||
                      (b.special[k] == S::none && b.significand[k] == 0);
    if (zero) return kNan32;
    (a.negative[k] != b.negative[k] ? negative : positive) = true;
  }
  if (positive && negative) return kNan32;
  return positive ? kInfinity32 : negative ? kInfinity32 | 0x80000000u : 0;
}

}  // namespace

void TensorVector::set(u32 at, Element type, u64 bits) {
  const Format f = format_of(type);
  if (type == Element::tf32) bits = (bits & 0xffffffff) >> 13;
  const u32 ones = (1u << f.exponent_bits) - 1;
  const u32 field = static_cast<u32>(bits >> f.fraction) & ones;
  const auto low = static_cast<s32>(bits & ((1u << f.fraction) - 1));
  negative[at] = (bits >> (f.fraction + f.exponent_bits) & 1) != 0;
  special[at] = field != ones ? Special::none : low == 0 ? Special::infinite : Special::nan;
  has_special = has_special || special[at] != Special::none;
  const s32 whole = field == 0 ? low : low | 1 << f.fraction;
  significand[at] = negative[at] ? -whole : whole;
  exponent[at] = whole == 0 ? kNoExponent : std::max(static_cast<s32>(field), 1) - f.bias;
}

TensorRule tensor_rule(const MatrixForm& form) { return {form.a == Element::tf32 ? 8u : 16u, 25}; }

u32 tensor_sum(const MatrixForm& form, const TensorRule& rule, const TensorVector& a,
               const TensorVector& b, u32 c) {
  const bool halves = form.acc == Element::half;
  u32 sum = halves ? std::bit_cast<u32>(to_float(Half{static_cast<u16>(c)})) : c;
  const auto result = [&](u32 bits) -> u32 {
    return halves ? half_from_float(std::bit_cast<f32>(bits)).bits : bits;
  };
  if (a.has_special || b.has_special || (sum & kInfinity32) == kInfinity32) {
    if (const u32 special = special_sum(a, b, form.k, sum); special != 0) return result(special);
  }
  const s32 product_fraction = 2 * format_of(form.a).fraction;
  for (u32 k = 0; k < form.k; k += rule.group)
    sum = add_group(a, b, k, std::min<u32>(rule.group, form.k - k), sum, product_fraction,
                    rule.fraction_bits);
  return result(sum);
}

}  // namespace warpwright::simt
