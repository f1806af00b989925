// SPDX-License-Identifier: Apache-2.0
#include "sass/moves.h"

#include <algorithm>
#include <array>

#include "sass/foresight.h"

namespace warpwright::sass {

namespace {

constexpr int kTriesPerMove = 16;

double unit(Random& random) { return std::uniform_real_distribution<double>(0, 1)(random); }

bool is_tied(const BlockGraph& graph, std::uint32_t first, std::uint32_t second) {
  const auto& next = graph.successors[first];
  return std::find(next.begin(), next.end(), second) != next.end();
}

std::string word(const Kernel& kernel, std::size_t block, std::uint32_t number) {
  return std::string(kernel.at(block, number).base_opcode());
}

bool is_memory(const Instruction& instruction) { return uses_memory_pipe(instruction); }

std::optional<Proposal> propose_swap(const Kernel& kernel, const Schedule& from, Random& random) {
  for (int tries = 0; tries < kTriesPerMove; ++tries) {
    const Region& region = kernel.any_region(random);
    const std::size_t place = region.begin + random() % (region.size() - 1);
    const Order& order = from.orders[region.block];
    if (is_tied(kernel.graphs()[region.block], order[place], order[place + 1])) continue;
    Proposal proposal{from, "swap " + word(kernel, region.block, order[place]) + " " +
                                word(kernel, region.block, order[place + 1])};
    std::swap(proposal.schedule.orders[region.block][place],
              proposal.schedule.orders[region.block][place + 1]);
    return proposal;
  }
  return std::nullopt;
}

/// Slides one instruction past up to `steps` others; how far it came.
std::size_t slide(const BlockGraph& graph, const Region& region, Order& order, std::size_t place,
                  bool up, std::size_t steps) {
  std::size_t moved = 0;
  while (moved < steps) {
    if (up ? place == region.begin : place + 1 == region.end) break;
    const std::size_t other = up ? place - 1 : place + 1;
    if (up ? is_tied(graph, order[other], order[place])
           : is_tied(graph, order[place], order[other]))
      break;
    std::swap(order[place], order[other]);
    place = other;
    ++moved;
  }
  return moved;
}

/// A memory operation goes up or down, past several others at once.
std::optional<Proposal> propose_hoist(const Kernel& kernel, const Schedule& from, Random& random) {
  for (int tries = 0; tries < kTriesPerMove; ++tries) {
    const Region& region = kernel.any_region(random);
    const Order& order = from.orders[region.block];
    std::vector<std::size_t> places;
    for (std::size_t place = region.begin; place < region.end; ++place)
      if (is_memory(kernel.at(region.block, order[place]))) places.push_back(place);
    if (places.empty()) continue;
    const std::size_t place = places[random() % places.size()];
    const bool up = random() % 2 == 0;
    const std::size_t beside = up ? place - 1 : place + 1;
    const bool inside = up ? place > region.begin : place + 1 < region.end;
    if (!inside) continue;
    Proposal proposal{from, (up ? "up " : "down ") + word(kernel, region.block, order[place]) +
                                " over " + word(kernel, region.block, order[beside])};
    if (slide(kernel.graphs()[region.block], region, proposal.schedule.orders[region.block], place,
              up, 1 + random() % 24) > 0)
      return proposal;
  }
  return std::nullopt;
}

/// One memory operation after every few others, as far as they are ready.
std::optional<Proposal> propose_interleave(const Kernel& kernel, const Schedule& from,
                                           Random& random) {
  const Region& region = kernel.any_region(random);
  const BlockGraph& graph = kernel.graphs()[region.block];
  const Order& order = from.orders[region.block];
  std::vector<double> priority(graph.count, 0);
  const double ratio = 1 + static_cast<double>(random() % 8);
  const double start = unit(random) * 8;
  double memory = start, arithmetic = 0;
  bool any = false;
  for (std::size_t place = region.begin; place < region.end; ++place) {
    const bool is = is_memory(kernel.at(region.block, order[place]));
    any = any || is;
    if (is) {
      memory += ratio;
    } else {
      arithmetic += 1;
    }
    priority[order[place]] = -(is ? memory : arithmetic);
  }
  if (!any) return std::nullopt;
  const auto mixed = list_schedule(kernel, region, order, priority);
  if (!mixed || *mixed == order) return std::nullopt;
  Proposal proposal{from, "ratio " + std::to_string(static_cast<int>(ratio))};
  proposal.schedule.orders[region.block] = *mixed;
  return proposal;
}

std::optional<Proposal> propose_yield(const Kernel& kernel, const Schedule& from, Random& random) {
  for (int tries = 0; tries < kTriesPerMove; ++tries) {
    const Region& region = kernel.any_region(random);
    const auto number = static_cast<std::uint32_t>(region.begin + random() % region.size());
    const int stall = kernel.at(region.block, number).control().stall;
    if (yield_for(stall, true) == yield_for(stall, false)) continue;
    Proposal proposal{from, "yield " + word(kernel, region.block, number)};
    auto& yields = proposal.schedule.yields[region.block][number];
    yields = yields == 0 ? 1 : 0;
    return proposal;
  }
  return std::nullopt;
}

/// The longest way from each instruction to the end of its region, loads counted as slow.
std::vector<double> heights(const Kernel& kernel, const Region& region, double load_cycles) {
  const BlockGraph& graph = kernel.graphs()[region.block];
  std::vector<double> height(graph.count, 0);
  for (std::size_t i = region.end; i-- > region.begin;) {
    const bool slow =
        kernel.at(region.block, static_cast<std::uint32_t>(i)).control().write_barrier < kBarriers;
    for (const std::uint32_t next : graph.successors[i]) {
      double cycles = slow ? load_cycles : 1;
      for (const std::uint32_t e : graph.predecessors[next])
        if (graph.edges[e].from == i) cycles = std::max<double>(cycles, graph.edges[e].cycles);
      height[i] = std::max(height[i], height[next] + cycles);
    }
    if (slow) height[i] = std::max(height[i], load_cycles);
  }
  return height;
}

/// A region from anew: list scheduling by height, with noise.
std::optional<Proposal> propose_restart(const Kernel& kernel, const Schedule& from,
                                        Random& random) {
  const Region& region = kernel.any_region(random);
  const double load_cycles = std::array{8.0, 30.0, 200.0}[random() % 3];
  const double noise = std::array{2.0, 8.0, 40.0}[random() % 3];
  auto priority = heights(kernel, region, load_cycles);
  for (std::size_t i = region.begin; i < region.end; ++i) priority[i] += noise * unit(random);
  const Order& order = from.orders[region.block];
  const auto fresh = list_schedule(kernel, region, order, priority);
  if (!fresh || *fresh == order) return std::nullopt;
  Proposal proposal{from, "load " + std::to_string(static_cast<int>(load_cycles)) + " noise " +
                              std::to_string(static_cast<int>(noise))};
  proposal.schedule.orders[region.block] = *fresh;
  return proposal;
}

constexpr auto kMoves = std::to_array<Move>({
    {"swap", "two neighbours change places", propose_swap},
    {"hoist", "a memory operation goes up or down", propose_hoist},
    {"interleave", "memory operations among arithmetic, by a ratio", propose_interleave},
    {"yield", "a yield bit is flipped", propose_yield},
    {"restart", "a region is list-scheduled from anew, with noise", propose_restart},
    {"forecast", "a loop is annealed on a forecast of one warp", propose_forecast},
});

}  // namespace

std::span<const Move> moves() { return kMoves; }

}  // namespace warpwright::sass
