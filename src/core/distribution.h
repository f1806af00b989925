// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/expression.h"

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

/// What a stage is called, takes and does; docs/tasks.md lists the same rows.
struct StageRow {
  std::string_view name;
  StageOp op;
  bool is_source;       ///< makes a value; the others change the one before
  bool takes_argument;  ///< its first parameter names another argument of the task
  int min_numbers;
  int max_numbers;
  std::string_view usage;
  std::string_view meaning;
};
std::span<const StageRow> distribution_stages();

inline constexpr int kMaxStages = 8;
inline constexpr int kMaxStageNumbers = 8;

/// How the elements of an input are made: "uniform(0, 1) | drift(0.5, 1.5)". One source, then
/// modifiers, each with expressions over the size's values.
struct Distribution {
  struct Stage {
    StageOp op = StageOp::constant;
    std::string argument;
    std::vector<Expression> numbers;
  };
  std::vector<Stage> stages;

  /// An error names the unknown or misused stage and lists what there is.
  static Result<Distribution> parse(std::string_view text);
};

}  // namespace warpwright
