// SPDX-License-Identifier: Apache-2.0
#include "flops/sampling.h"
#include "flops/launch_outcome.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace warpwright::flop {

namespace {

constexpr std::uint64_t kPatience = 8;  ///< budgets that one run may take
constexpr std::uint64_t kGroups = 8;    ///< of a sample: their spread tells how sure it is
constexpr std::uint64_t kMostProbed = 512;

/// Random, and the same every time.
class Draw {
 public:
  std::uint64_t below(std::uint64_t limit) {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t word = state_;
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB;
    return (word ^ (word >> 31)) % limit;
  }

 private:
  std::uint64_t state_ = 0x5741525057;
};

/// One launch under way.
class Runner {
 public:
  Runner(simt::Machine& machine, const simt::Module& module, simt::Launch launch,
         const CostTable& costs, std::uint64_t budget)
      : machine_(machine),
        module_(module),
        launch_(std::move(launch)),
        costs_(costs),
        budget_(budget) {
    run_.blocks = launch_.grid.count();
  }

  Result<SampledRun> run() {
    // Counters of traffic cost time with every allocation there is; what instructions ask for is
    // known from how often they ran.
    launch_.options.checks = simt::Checks::off;
    if (run_.blocks == 1 || launch_.options.cooperative) {
      WW_TRY(const Tally all, run_blocks({}, kPatience * budget_));
      run_.blocks_run = run_.blocks;
      run_.tally.add(all, 1);
      return std::move(run_);
    }
    WW_TRY(const std::uint64_t probed, probe());
    const std::uint64_t left = run_.blocks - probed;
    if (run_.cut_short) {
      // A block that does not end says nothing of the others but that they are there.
      run_.tally.add(Tally(run_.tally), static_cast<double>(left) / static_cast<double>(probed));
      return std::move(run_);
    }
    if (left == 0) return std::move(run_);
    const double spent = static_cast<double>(run_.tally.warps);
    const double per_block = std::max(1.0, spent / static_cast<double>(probed));
    const double rest = std::max(0.0, static_cast<double>(budget_) - spent);
    const auto affordable = static_cast<std::uint64_t>(rest / per_block);
    WW_CHECK(affordable >= left ? run_rest(probed) : run_sample(probed, affordable));
    return std::move(run_);
  }

 private:
  static std::vector<std::uint64_t> range(std::uint64_t first, std::uint64_t end) {
    std::vector<std::uint64_t> blocks(end - first);
    std::iota(blocks.begin(), blocks.end(), first);
    return blocks;
  }

  /// The first blocks, twice as many each time, until they have taken an eighth of the budget.
  Result<std::uint64_t> probe() {
    std::uint64_t probed = 0;
    for (std::uint64_t next = 1; probed < run_.blocks && probed < kMostProbed; next *= 2) {
      const std::uint64_t end = std::min(run_.blocks, probed + next);
      WW_TRY(const Tally tally, run_blocks(range(probed, end), kPatience * budget_));
      run_.tally.add(tally, 1);
      run_.blocks_run = probed = end;
      if (run_.cut_short || run_.tally.warps > budget_ / 8) break;
    }
    return probed;
  }

  Result<Tally> run_blocks(std::vector<std::uint64_t> blocks, std::uint64_t limit) {
    launch_.options.only_blocks = std::move(blocks);
    launch_.options.max_warp_instructions = limit;
    WW_TRY(const simt::LaunchReport report, machine_.launch(module_, launch_));
    for (const simt::Fault& fault : report.faults) {
      if (fault.kind == simt::FaultKind::timeout) {
        run_.cut_short = true;
      } else if (ends_program(fault.kind) && run_.faults.size() < 8) {
        run_.faults.push_back(fault);
      }
    }
    return tally_of(report, costs_);
  }

  Status run_rest(std::uint64_t first) {
    WW_TRY(const Tally rest, run_blocks(range(first, run_.blocks), 2 * kPatience * budget_));
    run_.tally.add(rest, 1);
    run_.blocks_run = run_.blocks;
    return {};
  }

  /// One block of each of equal parts of what is left, in groups that lie within each other.
  Status run_sample(std::uint64_t first, std::uint64_t affordable) {
    const std::uint64_t left = run_.blocks - first;
    // Blocks that take long by themselves: few of them, each its own group.
    const std::uint64_t most = std::min(left, std::max<std::uint64_t>(affordable, 2));
    const std::uint64_t parts = std::min(kGroups, most);
    const std::uint64_t each = most / parts;
    std::vector<std::vector<std::uint64_t>> groups(parts);
    Draw draw;
    for (std::uint64_t i = 0; i < each * parts; ++i) {
      const std::uint64_t begin = first + left * i / (each * parts);
      const std::uint64_t end = first + left * (i + 1) / (each * parts);
      groups[i % parts].push_back(begin + draw.below(std::max<std::uint64_t>(end - begin, 1)));
    }
    std::vector<double> totals;
    Tally sum;
    for (auto& group : groups) {
      WW_TRY(const Tally tally, run_blocks(std::move(group), 2 * kPatience * budget_));
      totals.push_back(tally.flops.total());
      sum.add(tally, 1);
      if (run_.cut_short) break;
    }
    const double run_blocks = static_cast<double>(totals.size() * each);
    run_.blocks_run += totals.size() * each;
    run_.tally.add(sum, static_cast<double>(left) / run_blocks);
    run_.error = spread(totals) * static_cast<double>(left) / static_cast<double>(each);
    return {};
  }

  /// Three standard errors of the mean.
  static double spread(const std::vector<double>& totals) {
    if (totals.size() < 2) return 0;
    const auto n = static_cast<double>(totals.size());
    const double mean = std::accumulate(totals.begin(), totals.end(), 0.0) / n;
    double squares = 0;
    for (const double total : totals) squares += (total - mean) * (total - mean);
    return 3 * std::sqrt(squares / (n - 1) / n);
  }

  simt::Machine& machine_;
  const simt::Module& module_;
  simt::Launch launch_;
  const CostTable& costs_;
  std::uint64_t budget_;
  SampledRun run_;
};

}  // namespace

Result<SampledRun> run_sampled(simt::Machine& machine, const simt::Module& module,
                               simt::Launch launch, const CostTable& costs, std::uint64_t budget) {
  return Runner(machine, module, std::move(launch), costs, budget).run();
}

LaunchCount count_of(const SampledRun& run) {
  LaunchCount count;
  count.flops = run.tally.flops;
  count.bytes = run.tally.bytes;
  const double total = count.flops.total();
  count.low = std::max(0.0, total - run.error);
  count.high = total + run.error;
  if (run.blocks_run < run.blocks) count.confidence = Confidence::sampled;
  if (run.cut_short) count.confidence = Confidence::bounded;
  count.cut_short = run.cut_short;
  return count;
}

}  // namespace warpwright::flop
