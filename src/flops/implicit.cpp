// SPDX-License-Identifier: Apache-2.0
#include "flops/implicit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "flops/control_flow.h"
#include "flops/count.h"
#include "ptx/parser.h"

namespace warpwright::flop {

namespace {

constexpr double kTurns = 256;         // that a loop is taken to run
constexpr double kWorthTelling = 0.1;  // of a kernel's FLOPs

/// How many loops are around each block.
std::vector<int> depths(const ControlFlow& flow) {
  std::vector<int> depth(flow.blocks.size(), 0);
  for (const FlowLoop& loop : flow.loops) {
    for (std::size_t i = 0; i < depth.size(); ++i) depth[i] += loop.inside[i] ? 1 : 0;
  }
  return depth;
}

using ImplicitParts = std::map<std::pair<std::string, std::uint32_t>, ImplicitCost>;

/// One kernel's implicit costs; `share` is weighted FLOPs until all are known.
void add_kernel(const ptx::Function& function, const CostTable& costs,
                std::vector<ImplicitCost>& all) {
  const ControlFlow flow = control_flow(function);
  if (flow.too_large) return;
  const std::vector<int> depth = depths(flow);
  double total = 0;
  ImplicitParts parts;
  for (std::size_t b = 0; b < flow.blocks.size(); ++b) {
    double weight = 1;
    for (int i = 0; i < std::min(depth[b], 4); ++i) weight *= kTurns;
    for (const std::size_t statement : flow.blocks[b].statements) {
      const ptx::Statement& each = function.body[statement];
      const CostTable::Row* row = costs.row(each.ptx_line);
      if (row == nullptr) continue;
      const double amount = row->cost.flops.total();
      total += weight * amount;
      if (row->cost.implicit.empty() || !(amount > 0)) continue;
      ImplicitCost& part = parts[{std::string(row->cost.implicit), each.source.line}];
      part.what = row->cost.implicit;
      part.line = static_cast<int>(each.source.line);
      part.flops += row->cost.flops;
      part.in_loop = part.in_loop || depth[b] > 0;
      part.share += weight * amount;
    }
  }
  for (auto& [key, part] : parts) {
    part.share /= total;
    if (part.share >= kWorthTelling) all.push_back(std::move(part));
  }
}

}  // namespace

std::vector<ImplicitCost> implicit_costs(std::string_view ptx) {
  std::vector<ImplicitCost> all;
  const auto ast = ptx::parse_ptx(ptx);
  if (!ast.ok()) return all;
  const CostTable costs(ptx);
  for (const ptx::Function& function : ast->functions) {
    if (function.is_entry) add_kernel(function, costs, all);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const ImplicitCost& a, const ImplicitCost& b) { return a.share > b.share; });
  return all;
}

std::string sentence_of(const ImplicitCost& cost) {
  return fmt::format("{} costs {:.3g} FLOPs each time{} (about {:.0f} % of the kernel's)",
                     cost.what, cost.flops.total(), cost.in_loop ? ", in a loop" : "",
                     100 * cost.share);
}

}  // namespace warpwright::flop
