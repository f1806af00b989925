// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "simt/state/schedule.h"

namespace warpwright::device {

/// How the lanes of a warp go on.
enum class Lanes {
  apart,     ///< each by itself where they part, as on GPUs of NVIDIA
  together,  ///< by one program counter, as on devices of AMD
};

/// What small cases run under beside forward: backward, shuffled, few resident blocks. The seed is
/// the trial's secret; a kernel cannot know what comes. Lanes that go together are never shuffled:
/// blocks and warps still are, in short turns.
std::vector<simt::Schedule> other_schedules(std::uint64_t seed, Lanes lanes = Lanes::apart);

/// The warp instructions that a launch may take under another schedule when forward took so many:
/// blocks in turns ask more often for what they wait for, but never without end.
std::uint64_t work_under_other_schedules(std::uint64_t forward);

}  // namespace warpwright::device
