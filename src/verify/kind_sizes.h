// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/task.h"

namespace warpwright::verify {

/// What all calls at these sizes may take together.
struct KindBudget {
  std::size_t kinds = 1;  ///< calls at each size
  double bytes = 0;
  double work = 0;
  // Of one call.
  double most_bytes = 0;
  double most_work = 0;
};

/// Sizes at which every kind of inputs is tried, as large as the budget allows and known to nobody
/// beforehand: one with a drawn value about as large as it can be, and where a size has several
/// values, before it one like the largest timed size. A pure function of its arguments; none for a
/// task without domains.
Result<std::vector<TaskSize>> draw_kind_sizes(const Task& task, const KindBudget& budget,
                                              std::uint64_t seed);

}  // namespace warpwright::verify
