// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "core/task.h"
#include "verify/reference.h"

namespace warpwright::torch {

/// A share that was measured, and of what: "input x", "axis 1 of out".
struct LintShare {
  std::string what;
  double value = 0;
};

/// How much a task's outputs say: whether a kernel could be right without the work.
struct LintReport {
  std::string size;                  ///< the size it was measured at
  double largest = 0;                ///< magnitude of the largest output
  double spread = 0;                 ///< standard deviation of all outputs
  double seed_change = 0;            ///< RMS of the change with all inputs drawn anew, over the RMS
  std::vector<LintShare> arguments;  ///< the same with one input or parameter drawn anew
  std::vector<LintShare> axes;       ///< deviation along an axis of an output, over the whole one
  std::vector<std::string> problems;  ///< sentences; empty: the task is sound
};

/// Runs the reference on three sets of inputs at the largest size that is small, and once per input
/// and parameter.
Result<LintReport> lint_task(const Task& task, const verify::ExpectedSource& reference);

}  // namespace warpwright::torch
