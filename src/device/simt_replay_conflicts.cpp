// SPDX-License-Identifier: Apache-2.0
#include "device/simt_replay_conflicts.h"

#include <algorithm>

namespace warpwright::device {

namespace {

using Ranges = StepAccesses::Ranges;

std::optional<simt::Address> common_byte(const Ranges& a, const Ranges& b) {
  std::size_t i = 0, k = 0;
  while (i < a.size() && k < b.size()) {
    const simt::Address low = std::max(a[i].begin, b[k].begin);
    if (low < std::min(a[i].end, b[k].end)) return low;
    (a[i].end < b[k].end ? i : k) += 1;
  }
  return std::nullopt;
}

}  // namespace

/// Where one writes what the other one touches. Atomics do not conflict with atomics.
std::optional<StepConflict> conflict_of(const StepAccesses& a, const StepAccesses& b) {
  const auto conflict = [](const Ranges& x, const Ranges& y,
                           bool both) -> std::optional<StepConflict> {
    const auto at = common_byte(x, y);
    if (!at) return std::nullopt;
    return StepConflict{0, 0, *at, both};
  };
  if (auto found = conflict(a.writes, b.writes, true)) return found;
  if (auto found = conflict(a.writes, b.atomics, true)) return found;
  if (auto found = conflict(a.atomics, b.writes, true)) return found;
  if (auto found = conflict(a.writes, b.reads, false)) return found;
  if (auto found = conflict(a.reads, b.writes, false)) return found;
  if (auto found = conflict(a.atomics, b.reads, false)) return found;
  return conflict(a.reads, b.atomics, false);
}

std::optional<std::size_t> overlapped_launch(const LaunchPlan& plan, std::size_t step) {
  const auto* launch = std::get_if<KernelLaunch>(&plan.steps[step]);
  if (launch == nullptr || !launch->overlaps) return std::nullopt;
  const auto stream = [&](std::size_t i) { return plan.order.empty() ? 0 : plan.order[i].stream; };
  for (std::size_t before = step; before-- > 0;) {
    const PlanStep& other = plan.steps[before];
    // Allocations of the host are in no stream.
    if (std::holds_alternative<Allocate>(other) || stream(before) != stream(step)) continue;
    if (!std::holds_alternative<KernelLaunch>(other)) return std::nullopt;
    if (plan.order.empty()) return before;
    const auto& after = plan.order[step].after;
    const bool waits =
        std::any_of(after.begin(), after.end(), [&](std::uint32_t s) { return s >= before; });
    return waits ? std::nullopt : std::optional(before);
  }
  return std::nullopt;
}

bool has_overlaps(const LaunchPlan& plan) {
  for (std::size_t i = 0; i < plan.steps.size(); ++i)
    if (overlapped_launch(plan, i)) return true;
  return false;
}

std::optional<StepConflict> find_conflict(const PlanOrder& order,
                                          const std::vector<StepAccesses>& steps) {
  if (order.in_sequence()) return std::nullopt;
  for (std::size_t later = 1; later < steps.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      if (order.before(earlier, later)) continue;
      if (auto found = conflict_of(steps[earlier], steps[later])) {
        found->first = earlier;
        found->second = later;
        return found;
      }
    }
  }
  return std::nullopt;
}

}  // namespace warpwright::device
