// SPDX-License-Identifier: Apache-2.0
#include "core/launch_plan_order.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <utility>

#include "base/assert.h"

namespace warpwright {

namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// Memory that the host asks for is there at once: such a step waits for nothing that came before.
bool is_host_allocation(const LaunchPlan& plan, std::size_t step) {
  return plan.order[step].stream == 0 && std::holds_alternative<Allocate>(plan.steps[step]);
}

/// Whether each step waits for the one before it: by its stream, or by name.
bool is_sequence(const LaunchPlan& plan) {
  std::size_t previous = plan.order.size();
  for (std::size_t i = 0; i < plan.order.size(); ++i) {
    if (is_host_allocation(plan, i)) continue;
    const std::size_t before = std::exchange(previous, i);
    if (before == plan.order.size()) continue;
    const StepOrder& order = plan.order[i];
    if (order.stream == plan.order[before].stream) continue;
    if (!std::binary_search(order.after.begin(), order.after.end(), before)) return false;
  }
  return true;
}

/// The step of the same stream before each step, or kNone.
std::vector<std::uint32_t> neighbours(const LaunchPlan& plan) {
  std::vector<std::uint32_t> last(kMaxPlanStreams, kNone);
  std::vector<std::uint32_t> before;
  before.reserve(plan.order.size());
  for (std::size_t i = 0; i < plan.order.size(); ++i) {
    std::uint32_t& of_stream = last.at(plan.order[i].stream);
    before.push_back(of_stream);
    of_stream = static_cast<std::uint32_t>(i);
  }
  return before;
}

}  // namespace

PlanOrder::PlanOrder(const LaunchPlan& plan) : plan_(plan) {
  if (is_sequence(plan)) return;
  for (const StepOrder& order : plan.order) {
    streams_ = std::max<std::size_t>(streams_, order.stream + std::size_t{1});
  }
  ASSERT(streams_ <= kMaxPlanStreams, "a checked plan has few streams");
  clocks_.assign(plan.order.size() * streams_, 0);
  const auto before = neighbours(plan);
  for (std::size_t i = 0; i < plan.order.size(); ++i) {
    std::uint32_t* clock = clocks_.data() + i * streams_;
    const auto take = [&](std::uint32_t earlier) {
      const std::uint32_t* known = clocks_.data() + earlier * streams_;
      for (std::size_t s = 0; s < streams_; ++s) clock[s] = std::max(clock[s], known[s]);
      std::uint32_t& own = clock[plan.order[earlier].stream];
      own = std::max(own, earlier + 1);
    };
    if (before[i] != kNone) take(before[i]);
    for (const std::uint32_t earlier : plan.order[i].after) take(earlier);
  }
}

bool PlanOrder::before(std::size_t earlier, std::size_t later) const {
  ASSERT(earlier < later && later < plan_.steps.size(), "two steps of the plan, in its order");
  if (in_sequence()) return true;
  return clocks_[later * streams_ + plan_.order[earlier].stream] > earlier;
}

std::vector<std::uint32_t> PlanOrder::latest_first() const {
  const std::size_t count = plan_.steps.size();
  std::vector<std::uint32_t> order;
  order.reserve(count);
  if (in_sequence()) {
    for (std::size_t i = 0; i < count; ++i) order.push_back(static_cast<std::uint32_t>(i));
    return order;
  }
  std::vector<std::uint32_t> waits(count, 0);
  std::vector<std::vector<std::uint32_t>> frees(count);
  const auto before = neighbours(plan_);
  for (std::size_t i = 0; i < count; ++i) {
    const auto wait_for = [&](std::uint32_t earlier) {
      frees[earlier].push_back(static_cast<std::uint32_t>(i));
      ++waits[i];
    };
    if (before[i] != kNone) wait_for(before[i]);
    for (const std::uint32_t earlier : plan_.order[i].after) wait_for(earlier);
  }
  std::priority_queue<std::uint32_t> ready;
  for (std::size_t i = 0; i < count; ++i) {
    if (waits[i] == 0) ready.push(static_cast<std::uint32_t>(i));
  }
  while (!ready.empty()) {
    const std::uint32_t step = ready.top();
    ready.pop();
    order.push_back(step);
    for (const std::uint32_t next : frees[step]) {
      if (--waits[next] == 0) ready.push(next);
    }
  }
  ASSERT(order.size() == count, "steps wait for earlier ones only");
  return order;
}

}  // namespace warpwright
