// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "simt/state/schedule.h"

namespace warpwright::device {

/// What small cases run under beside forward: backward, shuffled, few resident blocks. The seed is
/// the trial's secret; a kernel cannot know what comes.
std::vector<simt::Schedule> other_schedules(std::uint64_t seed);

/// The warp instructions that a launch may take under another schedule when forward took so many:
/// blocks in turns ask more often for what they wait for, but never without end.
std::uint64_t work_under_other_schedules(std::uint64_t forward);

}  // namespace warpwright::device
