// SPDX-License-Identifier: Apache-2.0
// What compiling a kernel would gain, from how often its parts ran. Nanoseconds a warp instruction,
// as bench/simt_bench and bench/simt_tasks show them; only their relations matter.
#include <algorithm>
#include <span>

#include "simt/native/native.h"
#include "simt/native/shapes.h"

namespace warpwright::simt {
namespace {

struct Cost {
  double interpreted = 0, compiled = 0;
};

constexpr Cost kScalar{8, 0.7}, kVector{8, 3}, kGlobalRow{20, 7}, kSharedRow{18, 2.5},
    kCall{40, 46}, kExchange{15, 4}, kBarrier{35, 30}, kLeaving{150, 155}, kBranch{10, 1.5},
    kStart{35, 30};

/// Lanes here and there: the more sectors, the longer it takes in both.
Cost scattered(const AccessForm& a, const AccessStats& s) {
  const bool counted = a.space != Space::shared && s.requests != 0;
  const double sectors =
      counted ? static_cast<double>(s.sectors) / static_cast<double>(s.requests) : 4;
  return {70 + 4 * sectors, 75 + 4 * sectors};
}

Cost cost_of(const KernelShapes& shapes, const SlotState& state, const Ins& i,
             std::span<const AccessStats> stats) {
  const NativeStep& n = shapes.steps()[i.id];
  switch (n.step) {
    case Step::operation:
      return shapes.result_of(state, i.id).shape == Shape::vector ? kVector : kScalar;
    case Step::access: {
      const ValueFacts f = shapes.facts_of(state, i.a);
      const bool one = f.shape == Shape::uniform && n.access->is_load;
      const std::int64_t bytes = std::int64_t{n.access->bytes} * n.access->elements;
      const AccessStats& s = stats[i.target];
      const bool near = f.stride_known ? f.stride == bytes
                                       : s.sectors <= s.requests * (static_cast<u64>(bytes) + 1);
      const bool row = f.shape == Shape::affine && (near || n.access->space == Space::shared);
      if (n.access->space == Space::local || !(one || row)) return scattered(*n.access, s);
      return n.access->space == Space::shared ? kSharedRow : kGlobalRow;
    }
    case Step::nothing:
      return {};
    case Step::call:
      return kCall;
    case Step::exchange:
      return kExchange;
    case Step::suspend:
      return kBarrier;
    case Step::leaving:
      return kLeaving;
    default:
      return kBranch;
  }
}

}  // namespace

double expected_gain(const Kernel& kernel, const NativeVariant& variant, const KernelRuns& runs) {
  KernelShapes shapes(kernel, {variant.whole_rows, variant.checks == Checks::full});
  if (!shapes.run() || runs.counts.size() != kernel.blocks.size()) return 0;
  Cost all;
  for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b) {
    const BlockCount& count = runs.counts[b];
    if (!shapes.is_reached(b) || count.warps == 0) continue;
    const auto warps = static_cast<double>(count.warps);
    const double share = static_cast<double>(count.lanes) / (kLanes * warps);
    // Parts of warps are interpreted. Of blocks with some of them, as many as lanes are missing.
    const double whole = std::max(0.0, 1 - 2 * (1 - share));
    SlotState state = shapes.entry_state(b);
    Cost once = b == 0 ? kStart : Cost{};
    for (std::uint32_t id = kernel.blocks[b].first; id < shapes.end_of(b); ++id) {
      const Cost c = cost_of(shapes, state, kernel.code[id], runs.stats);
      once.interpreted += c.interpreted;
      once.compiled += c.compiled;
      shapes.advance(state, id);
    }
    all.interpreted += warps * once.interpreted;
    all.compiled += warps * (whole * once.compiled + (1 - whole) * once.interpreted);
  }
  return all.compiled > 0 ? all.interpreted / all.compiled : 0;
}

}  // namespace warpwright::simt
