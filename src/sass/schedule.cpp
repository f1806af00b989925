// SPDX-License-Identifier: Apache-2.0
#include "sass/schedule.h"

#include <algorithm>

namespace warpwright::sass {

namespace {

constexpr double kLoopWeight = 8;

/// How often blocks run is not known; those of loops run more often.
std::vector<double> weights_of(const Function& function) {
  std::vector<double> weights(function.blocks.size(), 1);
  for (std::size_t b = 0; b < function.blocks.size(); ++b)
    for (const std::size_t next : function.blocks[b].successors)
      for (std::size_t inside = next; inside <= b; ++inside) weights[inside] *= kLoopWeight;
  for (double& weight : weights) weight = std::min(weight, kLoopWeight * kLoopWeight * kLoopWeight);
  return weights;
}

std::vector<Words> words_of(const Function& function) {
  std::vector<Words> words;
  words.reserve(function.code.size());
  for (const Instruction& instruction : function.code) words.push_back(instruction.words);
  return words;
}

}  // namespace

Kernel::Kernel(const Function& function, LatencyTable table)
    : function_(function),
      table_(std::move(table)),
      graphs_(graphs_of(function, table_)),
      early_(early_uses(function)),
      block_weight_(weights_of(function)) {
  for (std::size_t b = 0; b < graphs_.size(); ++b)
    for (const auto& [begin, end] : graphs_[b].regions)
      regions_.push_back({b, begin, end, block_weight_[b] * static_cast<double>(end - begin - 1)});
}

Schedule Kernel::original() const {
  Schedule schedule;
  for (const BlockGraph& graph : graphs_) {
    schedule.orders.push_back(original_order(graph));
    auto& yields = schedule.yields.emplace_back();
    for (std::size_t i = 0; i < graph.count; ++i)
      yields.push_back(function_.code[graph.first + i].control().yields ? 1 : 0);
  }
  return schedule;
}

const Region& Kernel::any_region(Random& random) const {
  ASSERT(!regions_.empty(), "a function without regions");
  double total = 0;
  for (const Region& region : regions_) total += region.weight;
  double drawn = std::uniform_real_distribution<double>(0, total)(random);
  for (const Region& region : regions_) {
    drawn -= region.weight;
    if (drawn <= 0) return region;
  }
  return regions_.back();
}

std::optional<Function> Kernel::apply(const Schedule& schedule) const {
  Function changed = function_;
  for (std::size_t b = 0; b < graphs_.size(); ++b) {
    if (schedule.orders[b] == original_order(graphs_[b])) {
      bool same = true;
      for (std::size_t i = 0; i < graphs_[b].count; ++i)
        same = same && (schedule.yields[b][i] != 0) ==
                           function_.code[graphs_[b].first + i].control().yields;
      if (same) continue;  // as ptxas wrote it
    }
    auto code = reordered(function_, graphs_[b], schedule.orders[b], schedule.yields[b]);
    if (!code) return std::nullopt;
    std::move(code->begin(), code->end(),
              changed.code.begin() + static_cast<std::ptrdiff_t>(graphs_[b].first));
  }
  if (!check_against(function_, graphs_, early_, words_of(changed)).empty()) return std::nullopt;
  return changed;
}

double Kernel::issue_cycles(const Function& scheduled) const {
  double cycles = 0;
  for (std::size_t b = 0; b < graphs_.size(); ++b)
    for (std::size_t i = 0; i < graphs_[b].count; ++i)
      cycles += block_weight_[b] * scheduled.code[graphs_[b].first + i].control().stall;
  return cycles;
}

std::optional<Order> list_schedule(const Kernel& kernel, const Region& region, const Order& order,
                                   const std::vector<double>& priority) {
  const BlockGraph& graph = kernel.graphs()[region.block];
  std::vector<int> waits_for(graph.count, 0);
  std::vector<int> earliest(graph.count, 0);
  for (std::size_t i = region.begin; i < region.end; ++i)
    for (const std::uint32_t next : graph.successors[i]) ++waits_for[next];
  std::vector<std::uint32_t> ready;
  for (std::size_t i = region.begin; i < region.end; ++i)
    if (waits_for[i] == 0) ready.push_back(static_cast<std::uint32_t>(i));
  Order result = order;
  std::vector<int> time(graph.count, -1);
  int now = 0;
  for (std::size_t place = region.begin; place < region.end; ++place) {
    const auto better = [&](std::uint32_t a, std::uint32_t b) {
      const bool late_a = earliest[a] > now + kLongestStall,
                 late_b = earliest[b] > now + kLongestStall;
      if (late_a != late_b) return late_b;
      return priority[a] > priority[b];
    };
    const auto chosen = std::min_element(ready.begin(), ready.end(), better);
    if (chosen == ready.end()) return std::nullopt;
    const std::uint32_t me = *chosen;
    ready.erase(chosen);
    if (earliest[me] > now + kLongestStall) return std::nullopt;
    now = std::max(now + 1, earliest[me]);
    time[me] = now;
    result[place] = me;
    for (const std::uint32_t next : graph.successors[me]) {
      for (const std::uint32_t e : graph.predecessors[next])
        if (graph.edges[e].from == me)
          earliest[next] = std::max(earliest[next], now + graph.edges[e].cycles);
      if (--waits_for[next] == 0) ready.push_back(next);
    }
  }
  return result;
}

Schedule random_schedule(const Kernel& kernel, Random& random) {
  // Any order at all first; where that needs longer stalls than there are, one that is nearer to
  // the original.
  constexpr double kNoises[] = {1e6, 1e6, 1e6, 128, 64, 32, 16, 8, 4, 2};
  Schedule schedule = kernel.original();
  std::uniform_real_distribution<double> any(0, 1);
  for (const Region& region : kernel.regions()) {
    const BlockGraph& graph = kernel.graphs()[region.block];
    for (const double noise : kNoises) {
      std::vector<double> priority(graph.count, 0);
      for (std::size_t i = 0; i < graph.count; ++i)
        priority[i] = noise * any(random) - static_cast<double>(i);
      const auto order = list_schedule(kernel, region, schedule.orders[region.block], priority);
      if (!order || !stalls_of(kernel.function(), graph, *order)) continue;
      schedule.orders[region.block] = *order;
      break;
    }
  }
  return schedule;
}

}  // namespace warpwright::sass
