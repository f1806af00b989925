// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "verify/cases.h"

namespace warpwright::verify {

/// Sizes that nobody knows beforehand: one between every two neighbouring timed sizes, as far as it
/// fits the limits. None for a task that names no values to draw. Some sizes lie so close together
/// that there is none between them.
Result<std::vector<TaskSize>> drawn_sizes(const Task& task, const CaseLimits& limits,
                                          std::uint64_t seed);

}  // namespace warpwright::verify
