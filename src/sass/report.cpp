// SPDX-License-Identifier: Apache-2.0
#include "sass/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sass/dependence.h"
#include "sass/retime.h"

namespace warpwright::sass {

namespace {

using Json = nlohmann::ordered_json;

std::string barrier(int number) { return number < kBarriers ? std::to_string(number) : "-"; }

std::string waits_text(unsigned mask) {
  std::string text;
  for (int b = 0; b < kBarriers; ++b)
    text += (mask >> b & 1) != 0 ? static_cast<char>('0' + b) : '-';
  return text;
}

/// Who sets the scoreboards that an instruction waits for, within its block.
std::vector<std::size_t> setters_of(const Function& function, const Block& block, std::size_t at) {
  std::vector<std::size_t> setters;
  unsigned waits = waits_of(function.code[at]);
  for (std::size_t i = at; i-- > block.first && waits != 0;) {
    const Control control = function.code[i].control();
    for (const int b : {control.write_barrier, control.read_barrier})
      if (b < kBarriers && (waits >> b & 1) != 0) setters.push_back(i);
    waits &= ~waits_of(function.code[i]);
  }
  return setters;
}

/// The dependence that keeps an instruction from issuing earlier: the tightest edge to it.
const Edge* tightest(const BlockGraph& graph, const std::vector<int>& times, std::uint32_t at) {
  const Edge* found = nullptr;
  for (const std::uint32_t e : graph.predecessors[at]) {
    const Edge& edge = graph.edges[e];
    if (edge.cycles > 0 && times[at] - times[edge.from] == edge.cycles) found = &edge;
  }
  return found;
}

std::string instruction_line(const Function& function, const Block& block, std::size_t at) {
  const Instruction& me = function.code[at];
  const Control control = me.control();
  std::string line = fmt::format(
      "{:05x} {:>5} {:>2}{} {} {} {}  {:>3} {:>2} {:>2}  {}", at * kWordBytes,
      me.line > 0 ? std::to_string(me.line) : "", control.stall, control.yields ? 'Y' : ' ',
      barrier(control.write_barrier), barrier(control.read_barrier), waits_text(control.wait_mask),
      me.live[0], me.live[1], me.live[2], me.text());
  for (const std::size_t setter : setters_of(function, block, at))
    line += fmt::format("  <- {:05x} {}", setter * kWordBytes, function.code[setter].opcode);
  return line + "\n";
}

std::string region_line(const Function& function, const BlockGraph& graph, std::size_t begin,
                        std::size_t end) {
  const auto times = issue_times(function, graph.first, graph.count);
  const auto stalls = stalls_of(function, graph, original_order(graph));
  int retimed = 0;
  for (std::size_t i = begin; stalls && i < end; ++i) retimed += (*stalls)[i];
  return fmt::format("      region of {} instructions, {} issue cycles, {} retimed\n", end - begin,
                     times[end] - times[begin], retimed);
}

}  // namespace

std::string show_text(const Program& program, const std::vector<const Function*>& functions,
                      const LatencyTable& table) {
  std::string text;
  for (const Function* function : functions) {
    text += fmt::format("{} (sm_{}, {} instructions)\n", function->name,
                        program.cubin().architecture(), function->code.size());
    text += "at     line st  w r waits   reg  P UR  instruction  <- what it waits for\n";
    const auto graphs = graphs_of(*function, table);
    for (std::size_t b = 0; b < function->blocks.size(); ++b) {
      const Block& block = function->blocks[b];
      for (const auto& [name, at] : function->labels)
        if (at == block.first) text += name + ":\n";
      for (std::size_t i = block.first; i < block.end; ++i) {
        for (const auto& [begin, end] : graphs[b].regions)
          if (graphs[b].first + begin == i) text += region_line(*function, graphs[b], begin, end);
        text += instruction_line(*function, block, i);
      }
    }
  }
  return text;
}

std::string show_json(const Program& program, const std::vector<const Function*>& functions,
                      const LatencyTable& table) {
  Json json;
  json["architecture"] = fmt::format("sm_{}", program.cubin().architecture());
  json["functions"] = Json::array();
  for (const Function* function : functions) {
    Json& row = json["functions"].emplace_back();
    row["name"] = function->name;
    row["instructions"] = Json::array();
    row["regions"] = Json::array();
    for (const BlockGraph& graph : graphs_of(*function, table)) {
      const auto times = issue_times(*function, graph.first, graph.count);
      for (const auto& [begin, end] : graph.regions)
        row["regions"].push_back({{"offset", (graph.first + begin) * kWordBytes},
                                  {"instructions", end - begin},
                                  {"issue_cycles", times[end] - times[begin]}});
      for (std::uint32_t i = 0; i < graph.count; ++i) {
        const Instruction& me = function->code[graph.first + i];
        const Control control = me.control();
        Json item = {
            {"offset", (graph.first + i) * kWordBytes},
            {"text", me.text()},
            {"line", me.line},
            {"stall", control.stall},
            {"yield", control.yields},
            {"write_barrier", control.write_barrier == kNoBarrier ? -1 : control.write_barrier},
            {"read_barrier", control.read_barrier == kNoBarrier ? -1 : control.read_barrier},
            {"wait_mask", control.wait_mask},
            {"reuse", me.shows_reuse ? control.reuse : 0},
            {"live", me.live},
            {"moves", !graph.fence[i]}};
        if (const Edge* edge = tightest(graph, times, i))
          item["waits_for"] = {{"offset", (graph.first + edge->from) * kWordBytes},
                               {"cycles", edge->cycles},
                               {"cause", name_of(edge->cause)}};
        row["instructions"].push_back(std::move(item));
      }
    }
  }
  return json.dump(2) + "\n";
}

std::string hazards_text(const std::vector<Hazard>& hazards, std::size_t instructions) {
  std::string text;
  for (const Hazard& hazard : hazards)
    text += fmt::format("{} {:#06x} {}: {}\n", hazard.function, hazard.offset, name_of(hazard.kind),
                        hazard.message);
  return text + fmt::format("{} instructions, {} hazards\n", instructions, hazards.size());
}

std::string hazards_json(const std::vector<Hazard>& hazards, std::size_t instructions) {
  Json json;
  json["instructions"] = instructions;
  json["hazards"] = Json::array();
  for (const Hazard& hazard : hazards)
    json["hazards"].push_back({{"kind", name_of(hazard.kind)},
                               {"function", hazard.function},
                               {"offset", hazard.offset},
                               {"message", hazard.message}});
  return json.dump(2) + "\n";
}

}  // namespace warpwright::sass
