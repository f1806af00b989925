// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/task.h"

namespace warpwright::verify {

/// Inputs that any task can be tried with, made from what its arguments may hold (`range`): one
/// huge element anywhere, offsets, alternating signs, constants, tiny values, ramps both ways, few
/// values, skewed ones, small integers, denormals where results are copies; for one argument at a
/// time, and for all at once where that says more. Where in the range values lie is drawn per
/// call (kDrawnNames). Arguments without a range keep their own inputs.
std::vector<InputVariant> generic_patterns(const Task& task);

}  // namespace warpwright::verify
