// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "device/nvml.h"

namespace warpwright::profile {

/// The state of the device now.
using ReadGpu = std::function<device::GpuState()>;

/// Looks at the GPU between batches of samples and says which to throw away: those taken while a
/// thermal or hardware brake was on, or while the clock was far below the highest one seen. A power
/// cap is no such brake: it is how a kernel that draws much power always runs.
class ClockWatch {
 public:
  static constexpr double kLeastClockShare = 0.75;

  /// An empty function: nothing is known, nothing is thrown away.
  explicit ClockWatch(ReadGpu read = {}) : read_(std::move(read)) {}

  /// Reads; whether the GPU is slowed down at this moment.
  bool slowed();

  [[nodiscard]] bool watching() const { return static_cast<bool>(read_); }
  [[nodiscard]] int readings() const { return readings_; }
  [[nodiscard]] const device::GpuState& first() const { return first_; }
  [[nodiscard]] const device::GpuState& last() const { return last_; }
  [[nodiscard]] int lowest_mhz() const { return lowest_mhz_; }  ///< not counting idle readings
  [[nodiscard]] int highest_mhz() const { return highest_mhz_; }
  [[nodiscard]] int highest_c() const { return highest_c_; }
  [[nodiscard]] double highest_w() const { return highest_w_; }
  [[nodiscard]] std::uint64_t reasons() const { return reasons_; }  ///< all that were seen

 private:
  ReadGpu read_;
  int readings_ = 0;
  device::GpuState first_, last_;
  int lowest_mhz_ = 0, highest_mhz_ = 0, highest_c_ = 0;
  double highest_w_ = 0;
  std::uint64_t reasons_ = 0;
};

}  // namespace warpwright::profile
