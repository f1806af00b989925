// SPDX-License-Identifier: Apache-2.0
#include "sass/retime.h"

#include <algorithm>
#include <numeric>

namespace warpwright::sass {

namespace {

/// Stalls that nobody's registers ask for: pipes, fences, what ptxas leaves behind each opcode.
int least_stall(const Function& function, const BlockGraph& graph, std::uint32_t first,
                std::uint32_t second) {
  const int own = function.code[graph.first + first].control().stall;
  const bool neighbours = second == first + 1;
  if (graph.fence[first]) return own;
  const std::size_t kinds = graph.issue_any.size();
  const int known = graph.issue_pair[graph.kind[first] * kinds + graph.kind[second]];
  if (neighbours) return known == BlockGraph::kUnknown ? own : std::min(own, known);
  if (known != BlockGraph::kUnknown) return std::max(1, known);
  const int any = graph.issue_any[graph.kind[first]];
  return std::max(graph.fence[second] ? 2 : 1, any == BlockGraph::kUnknown ? 2 : any);
}

}  // namespace

Order original_order(const BlockGraph& graph) {
  Order order(graph.count);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

bool keeps_order(const BlockGraph& graph, std::span<const std::uint32_t> order) {
  if (order.size() != graph.count) return false;
  std::vector<std::uint32_t> place(graph.count, static_cast<std::uint32_t>(graph.count));
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] >= graph.count || place[order[i]] != graph.count) return false;
    place[order[i]] = static_cast<std::uint32_t>(i);
  }
  std::vector<bool> in_region(graph.count, false);
  for (const auto& [begin, end] : graph.regions)
    for (std::size_t i = begin; i < end; ++i) {
      in_region[i] = true;
      if (place[i] < begin || place[i] >= end) return false;
    }
  for (std::size_t i = 0; i < graph.count; ++i)
    if (!in_region[i] && place[i] != i) return false;
  return std::all_of(graph.edges.begin(), graph.edges.end(),
                     [&](const Edge& edge) { return place[edge.from] < place[edge.to]; });
}

std::optional<std::vector<int>> stalls_of(const Function& function, const BlockGraph& graph,
                                          std::span<const std::uint32_t> order) {
  std::vector<int> time(graph.count, 0), stalls(graph.count, 0);
  int end = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t me = order[i];
    int earliest = graph.from_start[me];
    if (i > 0) {
      const std::uint32_t before = order[i - 1];
      earliest = std::max(earliest, time[before] + least_stall(function, graph, before, me));
    }
    for (const std::uint32_t e : graph.predecessors[me])
      earliest = std::max(earliest, time[graph.edges[e].from] + graph.edges[e].cycles);
    if (i == 0 && earliest > 0) return std::nullopt;  // nothing before it could wait
    time[me] = earliest;
    if (i > 0) stalls[i - 1] = earliest - time[order[i - 1]];
    end = std::max(end, earliest + graph.to_end[me]);
  }
  if (order.empty()) return stalls;
  const std::uint32_t last = order.back();
  const int own = function.code[graph.first + last].control().stall;
  // Behind a block comes anything: what ended it keeps its stall; another gets the longer of both.
  const int originally = function.code[graph.first + graph.count - 1].control().stall;
  stalls.back() = std::max({end - time[last], last + 1 == graph.count ? 0 : 1,
                            graph.fence[last] ? own : std::min(own, originally)});
  for (const int stall : stalls)
    if (stall > kLongestStall) return std::nullopt;
  return stalls;
}

namespace {

/// How many registers the operand of a slot has.
std::size_t operand_width(const Instruction& instruction, int slot) {
  const std::string_view base = instruction.base_opcode();
  if (base == "HMMA" && slot < 2) {
    const bool short_k = instruction.opcode.find(".1688") != std::string::npos;
    const bool long_k = instruction.opcode.find(".16816") != std::string::npos;
    if (short_k || long_k) return (short_k ? 1U : 2U) * (slot == 0 ? 2U : 1U);
  }
  if (base.ends_with("MMA")) return 4;
  if (base.starts_with('D')) return 2;
  const bool wide = instruction.opcode.find(".WIDE") != std::string::npos;
  return wide && slot == 2 ? 2 : 1;
}

}  // namespace

bool reuse_holds(std::span<const Instruction> code, std::size_t at, int slot) {
  const auto number =
      static_cast<std::size_t>(source_slots(code[at])[static_cast<std::size_t>(slot)]);
  // FADD and others name slots that their fields do not show: nothing is known of those.
  if (number >= kBankSize[0] || !code[at].uses.test(number)) return true;
  RegisterSet kept;
  for (std::size_t i = number; i < number + operand_width(code[at], slot) && i < kBankSize[0]; ++i)
    kept.set(i);
  bool written = (code[at].defs & kept).any();
  for (std::size_t i = at + 1; i < code.size(); ++i) {
    const auto read =
        static_cast<std::size_t>(source_slots(code[i])[static_cast<std::size_t>(slot)]);
    if (read < kBankSize[0] && code[i].uses.test(read)) return read != number || !written;
    written = written || (code[i].defs & kept).any();
  }
  return true;
}

namespace {

/// Whether the next who reads the slot reads the same register there.
bool reuse_serves(std::span<const Instruction> code, std::size_t at, int slot) {
  const int number = source_slots(code[at])[static_cast<std::size_t>(slot)];
  if (number >= 255 || !code[at].uses.test(static_cast<std::size_t>(number))) return false;
  for (std::size_t i = at + 1; i < code.size(); ++i) {
    const int read = source_slots(code[i])[static_cast<std::size_t>(slot)];
    if (read < 255 && code[i].uses.test(static_cast<std::size_t>(read))) return read == number;
  }
  return false;
}

}  // namespace

void clear_broken_reuse(std::span<Instruction> code) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!code[i].shows_reuse) continue;
    Control control = code[i].control();
    for (int slot = 0; slot < 3; ++slot) {
      const unsigned bit = 1U << slot;
      if ((control.reuse & bit) == 0) continue;
      if (!reuse_serves(code, i, slot) || !reuse_holds(code, i, slot)) control.reuse &= ~bit;
    }
    code[i].words = with_control(code[i].words, control, true);
  }
}

std::optional<std::vector<Instruction>> reordered(const Function& function, const BlockGraph& graph,
                                                  std::span<const std::uint32_t> order,
                                                  std::span<const std::uint8_t> yields) {
  if (!keeps_order(graph, order)) return std::nullopt;
  const auto stalls = stalls_of(function, graph, order);
  if (!stalls) return std::nullopt;
  std::vector<Instruction> code;
  code.reserve(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    code.push_back(function.code[graph.first + order[i]]);
    Control control = code.back().control();
    const bool wanted = yields.empty() ? control.yields : yields[order[i]] != 0;
    const bool unchanged = control.stall == (*stalls)[i] && wanted == control.yields;
    control.stall = (*stalls)[i];
    if (!unchanged) control.yields = yield_for(control.stall, wanted);
    code.back().words = with_control(code.back().words, control, code.back().shows_reuse);
  }
  clear_broken_reuse(code);
  return code;
}

}  // namespace warpwright::sass
