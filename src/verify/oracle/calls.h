// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the host hands to the oracle's kernels and what they leave for it: plain data, the same
// bytes on both sides. Every kernel takes one of the calls below, by value. Addresses are those of
// the device.

#include <cstdint>

namespace warpwright::verify {

inline constexpr int kMostJobs = 16;  ///< buffers per launch

/// Fills one buffer, or looks whether it still holds what it was filled with.
struct GenerateJob {
  std::uint64_t recipe;  ///< a Recipe
  std::uint64_t buffer;  ///< the candidate's; 0 = none
  std::uint64_t copy;    ///< the judge's, halves as floats; 0 = none
  std::uint64_t count;   ///< elements
};

/// Kernel `oracle_generate`: writes the buffers. Kernel `oracle_regenerate`: writes the copies, and
/// counts in the record what differs in the buffers. Grid: any number of blocks x jobs.
struct GenerateCall {
  std::uint64_t key;
  std::uint64_t record;  ///< a CheckRecord
  std::uint64_t choice;  ///< two numbers for the reference: `secret` and `portion`; 0 = none
  std::uint64_t secret;
  std::uint64_t portion;
  GenerateJob job[kMostJobs];
};

/// What is known of one output after one call. Zero before it.
struct CheckRecord {
  std::uint64_t wrong;     ///< elements, or rows of a product
  std::uint64_t first;     ///< all bits flipped: 0 = none, so that the largest is the first
  std::uint64_t compared;  ///< what the RMS is taken over
  std::uint64_t blocks;    ///< that are done
  std::uint64_t failed;    ///< the decision
  double errors;           ///< sum of squared errors
  double squares;          ///< and what they are compared with
  /// Of the keyed numbers of a multiset: of the output and of the input. After oracle_regenerate, a
  /// bit per job whose buffer has changed.
  std::uint64_t sum[2];
};

/// How elements are compared. The names of rules are in oracle_checks.cpp.
enum class Compare : int { elementwise, exact, bits, rounded, scalar, dot_products };

/// Kernel `oracle_row_squares`: sums of squares of finite expected values by row, and their number.
/// Grid: blocks of 256 threads, kRowPart elements each.
inline constexpr std::uint64_t kRowPart = 4096;
struct RowSquaresCall {
  std::uint64_t expected;
  std::uint64_t squares;  ///< doubles: sum and number per row, zero before
  std::uint64_t count;
  std::uint64_t width;
  std::uint64_t parts;  ///< of a row
  int type;
  int wide;
  int nonzero;  ///< whether a 0 does not count
  int unused;
};

/// Kernel `oracle_compare`: one output with its expected values, element by element.
struct CompareCall {
  std::uint64_t got;
  std::uint64_t expected;  ///< doubles where `wide`, else of the output's type
  std::uint64_t scale;     ///< doubles; 0 = none
  std::uint64_t squares;   ///< from oracle_row_squares; 0 = none
  std::uint64_t record;
  std::uint64_t count;
  std::uint64_t width;  ///< of a row
  int type;
  int wide;
  Compare compare;
  int nonzero;      ///< whether a 0 has no part in `squares`
  double relative;  ///< rtol
  double absolute;  ///< atol, or 1/2 + tie
  double share;     ///< of the scale: alpha, alpha_rms or tau
  double rel_rms;
};

/// Kernel `oracle_order`: non-decreasing, and the same values as the input, each as often.
struct OrderCall {
  std::uint64_t got;
  std::uint64_t before;  ///< the judge's copy
  std::uint64_t record;
  std::uint64_t count;
  std::uint64_t key;  ///< drawn after the call
  int type;
  int unused;
};

inline constexpr int kVectors = 4;  ///< random vectors of a product

/// Kernels `oracle_product_vectors`, `oracle_product_right`, `oracle_product_rows` (random
/// projections of every row), `oracle_product_entries` (entries against their own sums).
struct ProductCall {
  std::uint64_t left;  ///< the judge's copies: floats
  std::uint64_t right;
  std::uint64_t got;
  std::uint64_t record;
  std::uint64_t vectors;    ///< doubles: cols x kVectors
  std::uint64_t projected;  ///< doubles: inner x kVectors, right times vectors
  std::uint64_t squares;    ///< a double: of all of `right`, zero before
  std::uint64_t rows, cols, inner;
  std::uint64_t entries;  ///< how many are looked at; 0 = all
  std::uint64_t key;      ///< drawn after the call
  int type;
  int unused;
  double residual;
  double relative;
  double share;
  double rel_rms;
};

/// Kernels `oracle_ols_sums` and `oracle_ols_decide`.
struct OlsCall {
  std::uint64_t design;
  std::uint64_t response;
  std::uint64_t got;
  std::uint64_t expected;
  std::uint64_t record;
  std::uint64_t sums;  ///< doubles: products and squares by column, then of residual and response
  std::uint64_t rows, cols;
  int type;
  int unused;
  double forward;
  double gradient;
};

/// Kernel `oracle_keep`: copies what the first call that failed has left.
struct KeepJob {
  std::uint64_t from, to, bytes;
};
struct KeepCall {
  std::uint64_t records;  ///< of this call
  std::uint64_t count;
  std::uint64_t owner;  ///< a number: 0 = nothing is kept, else 1 + the call
  std::uint64_t call;
  std::uint64_t jobs;
  KeepJob job[kMostJobs];
};

/// Kernel `oracle_scrub`: nothing of what the judge knew is left. Grid: blocks x ranges.
struct ScrubRange {
  std::uint64_t at, bytes;  ///< at: a multiple of 16
};
struct ScrubCall {
  std::uint64_t key;
  ScrubRange range[4 * kMostJobs];
};

}  // namespace warpwright::verify
