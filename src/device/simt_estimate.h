// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/device_facts.h"
#include "simt/report.h"

namespace warpwright::device {

/// What a launch would take on a described GPU.
struct LaunchEstimate {
  double time_us = 0;
  double occupancy = 0;    ///< resident warps over the device's maximum
  std::string bottleneck;  ///< what bounds it, in words
};

/// From the counts of the blocks that were run, scaled to the whole grid.
LaunchEstimate estimate_launch(const simt::LaunchReport& report, const DeviceFacts& facts);

/// A memset (traffic 1) or copy (traffic 2) of so many bytes, launch included.
double estimate_copy_us(std::uint64_t bytes, int traffic, const DeviceFacts& facts);

}  // namespace warpwright::device
