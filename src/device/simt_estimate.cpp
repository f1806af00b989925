// SPDX-License-Identifier: Apache-2.0
#include "device/simt_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace warpwright::device {

namespace {

// The model's constants: throughputs per SM and clock, latencies in clocks. Figures of the last
// generations of hardware, rounded; good to rank and explain, not to claim a time.
constexpr double kSchedulers = 4;
constexpr double kSpecialLanes = 16;
constexpr double kL1SectorsPerClock = 4;
constexpr double kL2BytesPerClock = 40;
constexpr double kReachableBandwidth = 0.9;  // of the datasheet's
constexpr double kLoadLatency = 550;
constexpr double kLoadsInFlight = 3;  // per warp, independent of each other
constexpr double kIssueLatency = 5;
constexpr double kBarrierLatency = 30;
constexpr double kSameAddressAtomicClocks = 2;
constexpr double kMathCallInstructions = 12;
constexpr double kFreeMoves = 0.3;  // share of moves that cost an issue slot
constexpr double kLaunchUs = 2.5;
constexpr double kSharpness = 4;  // of the maximum of throughput and latency

struct Grid {
  double scale = 1;  ///< from the blocks run to all
  double blocks = 1;
  double sms = 1;  ///< those that have work
  double warps_per_block = 1;
  double resident_blocks = 1;  ///< per SM
  double occupancy = 0;
};

double blocks_per_sm(const simt::LaunchReport& report, const DeviceFacts& facts, double warps) {
  double limit = facts.max_blocks_per_sm > 0 ? facts.max_blocks_per_sm : 32;
  if (facts.max_threads_per_sm > 0) {
    limit = std::min(limit, std::floor(facts.max_threads_per_sm / (warps * 32)));
  }
  if (report.registers > 0) {
    // Registers are handed out to warps in units of 256.
    const double per_warp = std::ceil(report.registers * 32.0 / 256) * 256;
    limit = std::min(limit, std::floor(facts.registers_per_sm / (per_warp * warps)));
  }
  if (report.shared_bytes > 0 && facts.shared_per_sm_bytes > 0) {
    limit = std::min(limit, std::floor(facts.shared_per_sm_bytes / (report.shared_bytes + 1024.0)));
  }
  return std::max(limit, 1.0);
}

Grid grid_of(const simt::LaunchReport& report, const DeviceFacts& facts) {
  Grid grid;
  grid.blocks = static_cast<double>(std::max<std::uint64_t>(report.blocks_total, 1));
  grid.scale = grid.blocks / static_cast<double>(std::max<std::uint64_t>(report.blocks_run, 1));
  grid.sms = std::min<double>(std::max(facts.sm_count, 1), grid.blocks);
  grid.warps_per_block = std::ceil(static_cast<double>(report.block.count()) / 32);
  grid.resident_blocks = blocks_per_sm(report, facts, grid.warps_per_block);
  if (facts.max_threads_per_sm > 0) {
    grid.occupancy = grid.resident_blocks * grid.warps_per_block * 32 / facts.max_threads_per_sm;
  }
  return grid;
}

double warps_of(const simt::LaunchReport& report, simt::OpClass op_class) {
  return static_cast<double>(report.counts.by_class[static_cast<std::size_t>(op_class)].warps);
}

double issued(const simt::LaunchReport& report) {
  return static_cast<double>(report.counts.warp_instructions()) -
         (1 - kFreeMoves) * warps_of(report, simt::OpClass::move) +
         kMathCallInstructions * warps_of(report, simt::OpClass::math);
}

double sectors(const simt::Counts& counts) {
  return static_cast<double>(counts.global_load_sectors + counts.global_store_sectors +
                             counts.local_sectors);
}

/// Every line once, and some of the rest again where the data outgrows the L2 cache.
double dram_bytes(const simt::LaunchReport& report, const DeviceFacts& facts, double scale) {
  const double moved = sectors(report.counts) * 32 * scale;
  const double touched = std::min(static_cast<double>(report.touched_bytes) * scale, moved);
  const double l2 = static_cast<double>(facts.l2_bytes);
  const double misses = touched > l2 ? 0.3 * (1 - l2 / touched) : 0;
  return touched + misses * (moved - touched);
}

struct Bound {
  double clocks = 0;
  std::string_view what;
};

Bound throughput_bound(const simt::LaunchReport& report, const DeviceFacts& facts,
                       const Grid& grid) {
  const simt::Counts& counts = report.counts;
  const double per_sm = grid.scale / grid.sms;
  const double clock_hz = std::max(facts.boost_clock_ghz, 0.1) * 1e9;
  const double fp32_lanes =
      std::max(facts.fp32_tflops * 1e12 / (2 * clock_hz * std::max(facts.sm_count, 1)), 32.0);
  const double fp64_lanes =
      std::max(fp32_lanes * facts.fp64_tflops / std::max(facts.fp32_tflops, 1e-9), 1.0);
  const double bandwidth = std::max(facts.memory_gb_per_s, 1.0) * 1e9 * kReachableBandwidth;
  const std::array<Bound, 9> bounds = {{
      {issued(report) * per_sm / kSchedulers, "the number of instructions issued"},
      {warps_of(report, simt::OpClass::fp32) * 32 * per_sm / fp32_lanes, "fp32 arithmetic"},
      {warps_of(report, simt::OpClass::fp64) * 32 * per_sm / fp64_lanes, "fp64 arithmetic"},
      {(warps_of(report, simt::OpClass::special) + 2 * warps_of(report, simt::OpClass::math)) * 32 *
           per_sm / kSpecialLanes,
       "special functions"},
      {static_cast<double>(counts.shared_wavefronts) * per_sm, "shared memory"},
      {sectors(counts) * per_sm / kL1SectorsPerClock, "the sectors that pass the L1 cache"},
      {sectors(counts) * 32 * grid.scale / (kL2BytesPerClock * std::max(facts.sm_count, 1)),
       "L2 traffic"},
      {dram_bytes(report, facts, grid.scale) / bandwidth * clock_hz, "memory bandwidth"},
      {static_cast<double>(counts.atomic_serialised) * grid.scale * kSameAddressAtomicClocks,
       "atomics on one address"},
  }};
  return *std::max_element(bounds.begin(), bounds.end(),
                           [](const Bound& a, const Bound& b) { return a.clocks < b.clocks; });
}

/// What one warp needs from its first to its last instruction, times the waves of blocks.
double latency_clocks(const simt::LaunchReport& report, const DeviceFacts& facts,
                      const Grid& grid) {
  const simt::Counts& counts = report.counts;
  const double warps = std::max(static_cast<double>(report.blocks_run) * grid.warps_per_block, 1.0);
  const double loads =
      static_cast<double>(counts.global_load_requests + counts.atomic_requests) / warps;
  const double chain = std::ceil(loads / kLoadsInFlight) * kLoadLatency;
  const double one = static_cast<double>(counts.longest_warp) * kIssueLatency + chain +
                     static_cast<double>(counts.barriers) / warps * kBarrierLatency;
  const double waves =
      std::ceil(grid.blocks / (std::max(facts.sm_count, 1) * grid.resident_blocks));
  return one * waves;
}

}  // namespace

LaunchEstimate estimate_launch(const simt::LaunchReport& report, const DeviceFacts& facts) {
  const Grid grid = grid_of(report, facts);
  const Bound bound = throughput_bound(report, facts, grid);
  const double latency = latency_clocks(report, facts, grid);
  const double clocks =
      std::pow(std::pow(bound.clocks, kSharpness) + std::pow(latency, kSharpness), 1 / kSharpness);
  LaunchEstimate estimate;
  estimate.occupancy = grid.occupancy;
  estimate.time_us = clocks / (std::max(facts.boost_clock_ghz, 0.1) * 1e3) + kLaunchUs;
  const bool waits = latency > bound.clocks;
  estimate.bottleneck = fmt::format(
      "the estimate is bound by {}",
      waits ? std::string_view("latency: too few warps, or each does too much in sequence")
            : bound.what);
  return estimate;
}

double estimate_copy_us(std::uint64_t bytes, int traffic, const DeviceFacts& facts) {
  const double bandwidth = std::max(facts.memory_gb_per_s, 1.0) * 1e3 * kReachableBandwidth;
  return kLaunchUs + static_cast<double>(bytes) * traffic / bandwidth;
}

}  // namespace warpwright::device
