// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "base/stop.h"
#include "build/compiler.h"
#include "core/task.h"

namespace warpwright::costs {

/// What one call of a task's baseline costs, as expressions over the values of its sizes.
struct CountedCosts {
  std::string flops;  ///< executed, as the hardware counts them
  std::string bytes;  ///< every buffer once, or what the baseline asks for where that is less
  double flops_off = 0, bytes_off = 0;  ///< largest relative distance from a count
  std::size_t sizes = 0;                ///< so many were counted
};

/// Builds the baseline, runs it on the SIMT machine at small sizes (listed ones, and some of the
/// domains), counts, and finds the expressions. The error is for a baseline that cannot be built,
/// run or put into a formula.
Result<CountedCosts> count_costs(const build::Builder& builder, const Task& task,
                                 const StopSignal* stop = nullptr);

/// The task with its "auto" costs replaced.
Task with_costs(Task task, const CountedCosts& costs);

}  // namespace warpwright::costs
