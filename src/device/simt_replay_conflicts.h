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

/// Two steps without an order between them that touch the same bytes, one of them writing.
struct StepConflict {
  std::size_t first = 0, second = 0;  ///< in the order asked for
  simt::Address address = 0;
  bool both_write = false;
};

/// The first one, or none. Exact to the byte: neighbours do not conflict.
std::optional<StepConflict> find_conflict(const PlanOrder& order,
                                          const std::vector<StepAccesses>& steps);

}  // namespace warpwright::device
