// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "flops/count.h"
#include "simt/machine.h"

namespace warpwright::flop {

/// What was run of a launch, and what it amounts to.
struct SampledRun {
  Tally tally;  ///< of the whole launch, estimated where not all of it was run
  std::uint64_t blocks = 0, blocks_run = 0;
  double error = 0;        ///< three standard errors of all FLOPs together
  bool cut_short = false;  ///< a block did not end within the limit
  std::vector<simt::Fault> faults;
};

/// Runs a launch: all of it, when the first blocks say that it takes no more than so many warp
/// instructions; else a stratified sample of blocks. No block is run twice. The error is for
/// launches that cannot be made.
Result<SampledRun> run_sampled(simt::Machine& machine, const simt::Module& module,
                               simt::Launch launch, const CostTable& costs, std::uint64_t budget);

/// FLOPs, bytes, confidence and interval.
LaunchCount count_of(const SampledRun& run);

}  // namespace warpwright::flop
