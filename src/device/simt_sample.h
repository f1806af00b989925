// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "simt/machine.h"

namespace warpwright::device {

/// About `count` of `total` blocks in groups of neighbours, which share what neighbours share,
/// spread evenly over the grid. The first blocks and the last are always among them: those are the
/// ones that may do more than the others. Ascending, no block twice; all when count >= total.
std::vector<std::uint64_t> sampled_blocks(std::uint64_t total, std::uint64_t count);

/// Runs as many blocks as a second or so allows: few to learn what a block costs, then a sample of
/// that size, or the whole grid when it is small. For times only.
/// `restore` undoes what the first few wrote, so that no block starts from another one's results.
Result<simt::LaunchReport> launch_sampled(simt::Machine& machine, const simt::Module& module,
                                          const simt::Launch& launch,
                                          const std::function<Status()>& restore);

}  // namespace warpwright::device
