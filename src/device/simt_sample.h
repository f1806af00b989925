// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "simt/machine.h"

namespace warpwright::device {

/// About `count` of `total` blocks in groups of neighbours, which share what neighbours share,
/// one group anywhere in each of as many equal parts of the grid: which blocks follows from the
/// secret. The first block and the last are always among them: those are the ones that may do more
/// than the others. Ascending, no block twice; all when count >= total.
std::vector<std::uint64_t> sampled_blocks(std::uint64_t total, std::uint64_t count,
                                          std::uint64_t secret);

/// Single blocks, one anywhere in each of so many equal parts of the grid. Ascending; all when
/// there are no more.
std::vector<std::uint64_t> lone_blocks(std::uint64_t total, std::uint64_t count,
                                       std::uint64_t secret);

/// Runs as many blocks as a second or so allows: few to learn what a block costs, then a sample of
/// that size, or the whole grid where that is at most four times as much. For times only. Of
/// kernels in which blocks wait for others the first blocks are run, or all where those wait for
/// later ones; of those whose blocks take work from a counter all are; of those that multiply
/// matrices with wgmma at least two, whatever these take. `times`: as many times as many, for who
/// finds that the few did not stand for all. `restore` undoes what the first few
/// wrote, so that no block starts from another one's results.
Result<simt::LaunchReport> launch_sampled(simt::Machine& machine, const simt::Module& module,
                                          const simt::Launch& launch, std::uint64_t secret,
                                          std::uint64_t times,
                                          const std::function<Status()>& restore);

}  // namespace warpwright::device
