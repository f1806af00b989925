// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "core/device_facts.h"
#include "core/evaluation.h"

namespace warpwright::build {

/// What `ptxas -v` says about each kernel (names as in the PTX, occupancy left at 0).
std::vector<KernelResources> parse_resources(std::string_view output);

/// Resident warps over the most the device holds, for one block size; 0 when a block does not fit.
double occupancy(const DeviceFacts& device, int registers, int shared_bytes, int threads);

}  // namespace warpwright::build
