// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/result.h"
#include "device/device.h"

namespace warpwright::device {

/// Holds a GPU's multiprocessors at other clock rates, for all who use it. Needs the right to do
/// so, which is usually root's.
class GpuClocks {
 public:
  virtual ~GpuClocks() = default;
  /// At this share of the highest rate, until let_go().
  virtual Status hold(double share) = 0;
  /// As it was. Also done when this object goes.
  virtual void let_go() = 0;
};

/// Through libnvidia-ml.so.1. An error where it is no GPU, or the library lacks the functions; that
/// the right is missing shows with the first hold().
Result<std::unique_ptr<GpuClocks>> open_clocks(const ResolvedDevice& resolved);

}  // namespace warpwright::device
