// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/expression.h"
#include "core/stage_op.h"

namespace warpwright {

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
