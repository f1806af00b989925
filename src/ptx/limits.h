// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace warpwright::ptx {

/// What an architecture allows, as the programming guide's table of compute capabilities has it.
/// Devices differ in more (core/device_facts.h); these are what a text or a launch is held against
/// before any device is asked.
struct Limits {
  std::uint32_t threads_per_block = 1024;
  std::uint32_t block_x = 1024, block_y = 1024, block_z = 64;
  std::uint32_t grid_x = 0x7fffffff, grid_y = 65535, grid_z = 65535;
  std::uint32_t registers_per_thread = 255;
  std::uint32_t registers_per_sm = 65536;
  std::uint32_t register_unit = 256;  ///< registers are given out to warps in multiples of it
  std::uint32_t barriers_per_block = 16;
  std::uint32_t blocks_per_cluster = 16;  ///< 8 without opting in
  std::uint32_t parameter_bytes = 32764;
  std::uint64_t local_bytes_per_thread = 512 << 10;
  std::uint32_t static_shared_bytes = 48 << 10;
  std::uint32_t shared_bytes_per_block = 227 << 10;  ///< with opting in
  std::uint32_t shared_bytes_per_sm = 228 << 10;
  std::uint32_t reserved_shared_bytes = 1 << 10;  ///< of each block, for the system
};

/// Those of compute capability 9.0. The machine runs texts for all of them alike.
inline constexpr Limits kLimits;

}  // namespace warpwright::ptx
