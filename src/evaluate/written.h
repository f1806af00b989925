// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/launch_plan.h"
#include "core/task.h"
#include "device/device.h"
#include "verify/reference.h"

namespace warpwright::evaluate {

/// Whether what a part of the blocks wrote is what the whole grid would have written there: the
/// plan does nothing but launch, no block adds to memory that others add to, and none reads what
/// nobody wrote (the run had all checks). `report` has its launches.
bool stands_alone(const Task& task, const LaunchPlan& plan, const device::RunReport& report);

/// Puts expected values wherever an output still holds the poison of this seed, so that a check of
/// all elements is one of those that were written. The share of the elements that were, of the
/// output where it is least.
double complete_unwritten(const Task& task, std::uint64_t poison_seed,
                          std::span<const verify::Expected> expected,
                          std::vector<verify::Bytes>& outputs);

/// The numbers of the elements that hold something else than the poison of this seed.
std::vector<std::uint64_t> written_elements(ElementType type, std::uint64_t poison_seed,
                                            std::span<const std::byte> output);

/// The share of the blocks that a sampled run has run, of the launch where it is least.
double share_run(const device::RunReport& report);

}  // namespace warpwright::evaluate
