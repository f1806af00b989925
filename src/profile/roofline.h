// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "core/device_facts.h"
#include "core/task.h"

namespace warpwright::profile {

/// What bounds a task at a size on a device.
enum class Regime { launch, l2, dram, compute };

std::string_view name_of(Regime regime);  ///< "launch-bound"

/// The least time the hardware allows, by its datasheet: the larger of traffic over memory
/// bandwidth and FLOPs over the fp32 peak, or over that of the tensor cores where the task's
/// arguments are halves. Zero where the device's figures are not known.
struct Roofline {
  double floor_us = 0;
  double memory_us = 0;   ///< least traffic over bandwidth
  double compute_us = 0;  ///< FLOPs over the peak
  Regime regime = Regime::launch;
  /// A measured time below this cannot be honest. Well under the floor, because writes may still
  /// be in the L2 cache when a kernel ends, and because an algorithm may need fewer FLOPs; zero
  /// where neither memory nor anything else sets a bound.
  double impossible_us = 0;
};

Result<Roofline> roofline(const Task& task, const TaskSize& size, const DeviceFacts& facts);

/// The same from figures.
Roofline roofline_of(double bytes, double flops, double footprint_bytes, const DeviceFacts& facts);

}  // namespace warpwright::profile
