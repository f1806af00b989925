// SPDX-License-Identifier: Apache-2.0
#include "sass/dependence.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

namespace warpwright::sass {

namespace {

// ptxas never lets an instruction wait for a scoreboard that was set in the cycle before.
constexpr int kScoreboardCycles = 2;

/// Who wrote and who read each register lately, within a block.
struct Reaching {
  std::vector<std::uint32_t> defs, readers;
};

/// An instruction without a scoreboard, which a later one of the same pipe speaks for: its results
/// have come when that one's have, its sources were read when that one's were.
struct Rider {
  std::size_t at = 0;
  bool results = true;  ///< else its sources
  unsigned mask = 0;    ///< scoreboards that speak for it so far, any of them
  bool alone = false;   ///< its own scoreboard will do
};

/// Builds one graph; the parts are the rules.
class GraphBuilder {
 public:
  GraphBuilder(const Function& function, std::size_t block, const Pending& pending,
               const Border& border, const LatencyTable& table)
      : function_(function),
        block_(function.blocks[block]),
        pending_(pending),
        border_(border),
        table_(table) {
    graph_.first = block_.first;
    graph_.count = block_.end - block_.first;
    times_ = issue_times(function, block_.first, graph_.count);
    graph_.from_start.assign(graph_.count, 0);
    graph_.to_end.assign(graph_.count, 0);
  }

  BlockGraph build() {
    find_regions();
    find_overwritten();
    add_register_pairs();
    add_scoreboards();
    add_memory();
    add_borders();
    add_fences();
    add_kinds();
    finish();
    return std::move(graph_);
  }

 private:
  [[nodiscard]] const Instruction& at(std::size_t i) const {
    return function_.code[block_.first + i];
  }
  [[nodiscard]] int distance(std::size_t from, std::size_t to) const {
    return times_[to] - times_[from];
  }
  void add(std::size_t from, std::size_t to, int cycles, Cause cause, std::size_t index) {
    graph_.edges.push_back({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to),
                            cycles, cause, static_cast<std::uint16_t>(index)});
  }

  void find_regions() {
    graph_.fence.resize(graph_.count);
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= graph_.count; ++i) {
      if (i < graph_.count) graph_.fence[i] = function_.is_fence(block_.first + i);
      if (i < graph_.count && !graph_.fence[i]) continue;
      if (i > begin + 1) graph_.regions.emplace_back(begin, i);
      begin = i + 1;
    }
  }

  void add_register_pairs() {
    for_each_pair(
        function_, block_, [&](Cause cause, std::size_t from, std::size_t to, std::size_t index) {
          const Control control = at(from).control();
          const int apart = distance(from, to);
          int cycles = 0;
          // A wait says when a load has come, and not a distance.
          const bool fixed = control.write_barrier == kNoBarrier && !returns_in_order(at(from));
          if (cause == Cause::read && fixed)
            cycles = needed_cycles(table_, read_name(at(from), at(to), index), apart);
          if (cause == Cause::overwrite && fixed)
            cycles = needed_cycles(table_, overwrite_name(at(from), at(to), index), apart);
          if (cause == Cause::after_read && control.read_barrier == kNoBarrier)
            cycles = needed_cycles(table_, after_read_name(at(from), at(to), index), apart);
          add(from, to, cycles, cause, index);
        });
  }

  /// Setters before their waiter, waiters before the next setter; and what a wait makes free is
  /// used behind it, because the user often does not wait itself.
  void add_scoreboards() {
    std::array<std::vector<std::size_t>, kBarriers> setters, waiters;
    std::vector<std::vector<std::size_t>> for_all(kRegisters), for_writers(kRegisters);
    std::vector<std::size_t> for_live_in;
    RegisterSet written;
    for (std::size_t i = 0; i < graph_.count; ++i) {
      const unsigned waits = waits_of(at(i));
      cover(i, for_all, for_writers, for_live_in, written);
      if (waits != 0) {
        release_riders(i, waits, for_all, for_writers);
        for_each_register(pending_.results_of(waits),
                          [&](std::size_t r) { for_all[r].push_back(i); });
        for_each_register(pending_.sources_of(waits),
                          [&](std::size_t r) { for_writers[r].push_back(i); });
        if (block_.entered_unknown) for_live_in.push_back(i);
        pending_.wait(waits);
      }
      for (std::size_t b = 0; b < kBarriers; ++b)
        if ((waits >> b & 1) != 0) wait_for(i, b, setters[b], waiters[b]);
      const Control control = at(i).control();
      for (const int barrier : {control.write_barrier, control.read_barrier}) {
        if (barrier >= kBarriers) continue;
        const auto b = static_cast<std::size_t>(barrier);
        for (const std::size_t waiter : waiters[b])
          if (waiter != i) add(waiter, i, 0, Cause::scoreboard, b);
        setters[b].push_back(i);
      }
      add_riders(i);
      pending_.issue(at(i));
      if (!at(i).guard) written |= at(i).defs;
    }
  }

  /// Who speaks for another stays behind it.
  void add_riders(std::size_t i) {
    const Control control = at(i).control();
    const Queue queue = queue_of(at(i));
    const auto speaks = [&](Rider& rider, int barrier) {
      if (barrier >= kBarriers) return;
      rider.mask |= 1U << barrier;
      add(rider.at, i, 0, Cause::scoreboard, static_cast<std::size_t>(barrier));
    };
    for (Rider& rider : riders_) {
      if (rider.alone) continue;
      if (rider.results && queue == queue_of(at(rider.at))) speaks(rider, control.write_barrier);
      if (rider.results || !uses_memory_pipe(at(i))) continue;
      speaks(rider, control.write_barrier);
      speaks(rider, control.read_barrier);
    }
    const unsigned own = control.write_barrier < kBarriers ? 1U << control.write_barrier : 0U;
    // Doubles without a scoreboard take a known time.
    const bool rides = queue == Queue::shared_loads || queue == Queue::conversions;
    if (rides && own == 0 && at(i).defs.any()) riders_.push_back({.at = i});
    if (!uses_memory_pipe(at(i)) || control.read_barrier != kNoBarrier) return;
    const bool alone = !needs_a_speaker(i);
    if (!alone || own != 0) riders_.push_back({i, false, own, alone});
  }

  void release_riders(std::size_t i, unsigned waits, std::vector<std::vector<std::size_t>>& for_all,
                      std::vector<std::vector<std::size_t>>& for_writers) {
    std::erase_if(riders_, [&](const Rider& rider) {
      if ((rider.mask & waits) == 0) return false;
      auto& waiting = rider.results ? for_all : for_writers;
      for_each_register(rider.results ? at(rider.at).defs : at(rider.at).uses,
                        [&](std::size_t r) { waiting[r].push_back(i); });
      return true;
    });
  }

  /// Whether a source is overwritten, outside of the pipe that reads it, without a wait for the
  /// instruction's own result before.
  [[nodiscard]] bool needs_a_speaker(std::size_t i) const {
    const unsigned own =
        at(i).control().write_barrier < kBarriers ? 1U << at(i).control().write_barrier : 0U;
    RegisterSet open = at(i).uses & ~at(i).defs & overwritten_;
    for (std::size_t j = i + 1; j < graph_.count && open.any(); ++j) {
      if ((waits_of(at(j)) & own) != 0) return false;
      const RegisterSet hit = open & at(j).defs;
      if (hit.any() && !uses_memory_pipe(at(j))) return true;
      if (!at(j).guard) open &= ~hit;
    }
    return open.any();
  }

  /// General registers that something else than the memory pipes writes, in the whole function.
  void find_overwritten() {
    for (const Instruction& instruction : function_.code)
      if (!uses_memory_pipe(instruction))
        for_each_register(instruction.defs, [&](std::size_t r) {
          if (bank_of(r) == Bank::general) overwritten_.set(r);
        });
  }

  void wait_for(std::size_t i, std::size_t barrier, std::vector<std::size_t>& setters,
                std::vector<std::size_t>& waiters) {
    for (const std::size_t setter : setters)
      add(setter, i, std::min(kScoreboardCycles, distance(setter, i)), Cause::scoreboard, barrier);
    if (setters.empty())
      graph_.from_start[i] = std::max(graph_.from_start[i], std::min(kScoreboardCycles, times_[i]));
    // Earlier waiters are before a setter that is before this one.
    if (!setters.empty()) waiters.clear();
    setters.clear();
    waiters.push_back(i);
  }

  void cover(std::size_t i, std::vector<std::vector<std::size_t>>& for_all,
             std::vector<std::vector<std::size_t>>& for_writers,
             const std::vector<std::size_t>& for_live_in, const RegisterSet& written) {
    const Instruction& instruction = at(i);
    const RegisterSet touched = instruction.uses | instruction.defs;
    for_each_register(touched, [&](std::size_t r) {
      for (const std::size_t waiter : for_all[r]) add(waiter, i, 0, Cause::coverage, r);
    });
    for_each_register(instruction.defs, [&](std::size_t r) {
      for (const std::size_t waiter : for_writers[r]) add(waiter, i, 0, Cause::coverage, r);
      if (instruction.guard) return;
      for_all[r].clear();
      for_writers[r].clear();
    });
    if ((touched & ~written).any())
      for (const std::size_t waiter : for_live_in) add(waiter, i, 0, Cause::coverage, 0);
  }

  void add_memory() {
    for (const auto& [begin, end] : graph_.regions) {
      std::vector<std::pair<std::size_t, MemoryAccess>> accesses;
      for (std::size_t i = begin; i < end; ++i)
        for (MemoryAccess& access : memory_accesses(at(i)))
          accesses.emplace_back(i, std::move(access));
      for (std::size_t b = 0; b < accesses.size(); ++b)
        for (std::size_t a = 0; a < b; ++a) {
          const auto& [from, earlier] = accesses[a];
          const auto& [to, later] = accesses[b];
          if (from == to) continue;
          if (may_conflict(earlier, later, same_base(from, to, earlier, later)))
            add(from, to, 0, Cause::memory, 0);
        }
    }
  }

  [[nodiscard]] bool same_base(std::size_t from, std::size_t to, const MemoryAccess& a,
                               const MemoryAccess& b) const {
    if (!a.at || !b.at || a.at->base != b.at->base) return false;
    for (std::size_t i = from; i < to; ++i)
      if ((at(i).defs & a.at->registers).any()) return false;
    return true;
  }

  /// What reaches into the next block, or comes from the one before, is as far from the border as
  /// it was, as far as that can matter.
  void add_borders() {
    RegisterSet written;
    for (std::size_t i = 0; i < graph_.count; ++i) {
      int least = 0;
      for_each_register((at(i).uses | at(i).defs) & ~written, [&](std::size_t r) {
        least = std::max<int>(least, border_.result[r]);
        if (at(i).defs.test(r)) least = std::max<int>(least, border_.source[r]);
      });
      graph_.from_start[i] = std::max(graph_.from_start[i], std::min(times_[i], least));
      if (!at(i).guard) written |= at(i).defs;
    }
    RegisterSet defined;
    const int end = times_[graph_.count];
    for (std::size_t i = graph_.count; i-- > 0;) {
      const int left = end - times_[i];
      const Control control = at(i).control();
      const bool sets = control.write_barrier < kBarriers || control.read_barrier < kBarriers;
      int least = sets ? std::min(left, kScoreboardCycles) : 0;
      if ((at(i).defs & ~defined).any() && control.write_barrier == kNoBarrier &&
          !returns_in_order(at(i)))
        least = std::max(least, std::min(left, slowest_result(at(i), table_)));
      if ((at(i).uses & ~defined).any() && control.read_barrier == kNoBarrier)
        least = std::max(least, std::min(left, slowest_source(at(i))));
      graph_.to_end[i] = least;
      if (!at(i).guard) defined |= at(i).defs;
    }
  }

  /// What comes behind a fence comes late enough for the fence to hold the warp: in this block, and
  /// behind it. Fences of blocks before keep their distance to the border.
  void add_fences() {
    const std::vector<std::size_t> first_place = first_places();
    for (std::size_t f = 0; f < graph_.count; ++f) {
      if (!holds_back(at(f), graph_.fence[f])) continue;
      graph_.to_end[f] =
          std::max(graph_.to_end[f], std::min(distance(f, graph_.count), kFenceReach));
      for (std::size_t i = f + 1; i < graph_.count && first_place[i] < f + kFenceReach; ++i) {
        const int cycles = needed_behind_fence(table_, at(f).opcode, at(i), distance(f, i));
        if (cycles > static_cast<int>(first_place[i] - f)) add(f, i, cycles, Cause::fence, 0);
      }
    }
    for (const auto& [fence, since] : border_.fences)
      for (std::size_t i = 0; i < graph_.count && first_place[i] < kFenceReach; ++i) {
        const int cycles = needed_behind_fence(table_, fence, at(i), since + times_[i]) - since;
        graph_.from_start[i] = std::max(graph_.from_start[i], std::min(cycles, times_[i]));
      }
  }

  /// The first place that each instruction could have.
  [[nodiscard]] std::vector<std::size_t> first_places() const {
    std::vector<std::size_t> places(graph_.count);
    std::iota(places.begin(), places.end(), 0U);
    for (const auto& [begin, end] : graph_.regions)
      for (std::size_t i = begin; i < end; ++i) places[i] = begin;
    return places;
  }

  /// Names are looked up once for each pair of opcodes: orders are retimed very often.
  void add_kinds() {
    std::map<std::string_view, std::uint16_t> number;
    std::vector<std::size_t> one_of;  // an instruction of each kind
    for (std::size_t i = 0; i < graph_.count; ++i) {
      const auto [row, is_new] =
          number.emplace(at(i).base_opcode(), static_cast<std::uint16_t>(number.size()));
      if (is_new) one_of.push_back(i);
      graph_.kind.push_back(row->second);
    }
    const auto found = [&](const PairName& pair, const std::string& consumer) {
      return table_.find(pair.relation, pair.producer, consumer).value_or(BlockGraph::kUnknown);
    };
    for (const std::size_t first : one_of) {
      for (const std::size_t second : one_of) {
        const PairName pair = issue_name(at(first), at(second));
        graph_.issue_pair.push_back(found(pair, pair.consumer));
      }
      graph_.issue_any.push_back(
          found(issue_name(at(first), at(first)), std::string(LatencyTable::kAny)));
    }
  }

  /// One edge per pair: that with the most cycles.
  void finish() {
    auto& edges = graph_.edges;
    std::stable_sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
      if (a.to != b.to) return a.to < b.to;
      if (a.from != b.from) return a.from < b.from;
      return a.cycles > b.cycles;
    });
    edges.erase(
        std::unique(edges.begin(), edges.end(),
                    [](const Edge& a, const Edge& b) { return a.to == b.to && a.from == b.from; }),
        edges.end());
    graph_.successors.resize(graph_.count);
    graph_.predecessors.resize(graph_.count);
    std::vector<std::size_t> region(graph_.count, static_cast<std::size_t>(-1));
    for (std::size_t r = 0; r < graph_.regions.size(); ++r)
      for (std::size_t i = graph_.regions[r].first; i < graph_.regions[r].second; ++i)
        region[i] = r;
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const Edge& edge = edges[e];
      graph_.predecessors[edge.to].push_back(static_cast<std::uint32_t>(e));
      if (region[edge.from] == region[edge.to] && !graph_.fence[edge.from] &&
          !graph_.fence[edge.to])
        graph_.successors[edge.from].push_back(edge.to);
    }
  }

  const Function& function_;
  const Block& block_;
  Pending pending_;
  const Border& border_;
  const LatencyTable& table_;
  BlockGraph graph_;
  std::vector<int> times_;
  std::vector<Rider> riders_;
  RegisterSet overwritten_;
};

}  // namespace

std::string_view name_of(Cause cause) {
  static constexpr std::string_view kNames[] = {"read",       "overwrite", "after_read", "memory",
                                                "scoreboard", "coverage",  "fence"};
  return kNames[static_cast<int>(cause)];
}

void for_each_pair(const Function& function, const Block& block, const VisitPair& visit) {
  std::vector<Reaching> reaching(kRegisters);
  std::vector<std::size_t> set_at(kRegisters, 0);  // one more than the last that wrote a predicate
  const auto at = [&](std::size_t i) -> const Instruction& {
    return function.code[block.first + i];
  };
  for (std::size_t i = 0; i < block.end - block.first; ++i) {
    const Instruction& me = at(i);
    const auto free = [&](std::size_t other) {
      return exclusive(at(other), me) && set_at[me.guard->predicate] <= other;
    };
    for_each_register(me.uses, [&](std::size_t r) {
      for (const std::uint32_t def : reaching[r].defs)
        if (!free(def)) visit(Cause::read, def, i, r);
    });
    for_each_register(me.defs, [&](std::size_t r) {
      for (const std::uint32_t def : reaching[r].defs)
        if (!free(def)) visit(Cause::overwrite, def, i, r);
      for (const std::uint32_t reader : reaching[r].readers)
        if (!free(reader)) visit(Cause::after_read, reader, i, r);
    });
    for_each_register(me.uses, [&](std::size_t r) {
      reaching[r].readers.push_back(static_cast<std::uint32_t>(i));
    });
    for_each_register(me.defs, [&](std::size_t r) {
      if (!me.guard) reaching[r] = {};
      reaching[r].defs.push_back(static_cast<std::uint32_t>(i));
      set_at[r] = i + 1;
    });
  }
}

int needed_cycles(const LatencyTable& table, const PairName& pair, int original) {
  const auto known = table.find(pair.relation, pair.producer, pair.consumer);
  if (known) return std::min(*known, original);
  return std::min(original,
                  pair.relation == Relation::after_read ? kSlowestSource : kSlowestResult);
}

std::vector<int> issue_times(const Function& function, std::size_t first, std::size_t count) {
  std::vector<int> times(count + 1, 0);
  for (std::size_t i = 0; i < count; ++i)
    times[i + 1] = times[i] + function.code[first + i].control().stall;
  return times;
}

bool may_conflict(const MemoryAccess& a, const MemoryAccess& b, bool same_base) {
  using Space = MemoryAccess::Space;
  if (a.ordered || b.ordered) return true;
  if (!a.writes && !b.writes) return false;
  if (a.space != b.space && a.space != Space::generic && b.space != Space::generic) return false;
  if (!same_base || a.bytes == 0 || b.bytes == 0) return true;
  const bool apart =
      a.at->offset + a.bytes <= b.at->offset || b.at->offset + b.bytes <= a.at->offset;
  return !apart;
}

BlockGraph graph_of(const Function& function, std::size_t block, const Pending& pending,
                    const Border& border, const LatencyTable& table) {
  return GraphBuilder(function, block, pending, border, table).build();
}

std::vector<BlockGraph> graphs_of(const Function& function, const LatencyTable& table) {
  const auto pending = pending_at_entry(function);
  const auto borders = borders_of(function, table);
  std::vector<BlockGraph> graphs;
  for (std::size_t b = 0; b < function.blocks.size(); ++b)
    graphs.push_back(graph_of(function, b, pending[b], borders[b], table));
  return graphs;
}

}  // namespace warpwright::sass
