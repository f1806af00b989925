// SPDX-License-Identifier: Apache-2.0
#include "simt/ops/tensor_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/vector_clones.h"
#include "simt/ops/alu.h"

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
    case Element::e4m3:
      return {3, 7, 4};
    case Element::e5m2:
      return {2, 15, 5};
    default:
      return {23, 127, 8};
  }
}

/// One number between two groups: what the accumulator holds.
struct Accumulator {
  s64 significand = 0;  ///< with its sign, 23 fraction bits
  s32 exponent = kNoExponent;
};

/// Subnormal numbers are not normalised, those of f16 either.
Accumulator accumulator_of(u32 bits, bool is_half) {
  const s32 fraction = is_half ? 10 : 23, bias = is_half ? 15 : 127;
  const s32 field = static_cast<s32>(bits >> fraction) & (2 * bias + 1);
  s64 significand = bits & ((1u << fraction) - 1);
  if (field != 0) significand |= s64{1} << fraction;
  if (significand == 0) return {};
  const bool negative = (bits >> (is_half ? 15 : 31) & 1) != 0;
  significand <<= 23 - fraction;
  return {negative ? -significand : significand, std::max(field, 1) - bias};
}

/// sum * 2^(exponent - fraction) as binary32, cut off. What becomes 0 loses its sign.
u32 cut_off(s64 sum, s32 exponent, s32 fraction) {
  if (sum == 0) return 0;
  const u32 sign = sum < 0 ? 0x80000000u : 0;
  const u64 magnitude = static_cast<u64>(sum < 0 ? -sum : sum);
  const s32 top = 63 - std::countl_zero(magnitude);
  s32 e = exponent - fraction + top;
  if (e > 127) return sign | kInfinity32;
  // Subnormal results have fewer bits.
  const s32 kept = e < -126 ? 23 - (-126 - e) : 23;
  if (kept < 0) return 0;
  const u64 bits = top >= kept ? magnitude >> (top - kept) : magnitude << (kept - top);
  if (e < -126) return bits == 0 ? 0 : sign | static_cast<u32>(bits);
  return sign | static_cast<u32>(e + 127) << 23 | (static_cast<u32>(bits) & 0x7fffff);
}

/// A sum before it is rounded: significand * 2^(exponent - fraction bits of the rule).
struct ExactSum {
  s64 significand = 0;
  s32 exponent = 0;
};

/// What was there, as an addend beside one with the exponent `most`.
s64 cut_to(const Accumulator& c, s32 most, s32 fraction) {
  const s64 size = c.significand < 0 ? -c.significand : c.significand;
  const s64 own = fraction >= 23 ? size << (fraction - 23) : size >> (23 - fraction);
  const s64 kept = own >> std::min(most - c.exponent, 63);
  return c.significand < 0 ? -kept : kept;
}

/// All of a group, with what was there. The number is a constant so that loops become vectors;
/// terms are added in two parts that cannot overflow.
template <u32 kCount>
ExactSum add_terms(const s32* a, const s32* a_exponent, const s32* b, const s32* b_exponent,
                   const Accumulator& c, s32 up, s32 fraction) {
  s32 exponent[kCount];
  s32 most = c.exponent;
  for (u32 k = 0; k < kCount; ++k) exponent[k] = a_exponent[k] + b_exponent[k];
  for (u32 k = 0; k < kCount; ++k) most = std::max(most, exponent[k]);
  if (most < -2000) return {};
  s32 low = 0, high = 0;
  for (u32 k = 0; k < kCount; ++k) {
    const s32 product = a[k] * b[k];
    const s32 sign = product >> 31;
    const s32 magnitude = ((product ^ sign) - sign) << up;
    const s32 kept = magnitude >> std::min(most - exponent[k], 31);
    const s32 term = (kept ^ sign) - sign;
    low += term & 0xffff;
    high += term >> 16;
  }
  return {s64{high} * 65536 + low + cut_to(c, most, fraction), most};
}

ExactSum add_group(const TensorVector& a, const TensorVector& b, u32 first, u32 count,
                   const Accumulator& c, s32 product_fraction, s32 fraction) {
  const auto add = count == 32   ? add_terms<32>
                   : count == 16 ? add_terms<16>
                   : count == 8  ? add_terms<8>
                                 : add_terms<4>;
  return add(a.significand + first, a.exponent + first, b.significand + first, b.exponent + first,
             c, fraction - product_fraction, fraction);
}

bool is_nan(u32 bits) { return (bits & 0x7fffffff) > kInfinity32; }
bool is_infinite(u32 bits) { return (bits & 0x7fffffff) == kInfinity32; }

bool is_number(u32 bits, bool is_half) {
  const u32 ones = is_half ? 0x7c00 : kInfinity32;
  return (bits & ones) != ones;
}
bool is_zero(u32 bits, bool is_half) { return (bits & (is_half ? 0x7fff : 0x7fffffff)) == 0; }

/// What infinities and NaNs make of a group's sum, or 0 where there are none.
u32 special_sum(const TensorVector& a, const TensorVector& b, u32 first, u32 count, u32 c) {
  using S = TensorVector::Special;
  if (is_nan(c)) return kNan32;
  bool positive = c == kInfinity32, negative = is_infinite(c) && !positive;
  for (u32 k = first; k < first + count; ++k) {
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
  // e4m3 has numbers where others have infinities.
  if (type == Element::e4m3 && special[at] != Special::none)
    special[at] = low == 7 ? Special::nan : Special::none;
  has_special = has_special || special[at] != Special::none;
  const s32 whole = field == 0 ? low : low | 1 << f.fraction;
  all_zero = all_zero && whole == 0;
  significand[at] = negative[at] ? -whole : whole;
  exponent[at] = whole == 0 ? kNoExponent : std::max(static_cast<s32>(field), 1) - f.bias;
}

namespace {

/// Numbers of 16 bits, in loops without branches that become vectors. Whether one of them is an
/// infinity or a NaN.
template <s32 kFraction, s32 kBias>
bool set_short(const u16* numbers, u32 count, u16 sign, TensorVector& out) {
  constexpr s32 kOnes = (1 << (15 - kFraction)) - 1;
  s32 most = 0, any = 0;
  for (u32 k = 0; k < count; ++k) {
    const s32 bits = numbers[k] ^ sign;
    const s32 field = bits >> kFraction & kOnes;
    const s32 whole = (bits & ((1 << kFraction) - 1)) | (field != 0 ? 1 << kFraction : 0);
    const s32 minus = -(bits >> 15);
    out.significand[k] = (whole ^ minus) - minus;
    out.exponent[k] = whole == 0 ? kNoExponent : std::max(field, 1) - kBias;
    most = std::max(most, field);
    any |= whole;
  }
  out.all_zero = any == 0;
  for (u32 k = 0; k < count; ++k) {
    out.negative[k] = ((numbers[k] ^ sign) >> 15) != 0;
    out.special[k] = TensorVector::Special::none;
  }
  return most == kOnes;
}

}  // namespace

void TensorVector::set_all(Element type, const u8* numbers, u32 count, bool negated) {
  clear();
  if (type == Element::half || type == Element::bfloat) {
    u16 all[kMostInner];
    std::memcpy(all, numbers, count * sizeof(u16));
    const u16 sign = negated ? 0x8000 : 0;
    const bool plain = type == Element::half ? !set_short<10, 15>(all, count, sign, *this)
                                             : !set_short<7, 127>(all, count, sign, *this);
    if (plain) return;
    clear();
  }
  const u32 bytes = element_bytes(type);
  const u64 sign = negated ? u64{1} << (8 * bytes - 1) : 0;
  for (u32 k = 0; k < count; ++k) {
    u64 bits = 0;
    std::memcpy(&bits, numbers + std::size_t{k} * bytes, bytes);
    set(k, type, bits ^ sign);
  }
}

TensorRule tensor_rule(const MatrixForm& form) {
  // wmma is made of steps of four where mma has one of eight.
  if (form.a == Element::tf32) return {form.opaque ? 4u : 8u, 25};
  // Published measurements find some 14 bits in sums of 8-bit types; not compared bit by bit here.
  if (form.a == Element::e4m3 || form.a == Element::e5m2) return {32, 13};
  return {16, 25};
}

u32 tensor_sum(const MatrixForm& form, const TensorRule& rule, const TensorVector& a,
               const TensorVector& b, u32 c) {
  const bool halves = form.acc == Element::half;
  const bool nothing = (a.all_zero && !b.has_special) || (b.all_zero && !a.has_special);
  if (nothing && is_number(c, halves)) return is_zero(c, halves) ? 0 : c;
  u32 sum = halves ? std::bit_cast<u32>(to_float(Half{static_cast<u16>(c)})) : c;
  const bool special = a.has_special || b.has_special;
  const s32 product_fraction = format_of(form.a).fraction + format_of(form.b).fraction;
  ExactSum exact;
  bool finite = true;
  for (u32 k = 0; k < form.k; k += rule.group) {
    const u32 count = std::min<u32>(rule.group, form.k - k);
    if (special || (sum & kInfinity32) == kInfinity32) {
      const u32 other = special_sum(a, b, k, count, sum);
      finite = other == 0;
      if (!finite) {
        sum = other;
        continue;
      }
    }
    const Accumulator before = accumulator_of(k == 0 ? c : sum, halves && k == 0);
    exact = add_group(a, b, k, count, before, product_fraction, rule.fraction_bits);
    sum = cut_off(exact.significand, exact.exponent, rule.fraction_bits);
  }
  if (!halves) return sum;
  // Halves are rounded, and from the whole sum.
  if (!finite) return half_from_float(std::bit_cast<f32>(sum)).bits;
  const f64 whole = static_cast<f64>(exact.significand);
  const u32 rounded = to_half(std::ldexp(whole, exact.exponent - rule.fraction_bits)).bits;
  return rounded == 0x8000 ? 0 : rounded;
}

void TensorColumns::set_all(const TensorVector* columns, u32 count) {
  has_special = some_zero = false;
  for (u32 c = 0; c < kSideBySide; ++c) {
    has_special = has_special || columns[c].has_special;
    some_zero = some_zero || columns[c].all_zero;
    for (u32 k = 0; k < count; ++k) {
      significand[k][c] = columns[c].significand[k];
      exponent[k][c] = columns[c].exponent[k];
    }
  }
}

namespace {

/// Of columns side by side: the largest exponents, and their terms cut off there, in two parts
/// that cannot overflow.
struct SumsOfTerms {
  s32 most[kSideBySide], low[kSideBySide], high[kSideBySide];
};

/// add_terms() across columns. `most` comes in as the exponents of what was there.
WW_VECTOR_CLONES void add_columns(const TensorVector& a, const TensorColumns& b, u32 count, s32 up,
                                  SumsOfTerms& sums) {
  s32 most[kSideBySide], low[kSideBySide] = {}, high[kSideBySide] = {};
  for (u32 c = 0; c < kSideBySide; ++c) most[c] = sums.most[c];
  for (u32 k = 0; k < count; ++k)
    for (u32 c = 0; c < kSideBySide; ++c)
      most[c] = std::max(most[c], a.exponent[k] + b.exponent[k][c]);
  for (u32 k = 0; k < count; ++k) {
    for (u32 c = 0; c < kSideBySide; ++c) {
      const s32 product = a.significand[k] * b.significand[k][c];
      const s32 sign = product >> 31;
      const s32 magnitude = ((product ^ sign) - sign) << up;
      const s32 kept = magnitude >> std::min(most[c] - a.exponent[k] - b.exponent[k][c], 31);
      const s32 term = (kept ^ sign) - sign;
      low[c] += term & 0xffff;
      high[c] += term >> 16;
    }
  }
  for (u32 c = 0; c < kSideBySide; ++c) {
    sums.most[c] = most[c];
    sums.low[c] = low[c];
    sums.high[c] = high[c];
  }
}

}  // namespace

void tensor_sums(const MatrixForm& form, const TensorRule& rule, const TensorVector& a,
                 const TensorVector* columns, const TensorColumns& side, u32* c) {
  bool plain = form.acc != Element::half && form.k <= rule.group && !a.has_special && !a.all_zero &&
               !side.has_special && !side.some_zero;
  for (u32 k = 0; k < kSideBySide; ++k) plain = plain && is_number(c[k], false);
  if (!plain) {
    for (u32 k = 0; k < kSideBySide; ++k) c[k] = tensor_sum(form, rule, a, columns[k], c[k]);
    return;
  }
  Accumulator before[kSideBySide];
  SumsOfTerms sums;
  for (u32 k = 0; k < kSideBySide; ++k) {
    before[k] = accumulator_of(c[k], false);
    sums.most[k] = before[k].exponent;
  }
  const s32 fraction = rule.fraction_bits;
  const s32 of_products = format_of(form.a).fraction + format_of(form.b).fraction;
  add_columns(a, side, form.k, fraction - of_products, sums);
  for (u32 k = 0; k < kSideBySide; ++k) {
    const s64 terms = s64{sums.high[k]} * 65536 + sums.low[k];
    c[k] = cut_off(terms + cut_to(before[k], sums.most[k], fraction), sums.most[k], fraction);
  }
}

}  // namespace warpwright::simt
