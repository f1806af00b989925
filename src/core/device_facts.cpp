// SPDX-License-Identifier: Apache-2.0
#include "core/device_facts.h"

#include <array>

namespace warpwright {

namespace {

// A row per device reads better packed.
// clang-format off
// Limits per SM and block: CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability". Sizes, bandwidth, peaks and clocks: NVIDIA's datasheets and architecture white
// papers; where one gives no fp64 figure, it is the architecture's fixed fraction of fp32
// (1/64 for 8.6 and 8.9, 1/32 for 7.5). Tensor cores: without sparsity, sums in f32. Measured
// ceilings live with their measurements.
const std::array<DeviceFacts, 7> kDevices = {{
    {.key = "h200", .name = "NVIDIA H200", .architecture = "Hopper", .compute_major = 9,
     .compute_minor = 0, .sm_count = 132, .max_threads_per_sm = 2048, .max_blocks_per_sm = 32,
     .shared_per_block_optin_bytes = 232448, .shared_per_sm_bytes = 233472,
     .l2_bytes = 60LL << 20, .memory_bytes = 141LL << 30, .memory_gb_per_s = 4800,
     .fp32_tflops = 67, .fp64_tflops = 34, .half_tensor_tflops = 989,
     .boost_clock_ghz = 1.98},
    {.key = "h100", .name = "NVIDIA H100 SXM", .architecture = "Hopper", .compute_major = 9,
     .compute_minor = 0, .sm_count = 132, .max_threads_per_sm = 2048, .max_blocks_per_sm = 32,
     .shared_per_block_optin_bytes = 232448, .shared_per_sm_bytes = 233472,
     .l2_bytes = 50LL << 20, .memory_bytes = 80LL << 30, .memory_gb_per_s = 3350,
     .fp32_tflops = 67, .fp64_tflops = 34, .half_tensor_tflops = 989,
     .boost_clock_ghz = 1.98},
    {.key = "a100", .name = "NVIDIA A100 SXM 80 GB", .architecture = "Ampere", .compute_major = 8,
     .compute_minor = 0, .sm_count = 108, .max_threads_per_sm = 2048, .max_blocks_per_sm = 32,
     .shared_per_block_optin_bytes = 166912, .shared_per_sm_bytes = 167936,
     .l2_bytes = 40LL << 20, .memory_bytes = 80LL << 30, .memory_gb_per_s = 2039,
     .fp32_tflops = 19.5, .fp64_tflops = 9.7, .half_tensor_tflops = 312,
     .boost_clock_ghz = 1.41},
    {.key = "l40s", .name = "NVIDIA L40S", .architecture = "Ada Lovelace", .compute_major = 8,
     .compute_minor = 9, .sm_count = 142, .max_threads_per_sm = 1536, .max_blocks_per_sm = 24,
     .shared_per_block_optin_bytes = 101376, .shared_per_sm_bytes = 102400,
     .l2_bytes = 96LL << 20, .memory_bytes = 48LL << 30, .memory_gb_per_s = 864,
     .fp32_tflops = 91.6, .fp64_tflops = 1.43, .half_tensor_tflops = 362,
     .boost_clock_ghz = 2.52},
    {.key = "rtx4090", .name = "NVIDIA GeForce RTX 4090", .architecture = "Ada Lovelace",
     .compute_major = 8, .compute_minor = 9, .sm_count = 128, .max_threads_per_sm = 1536,
     .max_blocks_per_sm = 24, .shared_per_block_optin_bytes = 101376,
     .shared_per_sm_bytes = 102400, .l2_bytes = 72LL << 20, .memory_bytes = 24LL << 30,
     .memory_gb_per_s = 1008, .fp32_tflops = 82.6, .fp64_tflops = 1.29, .half_tensor_tflops = 165,
     .boost_clock_ghz = 2.52},
    {.key = "rtx3090ti", .name = "NVIDIA GeForce RTX 3090 Ti", .architecture = "Ampere",
     .compute_major = 8, .compute_minor = 6, .sm_count = 84, .max_threads_per_sm = 1536,
     .max_blocks_per_sm = 16, .shared_per_block_optin_bytes = 101376,
     .shared_per_sm_bytes = 102400, .l2_bytes = 6LL << 20, .memory_bytes = 24LL << 30,
     .memory_gb_per_s = 1008, .fp32_tflops = 40, .fp64_tflops = 0.625, .half_tensor_tflops = 80,
     .boost_clock_ghz = 1.86},
    {.key = "gtx1660s", .name = "NVIDIA GeForce GTX 1660 SUPER", .architecture = "Turing",
     .compute_major = 7, .compute_minor = 5, .sm_count = 22, .max_threads_per_sm = 1024,
     .max_blocks_per_sm = 16, .shared_per_block_optin_bytes = 65536,
     .shared_per_sm_bytes = 65536, .l2_bytes = 1536LL << 10, .memory_bytes = 6LL << 30,
     .memory_gb_per_s = 336, .fp32_tflops = 5.03, .fp64_tflops = 0.157,
     .boost_clock_ghz = 1.785},
}};

// clang-format on
}  // namespace

std::span<const DeviceFacts> known_devices() { return kDevices; }

std::optional<DeviceFacts> known_device(std::string_view key) {
  for (const auto& device : kDevices) {
    if (device.key == key) return device;
  }
  return std::nullopt;
}

}  // namespace warpwright
