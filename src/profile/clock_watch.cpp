// SPDX-License-Identifier: Apache-2.0
#include "profile/clock_watch.h"

#include <algorithm>

namespace warpwright::profile {

namespace {

constexpr std::uint64_t kBrakes = device::kGpuHardwareSlowdown | device::kGpuThermalSlowdown |
                                  device::kGpuHardwareThermalSlowdown | device::kGpuPowerBrake;

}  // namespace

bool ClockWatch::slowed() {
  if (!read_) return false;
  last_ = read_();
  if (readings_++ == 0) first_ = last_;
  reasons_ |= last_.reasons;
  highest_c_ = std::max(highest_c_, last_.temperature_c);
  highest_w_ = std::max(highest_w_, last_.power_w);
  if ((last_.reasons & kBrakes) != 0) return true;
  // An idle GPU lowers its clock within milliseconds; that says nothing of the samples before.
  if ((last_.reasons & device::kGpuIdle) != 0 || last_.sm_mhz <= 0) return false;
  highest_mhz_ = std::max(highest_mhz_, last_.sm_mhz);
  lowest_mhz_ = lowest_mhz_ == 0 ? last_.sm_mhz : std::min(lowest_mhz_, last_.sm_mhz);
  const bool capped = (last_.reasons & device::kGpuPowerCapped) != 0;
  return !capped && last_.sm_mhz < kLeastClockShare * highest_mhz_;
}

}  // namespace warpwright::profile
