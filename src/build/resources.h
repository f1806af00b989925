// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "core/device_facts.h"
#include "core/evaluation.h"
#include "core/launch_plan.h"

namespace warpwright::build {

/// What `ptxas -v` says about each kernel (names as in the PTX, occupancy left at 0).
std::vector<KernelResources> parse_resources(std::string_view output);

/// Resident warps over the most the device holds, for one block size; 0 when a block does not fit.
double occupancy(const DeviceFacts& device, int registers, int shared_bytes, int threads);

/// The resources with what only a launch tells: dynamic shared memory added, and the lowest
/// occupancy over the plans' launches of each kernel. Kernels that no plan launches stay as they
/// are.
std::vector<KernelResources> with_launches(std::vector<KernelResources> resources,
                                           const std::vector<LaunchPlan>& plans,
                                           const DeviceFacts& device);

}  // namespace warpwright::build
