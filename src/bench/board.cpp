// SPDX-License-Identifier: Apache-2.0
#include "bench/board.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "bench/board_parts.h"

namespace warpwright::bench {

namespace {

constexpr std::array<std::string_view, kRunnerCount> kNames = {"b0",      "b1",    "kernel",
                                                               "library", "eager", "compiled"};

struct Pair {
  Runner slow, fast;
};
constexpr std::array<Pair, 8> kPairs = {{{Runner::slow, Runner::baseline},
                                         {Runner::baseline, Runner::library},
                                         {Runner::baseline, Runner::eager},
                                         {Runner::baseline, Runner::compiled},
                                         {Runner::baseline, Runner::kernel},
                                         {Runner::library, Runner::kernel},
                                         {Runner::eager, Runner::kernel},
                                         {Runner::compiled, Runner::kernel}}};

struct LogSum {
  double sum = 0;
  int count = 0;
  void add(double value) {
    sum += value;
    ++count;
  }
  [[nodiscard]] double mean() const { return count == 0 ? 0 : sum / count; }
};

}  // namespace

std::string_view name_of(Runner runner) { return kNames.at(static_cast<std::size_t>(runner)); }

const Timed* Row::of(Runner runner) const {
  const Timed* best = nullptr;
  for (const Timed& timed : times) {
    if (timed.runner != runner || !timed.apart.empty() || timed.median_us <= 0) continue;
    if (runner == Runner::kernel && timed.name != best_kernel) continue;
    if (best == nullptr || timed.median_us < best->median_us) best = &timed;
  }
  return best;
}

std::optional<double> share_of_ceiling(const Board& board, const Row& row, const Timed& timed) {
  const bool launch = row.roof.regime == profile::Regime::launch;
  if (launch && board.ceilings.launch_us <= 0) return std::nullopt;
  const double floor_us =
      launch ? std::max(row.roof.floor_us, board.ceilings.launch_us) : row.roof.floor_us;
  if (floor_us <= 0 || timed.median_us <= 0) return std::nullopt;
  return floor_us / timed.median_us;
}

void choose_best_kernels(Board& board) {
  std::map<std::string, std::map<std::string, LogSum>> sums;
  std::map<std::string, int> sizes;
  for (const Row& row : board.rows) {
    bool any = false;
    for (const Timed& timed : row.times) {
      if (timed.runner != Runner::kernel || !timed.apart.empty()) continue;
      if (timed.median_us <= 0) continue;
      sums[row.task][timed.name].add(std::log(timed.median_us));
      any = true;
    }
    sizes[row.task] += any ? 1 : 0;
  }
  for (Row& row : board.rows) {
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [name, sum] : sums[row.task]) {
      if (sum.count < sizes[row.task] || sum.mean() >= least) continue;
      least = sum.mean();
      row.best_kernel = name;
    }
  }
}

std::vector<Mean> means_of(const Board& board) {
  std::vector<Mean> means;
  for (const Pair& pair : kPairs) {
    std::map<std::string, LogSum> all, busy;
    Mean mean{.slow = pair.slow, .fast = pair.fast};
    for (const Row& row : board.rows) {
      const Timed* slow = row.of(pair.slow);
      const Timed* fast = row.of(pair.fast);
      if (slow == nullptr || fast == nullptr || slow->source != fast->source) continue;
      const double gain = std::log(slow->median_us / fast->median_us);
      all[row.task].add(gain);
      if (row.roof.regime != profile::Regime::launch) busy[row.task].add(gain);
      ++mean.cells;
    }
    LogSum over_all, over_busy;
    for (const auto& [task, sum] : all) over_all.add(sum.mean());
    for (const auto& [task, sum] : busy) over_busy.add(sum.mean());
    if (over_all.count == 0) continue;
    mean.tasks = over_all.count;
    mean.all = std::exp(over_all.mean());
    mean.busy_tasks = over_busy.count;
    if (over_busy.count > 0) mean.busy = std::exp(over_busy.mean());
    means.push_back(mean);
  }
  return means;
}

}  // namespace warpwright::bench
