// SPDX-License-Identifier: Apache-2.0
#pragma once

// Compiled as device code, too: plain C++ without library types.

namespace warpwright {

/// One step of making an element. The order is that of the table in distribution.cpp.
enum class StageOp : int {
  uniform,
  normal,
  constant,
  ints,
  odd_ints,
  choice,
  bits,
  index,
  ramp,
  organ_pipe,
  permutation,
  skewed,
  onehot,
  like,
  linear,
  scale,
  offset,
  drift,
  trend,
  rows,
  row_drift,
  row_powers,
  column_powers,
  row_needle,
  sign,
  mix,
  needle,
  every,
  noise,
  plus_ints,
  mod,
  div,
  floor,
  sine,
  poly,
};

inline constexpr int kMaxStages = 8;
inline constexpr int kMaxStageNumbers = 8;

}  // namespace warpwright
