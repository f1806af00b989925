// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/evaluation.h"
#include "evaluate/stages.h"

namespace warpwright::evaluate {

/// The figures of one launch, by the profiler's metric names.
struct LaunchCounters {
  std::string kernel;
  std::map<std::string, double> values;
};

/// ncu's raw page as CSV, with messages around it. The error is for a text without a table; one
/// that says that counters are refused names the way out. Total: any text gives one of both.
Result<std::vector<LaunchCounters>> parse_ncu(std::string_view text);

/// What to tell of the launch that took longest.
std::vector<Finding> findings_of(const std::vector<LaunchCounters>& launches);

/// Runs ncu on a replay of the largest timed size and notes what to tell; a note where that is not
/// possible.
void note_counters(const Prepared& prepared, Context& context);

}  // namespace warpwright::evaluate
