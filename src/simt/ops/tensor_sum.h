// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "simt/ops/tensor.h"

// Sums of products as tensor cores make them: products are exact, all addends of a group are
// shifted to the largest exponent among them and cut off there, and the sum is cut off again.

namespace warpwright::simt {

inline constexpr std::uint32_t kMostInner = 32;

/// A row of A or a column of B, taken apart: significand * 2^(exponent - fraction bits of the
/// type). In arrays, so that the compiler makes vectors of them.
struct TensorVector {
  std::int32_t significand[kMostInner] = {};  ///< with its sign
  std::int32_t exponent[kMostInner] = {};     ///< of zeros: below all others
  enum class Special : std::uint8_t { none, infinite, nan } special[kMostInner] = {};
  bool negative[kMostInner] = {};
  bool has_special = false;
  bool all_zero = true;

  void clear() {
    has_special = false;
    all_zero = true;
  }

  void set(std::uint32_t at, Element type, std::uint64_t bits);
  /// All of them: `count` numbers of that type one behind the other, their signs turned or not.
  void set_all(Element type, const std::uint8_t* numbers, std::uint32_t count, bool negated);
};

inline constexpr std::uint32_t kSideBySide = 8;

/// Columns number by number, so that vectors go across them.
struct TensorColumns {
  std::int32_t significand[kMostInner][kSideBySide];
  std::int32_t exponent[kMostInner][kSideBySide];
  bool has_special, some_zero;  ///< in one of them; one of them is zeros

  /// `columns`: kSideBySide of them, of `count` numbers each.
  void set_all(const TensorVector* columns, std::uint32_t count);
};

/// How a form of the instruction adds; docs/simt.md, "Exactness", says how that was found.
struct TensorRule {
  std::uint32_t group = 16;         ///< products that are added in one go, with what was there
  std::int32_t fraction_bits = 25;  ///< kept of every addend, below the largest one's exponent
};
TensorRule tensor_rule(const MatrixForm& form);

/// c + sum over k of a[k] * b[k] for factors of f16, bf16 and tf32; c and the result are bits of
/// f32, or of f16 when the form accumulates in that.
std::uint32_t tensor_sum(const MatrixForm& form, const TensorRule& rule, const TensorVector& a,
                         const TensorVector& b, std::uint32_t c);

/// The same of kSideBySide columns: c becomes the result. `side` was set from `columns`.
void tensor_sums(const MatrixForm& form, const TensorRule& rule, const TensorVector& a,
                 const TensorVector* columns, const TensorColumns& side, std::uint32_t* c);

}  // namespace warpwright::simt
