// SPDX-License-Identifier: Apache-2.0
#include "core/device_facts.h"

#include <array>

namespace warpwright {

namespace {

// Datasheet and programming-guide figures; measured ceilings live with their measurements.
const std::array<DeviceFacts, 1> kDevices = {{
    {.key = "h200",
     .name = "NVIDIA H200",
     .architecture = "Hopper",
     .compute_major = 9,
     .compute_minor = 0,
     .sm_count = 132,
     .max_threads_per_sm = 2048,
     .max_blocks_per_sm = 32,
     .shared_per_block_optin_bytes = 232448,
     .shared_per_sm_bytes = 233472,
     .l2_bytes = 60LL << 20,
     .memory_bytes = 141LL << 30,
     .memory_gb_per_s = 4800,
     .fp32_tflops = 67,
     .fp64_tflops = 34,
     .boost_clock_ghz = 1.98},
}};

}  // namespace

std::span<const DeviceFacts> known_devices() { return kDevices; }

std::optional<DeviceFacts> known_device(std::string_view key) {
  for (const auto& device : kDevices) {
    if (device.key == key) return device;
  }
  return std::nullopt;
}

}  // namespace warpwright
