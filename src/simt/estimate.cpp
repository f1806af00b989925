// SPDX-License-Identifier: Apache-2.0
// docs/simt.md derives these formulas.
#include "simt/estimate.h"

#include <algorithm>
#include <cmath>

#include "ptx/limits.h"

namespace warpwright::simt {
namespace {

// Fitted to the times of 250 kernels on an H200 (docs/results/2026-11-18-estimates.md).
constexpr double kDramEfficiency = 0.84;
constexpr double kOverlap = 3;           ///< exponent of the norm that joins the parts
constexpr double kL2MissOfReuse = 0.2;   ///< of repeated traffic, when the data exceed the L2
constexpr double kFreeMove = 0.3;        ///< moves mostly vanish in the machine code
constexpr double kLeastL1 = 16 << 10;    ///< bytes, whatever shared memory takes
constexpr double kMathSlots = 20;        ///< instructions of a library function
constexpr double kL1HitsOfReuse = 0.45;  ///< of repeated traffic: its block has it already
constexpr double kCopiesInFlight = 3.5;  ///< asynchronous ones of a warp
constexpr double kBarrierCycles = 20;
constexpr double kWaitLatencies = 1;  ///< of memory: until the news is read
constexpr double kIssuePerCycle = 4;
constexpr double kL2AtomicsPerCycle = 64;
// Measured on an H200: 0.60 ns a block, for 2^19 and for 2^28 of them.
constexpr double kBlockStartCycles = 1.19;
// Measured on an H200: 1.76 ns an update of one address, 4.3 ms for 2^24 updates of 256 of them.
constexpr double kAtomicUpdateCycles = 3.5;
constexpr double kAtomicSwitchCycles = 29.7;

double ceil_div(double a, double b) { return std::ceil(a / b); }

struct Residency {
  std::uint64_t blocks = 0;
  std::string_view limiter;
};

Residency resident_blocks(const LaunchReport& r, const GpuSpec& g) {
  const std::uint64_t warps = (r.block.count() + 31) / 32;
  constexpr std::uint64_t kUnit = ptx::kLimits.register_unit;
  const std::uint64_t registers =
      warps * ((std::uint64_t{r.registers} * 32 + kUnit - 1) / kUnit * kUnit);
  Residency fewest{g.max_threads_per_sm / (warps * 32), "threads"};
  const auto limit = [&](std::uint64_t blocks, std::string_view by) {
    if (blocks < fewest.blocks) fewest = {blocks, by};
  };
  limit(g.max_blocks_per_sm, "blocks");
  limit(g.registers_per_sm / std::max<std::uint64_t>(registers, 1), "registers");
  if (r.shared_bytes > 0)
    limit(g.shared_bytes_per_sm / (r.shared_bytes + ptx::kLimits.reserved_shared_bytes), "shared");
  return fewest;
}

/// What is left of a count without what was done to ask again.
std::uint64_t minus(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; }

/// Counts as numbers, scaled to the whole grid when only some blocks were run.
class Model {
 public:
  Model(const LaunchReport& r, const GpuSpec& g, std::uint32_t blocks_per_sm)
      : c_(counts_of_work(r)),
        most_waits_(static_cast<double>(r.most_waits)),
        // Here the first blocks take what a GPU's blocks share.
        longest_warp_(r.shares_work ? 0 : static_cast<double>(c_.longest_warp)),
        g_(g),
        scale_(r.blocks_run == 0
                   ? 1
                   : static_cast<double>(r.blocks_total) / static_cast<double>(r.blocks_run)),
        touched_(static_cast<double>(r.touched_of_grid)),
        blocks_(static_cast<double>(r.blocks_total)),
        warps_(blocks_ * static_cast<double>((r.block.count() + 31) / 32)),
        blocks_per_sm_(std::max(blocks_per_sm, 1u)),
        local_misses_(misses_of_local(r)) {}

  [[nodiscard]] double warps_of(OpClass k) const {
    return scale_ * static_cast<double>(c_.by_class[static_cast<std::size_t>(k)].warps);
  }

  /// Data come from DRAM once; what is used again comes from the L1 or the L2, unless it does not
  /// fit there.
  [[nodiscard]] double dram_us() const {
    const double l2 = static_cast<double>(g_.l2_bytes);
    const double missing = touched_ > l2 ? kL2MissOfReuse * (1 - l2 / touched_) : 0;
    const double bytes = std::min(touched_, traffic()) + missing * (1 - kL1HitsOfReuse) * reuse();
    return bytes / (g_.dram_gb_per_s * kDramEfficiency * 1e3);
  }
  [[nodiscard]] double l2_us() const {
    return (traffic() - kL1HitsOfReuse * reuse()) / (g_.l2_gb_per_s * 1e3);
  }

  /// 128 bytes a cycle where lanes are neighbours, one tag look-up for every sector beyond that.
  [[nodiscard]] double l1_us() const {
    const double requests =
        scale_ * static_cast<double>(c_.global_load_requests + c_.global_store_requests);
    const double bytes = scale_ * static_cast<double>(c_.global_load_bytes + c_.global_store_bytes);
    const double extra = std::max(0.0, global_sectors() - bytes / 32);
    return sm_us(std::max(requests, bytes / 128) + extra + local_sectors() / 4);
  }
  [[nodiscard]] double shared_us() const {
    return sm_us(scale_ * static_cast<double>(c_.shared_wavefronts));
  }

  [[nodiscard]] double issue_us() const {
    double slots = 0;
    for (std::size_t k = 0; k < kOpClasses; ++k) {
      const auto op = static_cast<OpClass>(k);
      const double weight = op == OpClass::move ? kFreeMove : op == OpClass::math ? kMathSlots : 1;
      slots += weight * warps_of(op);
    }
    return sm_us(slots / kIssuePerCycle);
  }
  [[nodiscard]] double pipe_us(double warps, double lanes) const {
    return sm_us(warps * 32 / lanes);
  }
  [[nodiscard]] double tensor_us() const {
    return sm_us(scale_ * static_cast<double>(c_.flops.tensor) / g_.tensor_flops_per_cycle);
  }
  /// 32 bytes take one update at a time, whoever sends it; another address than the last takes
  /// longer.
  [[nodiscard]] double atomic_us() const {
    // Those in shared memory take their wavefronts, and wait where lanes meet.
    const double lanes = scale_ * static_cast<double>(c_.atomic_lanes - c_.atomic_lanes_shared);
    const double hottest =
        scale_ * (kAtomicUpdateCycles * static_cast<double>(c_.atomic_hottest) +
                  kAtomicSwitchCycles * static_cast<double>(c_.atomic_hottest_switches));
    const double shared = scale_ * static_cast<double>(c_.atomic_serialised_shared);
    return std::max({hottest, lanes / kL2AtomicsPerCycle, shared / used_sms()}) /
           (g_.clock_ghz * 1e3);
  }

  /// One block after another is given to the SMs.
  [[nodiscard]] double blocks_us() const {
    return blocks_ * kBlockStartCycles / (g_.clock_ghz * 1e3);
  }

  /// How long one warp takes from start to end, times the turns that the grid needs.
  [[nodiscard]] double latency_us() const {
    const double per_warp = scale_ / std::max(warps_, 1.0);
    const double average = static_cast<double>(c_.warp_instructions()) * per_warp;
    // What the longest warp does more than others is taken for arithmetic.
    const double longest = average > 0 ? std::max(1.0, longest_warp_ / average) : 1;
    const double memory = load_cycles();
    const double cycles =
        per_warp * (longest * c_.chain.cycles +
                    (c_.chain.loads + c_.chain.copies / kCopiesInFlight) * memory) +
        warps_of(OpClass::barrier) / std::max(warps_, 1.0) * kBarrierCycles +
        most_waits_ * kWaitLatencies * memory;
    const double turns = ceil_div(blocks_, static_cast<double>(g_.sms) * blocks_per_sm_);
    return turns * cycles / (g_.clock_ghz * 1e3);
  }

 private:
  [[nodiscard]] double global_sectors() const {
    return scale_ * static_cast<double>(c_.global_load_sectors + c_.global_store_sectors);
  }
  [[nodiscard]] double local_sectors() const {
    return scale_ * static_cast<double>(c_.local_sectors);
  }
  /// Bytes that pass the L1, or would without its hits.
  [[nodiscard]] double traffic() const {
    return 32 * (global_sectors() + local_misses_ * local_sectors());
  }
  [[nodiscard]] double reuse() const { return std::max(0.0, traffic() - touched_); }
  /// Of a load, by where its data are.
  [[nodiscard]] double load_cycles() const {
    const double near =
        kL1HitsOfReuse * g_.l1_latency_cycles + (1 - kL1HitsOfReuse) * g_.l2_latency_cycles;
    const double first = std::min(1.0, touched_ / std::max(traffic(), 1.0));
    return near + first * (g_.memory_latency_cycles - near);
  }
  /// Local memory stays in the L1 as far as that of all resident threads fits beside shared memory.
  [[nodiscard]] double misses_of_local(const LaunchReport& r) const {
    const double blocks = std::min(blocks_per_sm_, ceil_div(blocks_, g_.sms));
    const double wanted = blocks * static_cast<double>(r.block.count()) * r.local_bytes;
    const double room =
        std::max(g_.l1_bytes - blocks * static_cast<double>(r.shared_bytes), kLeastL1);
    return wanted > room ? 1 - room / wanted : 0;
  }
  [[nodiscard]] double used_sms() const {
    return std::min(static_cast<double>(g_.sms), std::max(blocks_, 1.0));
  }
  /// Cycles of work spread over the SMs that have a block, the last turn being partly empty.
  [[nodiscard]] double sm_us(double cycles) const {
    const double turns = blocks_ / used_sms();
    const double tail = std::ceil(turns) / std::max(turns, 1.0);
    return cycles * tail / used_sms() / (g_.clock_ghz * 1e3);
  }

  const Counts c_;
  double most_waits_;
  double longest_warp_;
  const GpuSpec& g_;
  double scale_, touched_, blocks_, warps_, blocks_per_sm_, local_misses_;
};

}  // namespace

// How often a warp asks says nothing of a GPU.
Counts counts_of_work(const LaunchReport& r) {
  Counts c = r.counts;
  const Counts& a = r.asking;
  for (std::size_t k = 0; k < kOpClasses; ++k) {
    c.by_class[k].warps = minus(c.by_class[k].warps, a.by_class[k].warps);
    c.by_class[k].lanes = minus(c.by_class[k].lanes, a.by_class[k].lanes);
  }
  c.global_load_sectors = minus(c.global_load_sectors, a.global_load_sectors);
  c.global_load_requests = minus(c.global_load_requests, a.global_load_requests);
  c.global_load_bytes = minus(c.global_load_bytes, a.global_load_bytes);
  c.global_store_sectors = minus(c.global_store_sectors, a.global_store_sectors);
  c.global_store_requests = minus(c.global_store_requests, a.global_store_requests);
  c.global_store_bytes = minus(c.global_store_bytes, a.global_store_bytes);
  c.chain.cycles = std::max(0.0, c.chain.cycles - a.chain.cycles);
  c.chain.loads = std::max(0.0, c.chain.loads - a.chain.loads);
  c.chain.copies = std::max(0.0, c.chain.copies - a.chain.copies);
  c.shared_wavefronts = minus(c.shared_wavefronts, a.shared_wavefronts);
  c.atomic_requests = minus(c.atomic_requests, a.atomic_requests);
  c.atomic_hottest = minus(c.atomic_hottest, a.atomic_lanes);
  c.atomic_lanes = minus(c.atomic_lanes, a.atomic_lanes);
  c.atomic_lanes_shared = minus(c.atomic_lanes_shared, a.atomic_lanes_shared);
  c.atomic_serialised_shared = minus(c.atomic_serialised_shared, a.atomic_serialised_shared);
  return c;
}

Estimate estimate(const LaunchReport& report, const GpuSpec& gpu) {
  Estimate e;
  e.sampled = report.blocks_run < report.blocks_total;
  const Residency resident = resident_blocks(report, gpu);
  e.blocks_per_sm = static_cast<std::uint32_t>(resident.blocks);
  e.limiter = std::string(resident.limiter);
  e.occupancy = static_cast<double>(e.blocks_per_sm) *
                static_cast<double>((report.block.count() + 31) / 32 * 32) / gpu.max_threads_per_sm;
  const Model m(report, gpu, e.blocks_per_sm);
  using K = OpClass;
  e.parts = {
      {"dram", m.dram_us()},
      {"l2", m.l2_us()},
      {"l1", m.l1_us()},
      {"shared", m.shared_us()},
      {"issue", m.issue_us()},
      {"fp32",
       m.pipe_us(m.warps_of(K::fp32) + m.warps_of(K::math) * kMathSlots / 2, gpu.fp32_lanes)},
      {"integer", m.pipe_us(m.warps_of(K::integer), gpu.int_lanes)},
      {"fp64", m.pipe_us(m.warps_of(K::fp64), gpu.fp64_lanes)},
      {"fp16", m.pipe_us(m.warps_of(K::fp16), gpu.fp16_lanes)},
      {"special", m.pipe_us(m.warps_of(K::special) + m.warps_of(K::math) + m.warps_of(K::convert),
                            gpu.special_lanes)},
      {"tensor", m.tensor_us()},
      {"atomic", m.atomic_us()},
      {"blocks", m.blocks_us()},
      {"latency", m.latency_us()},
  };
  double sum = 0;
  for (const EstimatePart& p : e.parts) sum += std::pow(p.us, kOverlap);
  e.us = std::pow(sum, 1 / kOverlap) + gpu.launch_overhead_us;
  std::stable_sort(e.parts.begin(), e.parts.end(),
                   [](const EstimatePart& a, const EstimatePart& b) { return a.us > b.us; });
  e.bottleneck = e.parts.front().us > gpu.launch_overhead_us ? e.parts.front().name : "launch";
  return e;
}

}  // namespace warpwright::simt
