// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/launch_plan_order.h"
#include "simt/state/access_log.h"

namespace warpwright::device {

/// What one step of a plan did to memory.
struct StepAccesses {
  using Ranges = std::vector<simt::AccessLog::Range>;
  Ranges reads, writes, atomics;  ///< each ascending, apart
};

/// The kernel that a launch may overlap with, because it was asked to begin early: the one before
/// it on its stream, with nothing else between them. None for all other steps.
std::optional<std::size_t> overlapped_launch(const LaunchPlan& plan, std::size_t step);
/// Whether any launch of the plan may overlap with another one.
bool has_overlaps(const LaunchPlan& plan);

/// Two steps without an order between them that touch the same bytes, one of them writing.
struct StepConflict {
  std::size_t first = 0, second = 0;  ///< in the order asked for
  simt::Address address = 0;
  bool both_write = false;
};

/// Of what two launches did that may run at the same time.
std::optional<StepConflict> conflict_of(const StepAccesses& a, const StepAccesses& b);

/// The first one, or none. Exact to the byte: neighbours do not conflict.
std::optional<StepConflict> find_conflict(const PlanOrder& order,
                                          const std::vector<StepAccesses>& steps);

}  // namespace warpwright::device
