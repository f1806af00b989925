// SPDX-License-Identifier: Apache-2.0
#include "flops/static_count.h"

#include <algorithm>
#include <unordered_map>

#include "flops/control_flow.h"
#include "flops/count.h"
#include "flops/source_functions.h"
#include "flops/thread_values.h"
#include "ptx/call_graph.h"
#include "ptx/parser.h"

namespace warpwright::flop {

namespace {

/// One kernel being read.
class KernelReader {
 public:
  KernelReader(const ptx::Ast& ast, const ptx::Function& function, const CostTable& costs,
               const Places& places, StaticCount& count)
      : ast_(ast), function_(function), costs_(costs), places_(places), count_(count) {
    for (std::size_t i = 0; i < function.params.size(); ++i) {
      const bool named = i < count.parameters.size() && !count.parameters[i].empty();
      arguments_[function.params[i].name] =
          named ? count.parameters[i] : "argument" + std::to_string(i);
    }
  }

  void read() {
    const ControlFlow flow = control_flow(function_);
    if (flow.too_large) {
      count_.unknown.emplace_back("the kernel has too many branches");
      return;
    }
    const ThreadValues values(function_, flow, arguments_);
    std::vector<Formula> trips;
    for (const FlowLoop& loop : flow.loops) trips.push_back(trips_of(loop, flow, values));
    for (std::size_t i = 0; i < flow.blocks.size(); ++i) add_block(i, flow, values, trips);
    for (const StaticTerm& term : count_.terms) {
      count_.sp += Formula(term.flops.sp) * term.times;
      count_.dp += Formula(term.flops.dp) * term.times;
      count_.half += Formula(term.flops.half) * term.times;
      count_.tensor += Formula(term.flops.tensor) * term.times;
      count_.bytes += Formula(term.bytes) * term.times;
    }
  }

 private:
  [[nodiscard]] std::string place_of(const FlowBlock& block) const {
    for (const std::size_t each : block.statements) {
      const auto place = places_.find(function_.body[each].ptx_line);
      if (place != places_.end()) return place->second;
    }
    return "an unknown line";
  }

  void tell(const std::string& what) {
    if (std::find(count_.unknown.begin(), count_.unknown.end(), what) == count_.unknown.end())
      count_.unknown.push_back(what);
  }

  Formula trips_of(const FlowLoop& loop, const ControlFlow& flow, const ThreadValues& values) {
    if (const auto trips = values.trips(loop)) return *trips;
    const std::string place = place_of(flow.blocks[loop.header]);
    unknown_loops_.push_back(loop.header);
    return Formula::name("trips(" + place + ")");
  }

  /// Conditions of the branches that must have gone one way.
  std::vector<std::string> conditions(std::size_t block, const ControlFlow& flow,
                                      const ThreadValues& values) {
    std::vector<std::string> when;
    for (std::size_t above = 0; above < flow.blocks.size(); ++above) {
      const FlowBlock& branch = flow.blocks[above];
      if (above == block || !flow.dominators[block][above] || branch.guard.empty()) continue;
      if (branch.next.size() == 1) {
        // It leaves the kernel, or goes on here.
        add_condition(above, flow, !branch.guard_negated, values, when);
        continue;
      }
      for (std::size_t side = 0; side < branch.next.size(); ++side) {
        const std::size_t next = branch.next[side];
        const bool only_way = flow.blocks[next].before.size() == 1 && flow.dominators[block][next];
        if (!only_way || leaves_loop(above, next, flow) || stays_in_loop(above, side, flow))
          continue;
        add_condition(above, flow, side == 0 ? branch.guard_negated : !branch.guard_negated, values,
                      when);
      }
    }
    return when;
  }

  static bool leaves_loop(std::size_t from, std::size_t to, const ControlFlow& flow) {
    return std::any_of(flow.loops.begin(), flow.loops.end(),
                       [&](const FlowLoop& loop) { return loop.inside[from] && !loop.inside[to]; });
  }
  /// The other side of a loop's test: how often is in the number of trips.
  static bool stays_in_loop(std::size_t from, std::size_t side, const ControlFlow& flow) {
    const std::size_t other = flow.blocks[from].next[1 - side];
    return leaves_loop(from, other, flow);
  }

  void add_condition(std::size_t block, const ControlFlow& flow, bool negated,
                     const ThreadValues& values, std::vector<std::string>& when) {
    const FlowBlock& branch = flow.blocks[block];
    if (const auto text = values.condition(block, branch.guard, negated)) {
      when.push_back(*text);
    } else {
      when.push_back("the branch at " + place_of(branch) + " goes this way");
      depends_ = true;
    }
  }

  void add_block(std::size_t index, const ControlFlow& flow, const ThreadValues& values,
                 const std::vector<Formula>& trips) {
    const FlowBlock& block = flow.blocks[index];
    StaticTerm term;
    for (const std::size_t each : block.statements) add_statement(function_.body[each], term);
    if (term.flops == Flops{} && term.bytes == 0) return;
    depends_ = false;
    for (std::size_t i = 0; i < flow.loops.size(); ++i) {
      if (!flow.loops[i].inside[index]) continue;
      term.times = term.times * trips[i];
      if (!term.times.is_small()) term.times = Formula::name("trips(" + place_of(block) + ")");
      if (std::find(unknown_loops_.begin(), unknown_loops_.end(), flow.loops[i].header) !=
          unknown_loops_.end())
        tell("how often the loop at " + place_of(flow.blocks[flow.loops[i].header]) + " runs");
    }
    term.when = conditions(index, flow, values);
    if (depends_) tell("which threads reach " + place_of(block));
    if (block.ends_openly) tell("where the jump at " + place_of(block) + " goes");
    merge(std::move(term));
  }

  void add_statement(const ptx::Statement& statement, StaticTerm& term) {
    if (statement.ins.parts.front() == "call") {
      for (const ptx::Operand& each : statement.ins.operands) {
        if (!each.name.empty() && ptx::defined_function(ast_, each.name) >= 0)
          tell("the work of " + signature_of(std::string(each.name)) + ", which is called");
      }
    }
    const CostTable::Row* row = costs_.row(statement.ptx_line);
    if (row == nullptr) return;
    term.flops += row->cost.flops;
    term.bytes += row->bytes;
    const auto place = places_.find(statement.ptx_line);
    if (place == places_.end()) return;
    if (std::find(term.lines.begin(), term.lines.end(), place->second) == term.lines.end())
      term.lines.push_back(place->second);
  }

  void merge(StaticTerm term) {
    for (StaticTerm& each : count_.terms) {
      if (!(each.times == term.times) || each.when != term.when) continue;
      each.flops += term.flops;
      each.bytes += term.bytes;
      for (std::string& line : term.lines) {
        if (std::find(each.lines.begin(), each.lines.end(), line) == each.lines.end())
          each.lines.push_back(std::move(line));
      }
      return;
    }
    count_.terms.push_back(std::move(term));
  }

  const ptx::Ast& ast_;
  const ptx::Function& function_;
  const CostTable& costs_;
  const Places& places_;
  StaticCount& count_;
  std::unordered_map<std::string_view, std::string> arguments_;
  std::vector<std::size_t> unknown_loops_;
  bool depends_ = false;
};

std::vector<std::string> parameters_of(std::string_view kernel,
                                       const std::vector<SourceFile>& files) {
  std::vector<std::string> names;
  for (const SourceFile& file : files) {
    for (const SourceFunction& each : device_functions(file.text)) {
      if (each.is_kernel && each.name == kernel)
        names.assign(each.parameters.begin(), each.parameters.end());
    }
  }
  return names;
}

}  // namespace

std::vector<StaticCount> static_counts(std::string_view ptx, const std::vector<SourceFile>& files) {
  std::vector<StaticCount> counts;
  const auto ast = ptx::parse_ptx(ptx);
  if (!ast.ok()) return counts;
  const CostTable costs(ptx);
  const Places places = places_in(*ast);
  const std::vector<KernelTraits> traits = kernel_traits(*ast);
  for (const ptx::Function& function : ast->functions) {
    if (!function.is_entry || !function.has_body) continue;
    StaticCount count;
    count.signature = signature_of(std::string(function.name));
    count.kernel = plain_name(count.signature);
    count.parameters = parameters_of(count.kernel, files);
    for (const KernelTraits& each : traits) {
      if (each.kernel == function.name) count.attributes = attributes_of(count.kernel, files, each);
    }
    KernelReader(*ast, function, costs, places, count).read();
    counts.push_back(std::move(count));
  }
  return counts;
}

}  // namespace warpwright::flop
