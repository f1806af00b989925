// SPDX-License-Identifier: Apache-2.0
#include "flops/control_flow.h"

#include <algorithm>
#include <unordered_map>

namespace warpwright::flop {

namespace {

using Kind = ptx::Statement::Kind;

constexpr std::size_t kMostFlowBlocks = 3000;

bool leaves(std::string_view base) { return base == "ret" || base == "exit" || base == "trap"; }

/// Blocks of a function, in the order of its text.
class FlowBuilder {
 public:
  explicit FlowBuilder(const ptx::Function& function) : function_(function) {}

  ControlFlow build() {
    cut();
    if (flow_.blocks.size() > kMostFlowBlocks) {
      flow_.too_large = true;
      return std::move(flow_);
    }
    connect();
    dominate();
    reach_all();
    find_loops();
    return std::move(flow_);
  }

 private:
  void cut() {
    bool fresh = true;
    for (std::size_t i = 0; i < function_.body.size(); ++i) {
      const ptx::Statement& each = function_.body[i];
      if (each.kind == Kind::label) {
        flow_.blocks.emplace_back();
        labels_[each.label] = flow_.blocks.size() - 1;
        fresh = false;
      }
      if (each.kind != Kind::instruction) continue;
      if (fresh) flow_.blocks.emplace_back();
      flow_.blocks.back().statements.push_back(i);
      const std::string_view base = each.ins.parts.front();
      fresh = base == "bra" || base == "brx" || leaves(base);
    }
  }

  void add_edge(std::size_t from, std::size_t to) {
    if (to >= flow_.blocks.size()) return;
    flow_.blocks[from].next.push_back(to);
    flow_.blocks[to].before.push_back(from);
  }

  void connect() {
    for (std::size_t i = 0; i < flow_.blocks.size(); ++i) {
      FlowBlock& block = flow_.blocks[i];
      if (block.statements.empty()) {
        add_edge(i, i + 1);
        continue;
      }
      const ptx::Instruction& last = function_.body[block.statements.back()].ins;
      const std::string_view base = last.parts.front();
      if (base == "brx") block.ends_openly = true;
      if (base == "bra" && !last.operands.empty()) {
        const auto target = labels_.find(last.operands.front().name);
        if (target != labels_.end()) add_edge(i, target->second);
      }
      const bool jumps = base == "bra" || leaves(base) || base == "brx";
      if (jumps && !last.guard.empty()) {
        block.guard = last.guard;
        block.guard_negated = last.guard_negated;
      }
      if (!jumps || !last.guard.empty()) add_edge(i, i + 1);
    }
  }

  void dominate() {
    const std::size_t n = flow_.blocks.size();
    flow_.dominators.assign(n, std::vector<bool>(n, true));
    if (n == 0) return;
    flow_.dominators[0].assign(n, false);
    flow_.dominators[0][0] = true;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 1; i < n; ++i) {
        std::vector<bool> meet(n, true);
        for (const std::size_t before : flow_.blocks[i].before) {
          for (std::size_t k = 0; k < n; ++k) meet[k] = meet[k] && flow_.dominators[before][k];
        }
        meet[i] = true;
        if (meet == flow_.dominators[i]) continue;
        flow_.dominators[i] = std::move(meet);
        changed = true;
      }
    }
  }

  void reach_all() {
    const std::size_t n = flow_.blocks.size();
    flow_.reached.assign(n, std::vector<bool>(n, false));
    for (std::size_t from = 0; from < n; ++from) {
      std::vector<std::size_t> open = flow_.blocks[from].next;
      while (!open.empty()) {
        const std::size_t block = open.back();
        open.pop_back();
        if (flow_.reached[block][from]) continue;
        flow_.reached[block][from] = true;
        open.insert(open.end(), flow_.blocks[block].next.begin(), flow_.blocks[block].next.end());
      }
    }
  }

  void find_loops() {
    for (std::size_t from = 0; from < flow_.blocks.size(); ++from) {
      for (const std::size_t header : flow_.blocks[from].next) {
        if (flow_.dominators[from][header]) add_loop(from, header);
      }
    }
  }

  void add_loop(std::size_t from, std::size_t header) {
    auto loop = std::find_if(flow_.loops.begin(), flow_.loops.end(),
                             [&](const FlowLoop& each) { return each.header == header; });
    if (loop == flow_.loops.end()) {
      flow_.loops.push_back({header, std::vector<bool>(flow_.blocks.size(), false)});
      loop = flow_.loops.end() - 1;
      loop->inside[header] = true;
    }
    std::vector<std::size_t> open = {from};
    while (!open.empty()) {
      const std::size_t block = open.back();
      open.pop_back();
      if (loop->inside[block]) continue;
      loop->inside[block] = true;
      for (const std::size_t before : flow_.blocks[block].before) open.push_back(before);
    }
  }

  const ptx::Function& function_;
  ControlFlow flow_;
  std::unordered_map<std::string_view, std::size_t> labels_;
};

}  // namespace

ControlFlow control_flow(const ptx::Function& function) { return FlowBuilder(function).build(); }

}  // namespace warpwright::flop
