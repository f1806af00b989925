// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/limits.h"
#include "simt/state/report.h"

namespace warpwright::simt {

/// What the estimate needs to know of a GPU. The defaults describe an H200 (SXM).
struct GpuSpec {
  std::string name = "H200";
  std::uint32_t sms = 132;
  double clock_ghz = 1.785;
  double dram_gb_per_s = 4800;
  double l2_gb_per_s = 5500;
  std::uint64_t l2_bytes = std::uint64_t{50} << 20;
  std::uint32_t fp32_lanes = 128;  ///< results per cycle and SM
  std::uint32_t int_lanes = 64;
  std::uint32_t fp64_lanes = 64;
  std::uint32_t fp16_lanes = 256;
  std::uint32_t special_lanes = 16;
  double tensor_flops_per_cycle = 4096;  ///< dense f16, per SM
  std::uint32_t max_threads_per_sm = 2048;
  std::uint32_t max_blocks_per_sm = 32;
  std::uint32_t registers_per_sm = ptx::kLimits.registers_per_sm;
  std::uint32_t shared_bytes_per_sm = ptx::kLimits.shared_bytes_per_sm;
  std::uint32_t l1_bytes = 256 << 10;  ///< per SM, shared memory included
  double memory_latency_cycles = 680;
  double l2_latency_cycles = 400;
  double l1_latency_cycles = 40;
  double launch_overhead_us = 4.2;
};

/// One limit on a kernel's time.
struct EstimatePart {
  std::string name;  ///< "dram", "l2", "l1", "shared", "issue", "fp32", ..., "latency"
  double us = 0;
};

/// A modelled time; never a measurement, and to be called an estimate wherever it is shown.
struct Estimate {
  double us = 0;
  std::string bottleneck;           ///< name of the longest part
  std::vector<EstimatePart> parts;  ///< longest first
  double occupancy = 0;             ///< resident threads over the SM's maximum
  std::uint32_t blocks_per_sm = 0;  ///< 0: the block does not fit on this GPU
  std::string limiter;   ///< of the occupancy: "threads", "registers", "shared", "blocks"
  bool sampled = false;  ///< counts were scaled up from a part of the blocks
};

/// The counts of a launch less what warps did only to ask again: waiting is time, not work.
Counts counts_of_work(const LaunchReport& report);

/// The time that a launch with these exact counts would take. Parts overlap: the result is close
/// to the longest of them and grows with each.
Estimate estimate(const LaunchReport& report, const GpuSpec& gpu);

}  // namespace warpwright::simt
