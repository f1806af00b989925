// SPDX-License-Identifier: Apache-2.0
#include "hazards.h"

#include <algorithm>
#include <vector>

#include "sass/pending.h"
#include "sass/retime.h"

namespace warpwright::bench {

namespace {

using sass::BlockGraph;
using sass::Cause;
using sass::Control;
using sass::Edge;
using sass::Function;
using sass::Instruction;

using Random = std::mt19937_64;

template <class T>
std::optional<T> any_of(const std::vector<T>& places, Random& random) {
  if (places.empty()) return std::nullopt;
  return places[random() % places.size()];
}

void set_control(Instruction& instruction, const Control& control) {
  instruction.words = with_control(instruction.words, control, instruction.shows_reuse);
}

/// Whether an instruction and the next do the same: then their order says nothing.
bool alike(const Function& function, std::size_t at) {
  return function.code[at].text() == function.code[at + 1].text();
}

/// Two neighbours of a region of which the second reads what the first writes change places.
std::optional<Function> swap_dependent(const Function& function,
                                       const std::vector<BlockGraph>& graphs, Random& random) {
  std::vector<std::size_t> places;
  for (const BlockGraph& graph : graphs)
    for (const Edge& edge : graph.edges)
      if (edge.cause <= Cause::after_read && edge.to == edge.from + 1 && !graph.fence[edge.from] &&
          !graph.fence[edge.to] && !alike(function, graph.first + edge.from))
        places.push_back(graph.first + edge.from);
  const auto at = any_of(places, random);
  if (!at) return std::nullopt;
  Function changed = function;
  std::swap(changed.code[*at], changed.code[*at + 1]);
  return changed;
}

/// An access goes before one that it may meet.
std::optional<Function> pass_access(const Function& function, const std::vector<BlockGraph>& graphs,
                                    Random& random) {
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (const BlockGraph& graph : graphs)
    for (const Edge& edge : graph.edges)
      if (edge.cause == Cause::memory)
        places.emplace_back(graph.first + edge.from, graph.first + edge.to);
  const auto at = any_of(places, random);
  if (!at) return std::nullopt;
  Function changed = function;
  const auto from = changed.code.begin() + static_cast<std::ptrdiff_t>(at->first);
  const auto to = changed.code.begin() + static_cast<std::ptrdiff_t>(at->second);
  std::rotate(from, to, to + 1);
  return changed;
}

/// A wait that somebody needs is dropped, or the setter sets nothing.
std::optional<Function> drop_wait(const Function& function, Random& random) {
  struct Place {
    std::size_t at;
    unsigned mask;  ///< scoreboards that are not to be waited for; 0 = those that it sets
  };
  std::vector<Place> places;
  const auto entry = sass::pending_at_entry(function);
  for (std::size_t b = 0; b < function.blocks.size(); ++b) {
    sass::Pending state = entry[b];
    for (std::size_t i = function.blocks[b].first; i < function.blocks[b].end; ++i) {
      const Instruction& me = function.code[i];
      const unsigned waits = me.control().wait_mask;
      for (unsigned s = 0; s < 6; ++s) {
        if ((waits >> s & 1) == 0) continue;
        // Needed by the instruction itself, and not through another scoreboard as well.
        const auto results = state.results_of(1U << s) & (me.uses | me.defs);
        const auto sources = state.sources_of(1U << s) & me.defs;
        if (results.any() || sources.any()) places.push_back({i, 1U << s});
      }
      state.wait(sass::waits_of(me));
      state.issue(me);
    }
  }
  const auto place = any_of(places, random);
  if (!place) return std::nullopt;
  Function changed = function;
  Instruction& instruction = changed.code[place->at];
  Control control = instruction.control();
  control.wait_mask &= ~place->mask;
  set_control(instruction, control);
  return changed;
}

/// Neighbours that need at least four cycles get one.
std::optional<Function> shorten(const Function& function, const std::vector<BlockGraph>& graphs,
                                Random& random) {
  std::vector<std::size_t> places;
  for (const BlockGraph& graph : graphs)
    for (const Edge& edge : graph.edges)
      if (edge.cause == Cause::read && edge.to == edge.from + 1 && edge.cycles >= 4)
        places.push_back(graph.first + edge.from);
  const auto at = any_of(places, random);
  if (!at) return std::nullopt;
  Function changed = function;
  Control control = changed.code[*at].control();
  control.stall = 1 + static_cast<int>(random() % 2);
  control.yields = sass::yield_for(control.stall, control.yields);
  set_control(changed.code[*at], control);
  return changed;
}

/// An operand is kept although its register is written before it is read there again.
std::optional<Function> keep_stale(const Function& function, Random& random) {
  std::vector<std::pair<std::size_t, int>> places;
  for (const sass::Block& block : function.blocks) {
    const std::span<const Instruction> code(function.code.data() + block.first,
                                            block.end - block.first);
    for (std::size_t i = 0; i < code.size(); ++i) {
      const std::string_view base = code[i].base_opcode();
      if (base != "FFMA" && base != "IMAD" && base != "FADD" && base != "FMUL" && base != "IADD3" &&
          base != "DFMA")
        continue;
      for (int slot = 0; slot < 3; ++slot) {
        const int read = sass::source_slots(code[i])[static_cast<std::size_t>(slot)];
        if (read < 255 && code[i].uses.test(static_cast<std::size_t>(read)) &&
            !sass::reuse_holds(code, i, slot))
          places.emplace_back(block.first + i, slot);
      }
    }
  }
  const auto at = any_of(places, random);
  if (!at) return std::nullopt;
  Function changed = function;
  Instruction& instruction = changed.code[at->first];
  Control control = instruction.control();
  if (!instruction.shows_reuse) control.reuse = 0;
  control.reuse |= 1U << at->second;
  instruction.shows_reuse = true;
  set_control(instruction, control);
  return changed;
}

/// What a table names changes places with a neighbour.
std::optional<Function> move_pinned(const Function& function, Random& random) {
  std::vector<std::size_t> places;
  for (const std::uint64_t offset : function.pinned) {
    const std::size_t at = offset / sass::kWordBytes;
    if (at > 0 && at < function.code.size() &&
        function.code[at - 1].base_opcode() != function.code[at].base_opcode())
      places.push_back(at);
  }
  const auto at = any_of(places, random);
  if (!at) return std::nullopt;
  Function changed = function;
  std::swap(changed.code[*at - 1], changed.code[*at]);
  return changed;
}

}  // namespace

std::string_view name_of(Planted kind) {
  static constexpr std::string_view kNames[] = {"register", "memory", "scoreboard",
                                                "latency",  "reuse",  "side_table"};
  return kNames[static_cast<int>(kind)];
}

std::optional<Function> plant(Planted kind, const Function& function,
                              const std::vector<BlockGraph>& graphs, Random& random) {
  switch (kind) {
    case Planted::registers:
      return swap_dependent(function, graphs, random);
    case Planted::memory:
      return pass_access(function, graphs, random);
    case Planted::scoreboard:
      return drop_wait(function, random);
    case Planted::latency:
      return shorten(function, graphs, random);
    case Planted::reuse:
      return keep_stale(function, random);
    case Planted::side_table:
      return move_pinned(function, random);
  }
  return std::nullopt;
}

}  // namespace warpwright::bench
