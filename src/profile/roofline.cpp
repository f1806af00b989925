// SPDX-License-Identifier: Apache-2.0
#include "profile/roofline.h"

#include <algorithm>

namespace warpwright::profile {

namespace {

// An empty kernel takes about this long on any recent GPU; work below it is bound by the launch.
constexpr double kLaunchUs = 2.0;

/// A float has 24 bits and a bfloat16 has 8: two parts of each factor give 16 bits, and three of
/// their four products count. No tensor core makes as good a product of floats from fewer.
constexpr double kProductsOfParts = 3;

double fastest_products(const Task& task, const DeviceFacts& facts) {
  if (has_half_arguments(task)) return facts.half_tensor_tflops;
  if (wants_full_precision(task)) return facts.fp32_tflops;
  return std::max(facts.fp32_tflops, facts.half_tensor_tflops / kProductsOfParts);
}

}  // namespace

std::string_view name_of(Regime regime) {
  switch (regime) {
    case Regime::launch:
      return "launch-bound";
    case Regime::l2:
      return "L2-bound";
    case Regime::dram:
      return "DRAM-bound";
    case Regime::compute:
      return "compute-bound";
  }
  return "";
}

Roofline roofline_of(double bytes, double flops, double footprint_bytes, const DeviceFacts& facts) {
  Roofline roof;
  if (facts.memory_gb_per_s > 0) roof.memory_us = bytes / (facts.memory_gb_per_s * 1e3);
  if (facts.fp32_tflops > 0) roof.compute_us = flops / (facts.fp32_tflops * 1e6);
  roof.floor_us = std::max(roof.memory_us, roof.compute_us);
  if (roof.floor_us < kLaunchUs) {
    roof.regime = Regime::launch;
  } else if (roof.compute_us > roof.memory_us) {
    roof.regime = Regime::compute;
  } else {
    const bool fits = footprint_bytes <= static_cast<double>(facts.l2_bytes);
    roof.regime = fits ? Regime::l2 : Regime::dram;
  }
  // Up to an L2 full of data may not have gone to memory, a tenth is for the datasheet's rounding.
  const double through_memory = 0.9 * (bytes - static_cast<double>(facts.l2_bytes));
  if (through_memory > 0 && facts.memory_gb_per_s > 0) {
    roof.impossible_us = through_memory / (facts.memory_gb_per_s * 1e3);
  }
  return roof;
}

Result<Roofline> roofline(const Task& task, const TaskSize& size, const DeviceFacts& facts) {
  WW_TRY(const double bytes, least_bytes(task, size));
  WW_TRY(const double operations, flops(task, size));
  WW_TRY(const std::uint64_t footprint, footprint_bytes(task, size));
  DeviceFacts peaks = facts;
  peaks.fp32_tflops = fastest_products(task, facts);
  return roofline_of(bytes, operations, static_cast<double>(footprint), peaks);
}

}  // namespace warpwright::profile
