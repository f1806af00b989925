// SPDX-License-Identifier: Apache-2.0
#include "sass/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "sass/replay.h"
#include "sass/retime.h"
#include "sass/scoreboards.h"

namespace warpwright::sass {

namespace {

Hazard hazard_at(HazardKind kind, const Function& function, std::size_t at, std::string message) {
  return {kind, function.name, at * kWordBytes, std::move(message)};
}

/// Results and sources that are used before the wait that guards them.
void check_scoreboards(const Function& function, std::vector<Hazard>& hazards) {
  const auto entry = pending_at_entry(function);
  for (std::size_t b = 0; b < function.blocks.size(); ++b) {
    Pending state = entry[b];
    std::array<int, kBarriers> since;
    since.fill(1000);
    for (std::size_t i = function.blocks[b].first; i < function.blocks[b].end; ++i) {
      const Instruction& me = function.code[i];
      const unsigned waits = waits_of(me);
      for (std::size_t s = 0; s < kBarriers; ++s)
        if ((waits >> s & 1) != 0 && since[s] < 2)
          hazards.push_back(
              hazard_at(HazardKind::scoreboard, function, i,
                        fmt::format("{}: waits for scoreboard {} in the cycle behind its setter",
                                    me.text(), s)));
      state.wait(waits);
      // The registers of a call are those of what is called, which waits for itself.
      const bool calls = me.base_opcode() == "CALL";
      const RegisterSet unwritten = calls ? RegisterSet() : state.unwritten(me);
      const RegisterSet unread = calls ? RegisterSet() : state.unread(me);
      if (unwritten.any())
        hazards.push_back(
            hazard_at(HazardKind::scoreboard, function, i,
                      fmt::format("{}: {} may not be written yet; no wait for its scoreboard",
                                  me.text(), names_of(unwritten))));
      if (unread.any())
        hazards.push_back(
            hazard_at(HazardKind::scoreboard, function, i,
                      fmt::format("{}: writes {} before it was read; no wait for its scoreboard",
                                  me.text(), names_of(unread))));
      state.issue(me);
      const Control control = me.control();
      for (int& cycles : since) cycles += control.stall;
      for (const int barrier : {control.write_barrier, control.read_barrier})
        if (barrier < kBarriers) since[static_cast<std::size_t>(barrier)] = control.stall;
    }
  }
}

void check_latencies(const Function& function, const LatencyTable& table,
                     std::vector<Hazard>& hazards) {
  for (const Block& block : function.blocks) {
    const auto times = issue_times(function, block.first, block.end - block.first);
    std::vector<bool> told(times.size(), false);
    for_each_pair(
        function, block, [&](Cause cause, std::size_t from, std::size_t to, std::size_t r) {
          const Instruction& one = function.code[block.first + from];
          const Instruction& two = function.code[block.first + to];
          const Control control = one.control();
          // What is overwritten goes through pipes in an order that ptxas knows better than a
          // table of pairs.
          if (cause != Cause::read || control.write_barrier != kNoBarrier || told[to] ||
              returns_in_order(one))
            return;
          const PairName pair = read_name(one, two, r);
          const int wanted = table.kept(pair.relation, pair.producer, pair.consumer).value_or(0);
          const int got = times[to] - times[from];
          if (got >= wanted) return;
          told[to] = true;
          hazards.push_back(
              hazard_at(HazardKind::latency, function, block.first + to,
                        fmt::format("{}: {} cycles after {} at {:#06x} ({} {}); ptxas leaves {}",
                                    two.text(), got, one.opcode, (block.first + from) * kWordBytes,
                                    name_of(cause), register_name(r), wanted)));
        });
  }
}

void check_reuse(const Function& function, std::vector<Hazard>& hazards) {
  for (const Block& block : function.blocks) {
    const std::span<const Instruction> code(function.code.data() + block.first,
                                            block.end - block.first);
    for (std::size_t i = 0; i < code.size(); ++i) {
      if (!code[i].shows_reuse) continue;
      for (int slot = 0; slot < 3; ++slot)
        if ((code[i].control().reuse >> slot & 1) != 0 && !reuse_holds(code, i, slot))
          hazards.push_back(hazard_at(
              HazardKind::reuse, function, block.first + i,
              fmt::format("{}: keeps R{}, which is written before it is read "
                          "from there again",
                          code[i].text(), source_slots(code[i])[static_cast<std::size_t>(slot)])));
    }
  }
}

void check_form(const Function& function, std::vector<Hazard>& hazards) {
  for (std::size_t i = 0; i < function.code.size(); ++i) {
    const Control control = function.code[i].control();
    if (!yield_is_allowed(control) && function.code[i].base_opcode() != "NOP")
      hazards.push_back(
          hazard_at(HazardKind::form, function, i,
                    fmt::format("{}: a stall of {} {} a yield", function.code[i].text(),
                                control.stall, control.yields ? "with" : "without")));
  }
}

/// What an attribute's offsets point at: one of these opcodes.
bool fits(int attribute, std::string_view base) {
  const auto one_of = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), base) != names.end();
  };
  switch (attribute) {
    case 0x1c:
      return one_of({"EXIT"});
    case 0x1d:
      return one_of({"S2R", "S2UR"});
    case 0x28:
      return one_of({"SHFL", "VOTE", "VOTEU", "MATCH", "REDUX", "WARPSYNC", "ELECT", "BAR",
                     "CREDUX", "MOV", "IMAD", "NOP", "BRA", "BSYNC", "UMOV", "HFMA2", "CALL"});
    default:
      return true;
  }
}

}  // namespace

std::string_view name_of(HazardKind kind) {
  static constexpr std::string_view kNames[] = {"register", "memory",     "scoreboard", "latency",
                                                "reuse",    "side_table", "form"};
  return kNames[static_cast<int>(kind)];
}

std::vector<Hazard> check(const Function& function, const LatencyTable& table) {
  std::vector<Hazard> hazards;
  check_scoreboards(function, hazards);
  check_latencies(function, table, hazards);
  check_reuse(function, hazards);
  check_form(function, hazards);
  return hazards;
}

std::vector<Hazard> check_tables(const Program& program) {
  std::vector<Hazard> hazards;
  for (std::size_t f = 0; f < program.functions().size(); ++f) {
    const Function& function = program.functions()[f];
    for (const SideTable& side : program.cubin().sections()[f].tables)
      for (const std::uint64_t offset : side.offsets) {
        const std::size_t at = offset / kWordBytes;
        if (at < function.code.size() && fits(side.attribute, function.code[at].base_opcode()))
          continue;
        hazards.push_back({HazardKind::side_table, function.name, offset,
                           attribute_name(side.attribute) + " names an offset that holds " +
                               (at < function.code.size() ? function.code[at].text() : "nothing")});
      }
  }
  return hazards;
}

std::vector<Hazard> check(const Program& program, const LatencyTable& table) {
  std::vector<Hazard> hazards = check_tables(program);
  for (const Function& function : program.functions()) {
    auto found = check(function, table);
    hazards.insert(hazards.end(), std::make_move_iterator(found.begin()),
                   std::make_move_iterator(found.end()));
  }
  return hazards;
}

namespace {

/// The instruction without the bits that a schedule may change.
Words identity_of(const Words& words, bool has_reuse) {
  Control control = control_of(words);
  control.stall = 0;
  control.yields = true;
  control.reuse = 0;
  return with_control(words, control, has_reuse);
}

/// A changed block held against the one it was made of.
class BlockCheck {
 public:
  BlockCheck(const Function& original, std::span<const Words> changed, const BlockGraph& graph,
             std::vector<Hazard>& hazards)
      : original_(original), changed_(changed), graph_(graph), hazards_(hazards) {}

  /// The block's instructions in their new order; nothing where they are not the same ones.
  std::vector<Instruction> run() {
    if (!find_order()) return {};
    find_code();
    check_edges();
    check_borders();
    check_bits();
    return std::move(code_);
  }

 private:
  [[nodiscard]] const Instruction& at(std::size_t i) const {
    return original_.code[graph_.first + i];
  }
  void tell(HazardKind kind, std::size_t place, std::string message) {
    hazards_.push_back(hazard_at(kind, original_, graph_.first + place, std::move(message)));
  }

  /// Which instruction stands at each place. Equal ones keep their order.
  bool find_order() {
    place_.assign(graph_.count, 0);
    order_.assign(graph_.count, 0);
    std::vector<bool> taken(graph_.count, false);
    bool all = true;
    for (std::size_t i = 0; i < graph_.count; ++i) {
      const auto [begin, end] = reach_of(i);
      std::optional<std::size_t> found;
      for (std::size_t j = begin; j < end && !found; ++j) {
        if (taken[j] || (graph_.fence[j] && j != i)) continue;
        const Words mine = identity_of(changed_[i], at(j).shows_reuse);
        if (mine == identity_of(at(j).words, at(j).shows_reuse)) found = j;
      }
      if (!found) {
        all = false;
        tell_missing(i);
        continue;
      }
      taken[*found] = true;
      order_[i] = static_cast<std::uint32_t>(*found);
      place_[*found] = i;
    }
    return all;
  }

  [[nodiscard]] std::pair<std::size_t, std::size_t> reach_of(std::size_t i) const {
    for (const auto& [begin, end] : graph_.regions)
      if (i >= begin && i < end) return {begin, end};
    return {i, i + 1};
  }

  void tell_missing(std::size_t i) {
    // Scoreboards are bits of the instruction: another barrier or wait makes it another one.
    Words stripped = changed_[i];
    Control control = control_of(stripped);
    Control own = at(i).control();
    if (with_control(stripped, own, at(i).shows_reuse) == at(i).words &&
        (control.wait_mask != own.wait_mask || control.write_barrier != own.write_barrier ||
         control.read_barrier != own.read_barrier)) {
      return tell(HazardKind::scoreboard, i, at(i).text() + ": its scoreboards were changed");
    }
    if (original_.pinned.contains((graph_.first + i) * kWordBytes))
      return tell(HazardKind::side_table, i,
                  at(i).text() + ": moved from where a table says it is");
    for (std::size_t j = 0; j < graph_.count; ++j)
      if (original_.pinned.contains((graph_.first + j) * kWordBytes) &&
          identity_of(changed_[i], at(j).shows_reuse) ==
              identity_of(at(j).words, at(j).shows_reuse))
        return tell(HazardKind::side_table, i,
                    at(j).text() + ": moved from where a table says it is");
    tell(graph_.fence[i] ? HazardKind::memory : HazardKind::form, i,
         graph_.fence[i] ? at(i).text() + ": something has passed it"
                         : "no instruction of this region stands here");
  }

  void find_code() {
    time_.assign(graph_.count + 1, 0);
    for (std::size_t i = 0; i < graph_.count; ++i) {
      code_.push_back(at(order_[i]));
      code_.back().words = changed_[i];
      time_[i + 1] = time_[i] + control_of(changed_[i]).stall;
    }
  }

  static HazardKind kind_of(Cause cause) {
    if (cause == Cause::memory) return HazardKind::memory;
    if (cause == Cause::scoreboard || cause == Cause::coverage) return HazardKind::scoreboard;
    if (cause == Cause::fence) return HazardKind::latency;
    return HazardKind::registers;
  }

  void check_edges() {
    for (const Edge& edge : graph_.edges) {
      const std::size_t from = place_[edge.from], to = place_[edge.to];
      if (from >= to) {
        tell(kind_of(edge.cause), to,
             fmt::format("{}: must stay behind {} ({})", at(edge.to).text(), at(edge.from).text(),
                         name_of(edge.cause)));
      } else if (time_[to] - time_[from] < edge.cycles) {
        tell(HazardKind::latency, to,
             fmt::format("{}: {} cycles after {}; {} are needed ({})", at(edge.to).text(),
                         time_[to] - time_[from], at(edge.from).text(), edge.cycles,
                         name_of(edge.cause)));
      }
    }
  }

  void check_borders() {
    for (std::size_t i = 0; i < graph_.count; ++i) {
      const std::uint32_t me = order_[i];
      if (time_[i] < graph_.from_start[me])
        tell(HazardKind::latency, i,
             fmt::format("{}: {} cycles from the block's begin; {} are needed", at(me).text(),
                         time_[i], graph_.from_start[me]));
      if (time_[graph_.count] - time_[i] < graph_.to_end[me])
        tell(HazardKind::latency, i,
             fmt::format("{}: {} cycles to the block's end; {} are needed", at(me).text(),
                         time_[graph_.count] - time_[i], graph_.to_end[me]));
      if (graph_.fence[me] && control_of(changed_[i]).stall < at(me).control().stall)
        tell(HazardKind::latency, i, at(me).text() + ": a fence with a shorter stall");
    }
  }

  void check_bits() {
    for (std::size_t i = 0; i < graph_.count; ++i) {
      const Control control = code_[i].control(), own = at(order_[i]).control();
      if (!yield_is_allowed(control) && control != own)
        tell(HazardKind::form, i, code_[i].text() + ": a yield that does not go with its stall");
      if (!code_[i].shows_reuse) continue;
      for (int slot = 0; slot < 3; ++slot) {
        if ((control.reuse >> slot & 1) == 0) continue;
        const bool added = (own.reuse >> slot & 1) == 0;
        if (added || !reuse_holds(code_, i, slot))
          tell(HazardKind::reuse, i, code_[i].text() + ": keeps an operand that does not hold");
      }
    }
  }

  const Function& original_;
  std::span<const Words> changed_;
  const BlockGraph& graph_;
  std::vector<Hazard>& hazards_;
  std::vector<std::uint32_t> order_;
  std::vector<std::size_t> place_;
  std::vector<Instruction> code_;
  std::vector<int> time_;
};

}  // namespace

std::vector<Hazard> check_against(const Function& original, std::span<const Words> changed,
                                  const LatencyTable& table) {
  return check_against(original, graphs_of(original, table), early_uses(original), changed);
}

std::vector<Hazard> check_against(const Function& original, const std::vector<BlockGraph>& graphs,
                                  const EarlyUses& early, std::span<const Words> changed) {
  std::vector<Hazard> hazards;
  if (changed.size() != original.code.size()) {
    hazards.push_back({HazardKind::form, original.name, 0, "the function has another length"});
    return hazards;
  }
  Function reordered = original;
  bool whole = true;
  for (const BlockGraph& graph : graphs) {
    // A block to the bit as it was has no new hazard.
    bool same = true;
    for (std::size_t i = graph.first; same && i < graph.first + graph.count; ++i)
      same = changed[i] == original.code[i].words;
    if (same) continue;
    auto code =
        BlockCheck(original, changed.subspan(graph.first, graph.count), graph, hazards).run();
    whole = whole && code.size() == graph.count;
    std::move(code.begin(), code.end(),
              reordered.code.begin() + static_cast<std::ptrdiff_t>(graph.first));
  }
  if (!whole) return hazards;
  auto replayed = replay_against(original, early, reordered);
  std::move(replayed.begin(), replayed.end(), std::back_inserter(hazards));
  return hazards;
}

namespace {

/// Whether it is another order of the function with finer scoreboards, which itself holds against
/// it.
bool is_order_of_finer(const Function& original, std::span<const Words> changed,
                       const LatencyTable& table) {
  const Function finer = with_finer_scoreboards(original);
  return check_scoreboards_against(original, finer).empty() &&
         check_against(finer, changed, table).empty();
}

}  // namespace

std::vector<Hazard> check_against(const Program& original, const Cubin& changed,
                                  const LatencyTable& table) {
  std::vector<Hazard> hazards;
  // Everything but code is the same to the byte.
  Cubin expected = original.cubin();
  const bool alike = changed.sections().size() == expected.sections().size() &&
                     changed.bytes().size() == expected.bytes().size();
  if (!alike) return {{HazardKind::form, "", 0, "the files differ in more than their code"}};
  for (std::size_t f = 0; f < original.functions().size(); ++f) {
    const CodeSection& section = changed.sections()[f];
    const CodeSection& own = expected.sections()[f];
    if (section.name != own.name || section.bytes != own.bytes ||
        section.file_offset != own.file_offset)
      return {{HazardKind::form, section.name, 0, "the files differ in more than their code"}};
    std::vector<Words> words;
    for (std::size_t i = 0; i < section.instructions(); ++i) {
      words.push_back(changed.words(section, i));
      expected.set_words(own, i, words.back());
    }
    auto found = check_against(original.functions()[f], words, table);
    if (!found.empty() && is_order_of_finer(original.functions()[f], words, table)) found.clear();
    hazards.insert(hazards.end(), std::make_move_iterator(found.begin()),
                   std::make_move_iterator(found.end()));
  }
  if (expected.bytes() != changed.bytes())
    hazards.push_back({HazardKind::form, "", 0, "the files differ in more than their code"});
  return hazards;
}

}  // namespace warpwright::sass
