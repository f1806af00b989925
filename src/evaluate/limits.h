// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluate/stages.h"
#include "verify/draw.h"

namespace warpwright::evaluate {

/// So long another process may have the GPU before a judgement is given up; no part of its own
/// time.
inline constexpr double kLongestWaitS = 900;

/// How much a judgement may do on this kind of device.
struct WorkLimits {
  verify::CaseLimits cases;         ///< edge sizes and variants
  verify::SizeLimits drawn;         ///< sizes of this judgement alone
  std::size_t patterns = 0;         ///< so many generic patterns at edge sizes
  std::size_t others_per_size = 0;  ///< distributions at a drawn size beside the declared one
  std::uint64_t checked_bytes = 0;  ///< largest footprint of a timed or edge size that is checked
  std::uint64_t timed_bytes = 0;    ///< largest footprint that is measured
  double run_s = 0;                 ///< longest run of one plan on a GPU
  // Of the SIMT machine, in warp instructions: a verdict must not depend on how busy the host is.
  std::uint64_t validate_work = 0;  ///< all cases together
  std::uint64_t launch_work = 0;    ///< one launch
  // Timed sizes up to these are checked in the blocks that an estimate runs. Beyond, a reference
  // takes too long, whatever the candidate.
  std::uint64_t sampled_bytes = 0;
  double sampled_flops = 0;
};
WorkLimits work_limits(const JobRequest& request, const device::ResolvedDevice& target);

/// Whether this size is among the cases, with the task's own inputs.
bool has_case(const std::vector<verify::Case>& cases, const TaskSize& size);

/// A run of this case, and how much it may do.
device::RunOptions run_options(const Prepared& prepared, const verify::Case& item,
                               std::uint64_t poison_seed);

/// Fills cases, timed, drawn and work_size, with a note for each size that is left out. A function
/// of the request, the target and the seed alone. An unknown label in the request is an error.
Status choose_work(Prepared& prepared, Context& context);

}  // namespace warpwright::evaluate
