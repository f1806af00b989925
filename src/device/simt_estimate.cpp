// SPDX-License-Identifier: Apache-2.0
#include "device/simt_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace warpwright::device {

namespace {

constexpr double kReachableBandwidth = 0.9;  // of the datasheet's
// A cached byte comes faster than one from memory; measured ratios lie around this one.
constexpr double kMostL2OverDram = 3;
constexpr double kL2BytesPerClock = 24;  // per SM

struct Words {
  std::string_view part;
  std::string_view words;
};

constexpr std::array<Words, 12> kWords = {{
    {"dram", "memory bandwidth"},
    {"l2", "L2 traffic"},
    {"l1", "the sectors that pass the L1 cache"},
    {"shared", "shared-memory passes"},
    {"issue", "the number of instructions"},
    {"fp32", "fp32 arithmetic"},
    {"latency", "latency: too few warps, or each does too much in sequence"},
    {"atomic", "atomic operations"},
    {"blocks", "the number of blocks"},
    {"integer", "integer arithmetic"},
    {"special", "special functions and conversions"},
    {"launch", "the launch itself"},
}};

}  // namespace

simt::GpuSpec spec_of(const DeviceFacts& facts) {
  simt::GpuSpec spec;
  const double clock_hz = std::max(facts.boost_clock_ghz, 0.1) * 1e9;
  const double sms = std::max(facts.sm_count, 1);
  const double fp32_lanes = facts.fp32_tflops * 1e12 / (2 * clock_hz * sms);
  spec.name = facts.name;
  spec.sms = static_cast<std::uint32_t>(sms);
  spec.clock_ghz = clock_hz / 1e9;
  spec.dram_gb_per_s = facts.memory_gb_per_s;
  spec.l2_gb_per_s =
      std::min(kL2BytesPerClock * sms * clock_hz / 1e9, kMostL2OverDram * facts.memory_gb_per_s);
  spec.l2_bytes = static_cast<std::uint64_t>(facts.l2_bytes);
  spec.fp32_lanes = static_cast<std::uint32_t>(std::max(std::round(fp32_lanes / 32) * 32, 32.0));
  spec.fp64_lanes = static_cast<std::uint32_t>(std::max(
      std::round(fp32_lanes * facts.fp64_tflops / std::max(facts.fp32_tflops, 1e-9)), 1.0));
  spec.max_threads_per_sm = static_cast<std::uint32_t>(facts.max_threads_per_sm);
  spec.max_blocks_per_sm = static_cast<std::uint32_t>(facts.max_blocks_per_sm);
  spec.registers_per_sm = static_cast<std::uint32_t>(facts.registers_per_sm);
  spec.shared_bytes_per_sm = static_cast<std::uint32_t>(facts.shared_per_sm_bytes);
  return spec;
}

std::string describe_bottleneck(const simt::Estimate& estimate) {
  std::string_view what = estimate.bottleneck;
  for (const Words& row : kWords) {
    if (row.part == what) what = row.words;
  }
  return fmt::format("the estimate is bound by {}", what);
}

double estimate_copy_us(std::uint64_t bytes, int traffic, const DeviceFacts& facts) {
  const double bandwidth = std::max(facts.memory_gb_per_s, 1.0) * 1e3 * kReachableBandwidth;
  return simt::GpuSpec{}.launch_overhead_us + static_cast<double>(bytes) * traffic / bandwidth;
}

}  // namespace warpwright::device
