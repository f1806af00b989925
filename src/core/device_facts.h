// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ptx/limits.h"

namespace warpwright {

/// What a kernel writer, the occupancy rules and the time estimate need to know of a GPU.
struct DeviceFacts {
  std::string key;           ///< "h200": how the command line names it
  std::string name;          ///< "NVIDIA H200"
  std::string architecture;  ///< "Hopper"
  /// "gfx942": a device of AMD, for which candidates are HIP. Its compute capability below is then
  /// that of the PTX which the SIMT machine runs in its place. Empty: a device of NVIDIA.
  std::string amd;
  int compute_major = 0;
  int compute_minor = 0;
  int sm_count = 0;
  int warp_size = 32;
  int max_threads_per_block = ptx::kLimits.threads_per_block;
  int max_threads_per_sm = 0;
  int max_blocks_per_sm = 0;
  int registers_per_sm = ptx::kLimits.registers_per_sm;
  int max_registers_per_thread = ptx::kLimits.registers_per_thread;
  int shared_per_block_bytes = ptx::kLimits.static_shared_bytes;  ///< without opt-in
  int shared_per_block_optin_bytes = 0;
  int shared_per_sm_bytes = 0;
  long long l2_bytes = 0;
  long long memory_bytes = 0;
  double memory_gb_per_s = 0;  ///< datasheet peak
  double fp32_tflops = 0;      ///< datasheet peak, no tensor cores
  double fp64_tflops = 0;
  double half_tensor_tflops =
      0;  ///< datasheet peak of f16 products with f32 sums, without sparsity
  double boost_clock_ghz = 0;
};

/// "compute capability 9.0" or "gfx942".
std::string instruction_set(const DeviceFacts& device);

/// The devices we know without seeing one.
std::span<const DeviceFacts> known_devices();

std::optional<DeviceFacts> known_device(std::string_view key);

}  // namespace warpwright
