// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/launch_plan.h"

namespace warpwright {

/// Which steps of a plan are ordered with which, by its streams and what its steps wait for.
class PlanOrder {
 public:
  explicit PlanOrder(const LaunchPlan& plan);

  /// Every step waits, directly or not, for the one before it (allocations by the host aside, which
  /// wait for nothing): there is one legal order.
  [[nodiscard]] bool in_sequence() const { return clocks_.empty(); }

  /// Whether `earlier` has ended before `later` begins, in every legal order. earlier < later.
  [[nodiscard]] bool before(std::size_t earlier, std::size_t later) const;

  /// A legal order in which, among steps that may begin, the last one goes first: most pairs
  /// without an order run the other way round than `solve` asked for them.
  [[nodiscard]] std::vector<std::uint32_t> latest_first() const;

 private:
  const LaunchPlan& plan_;
  std::size_t streams_ = 0;
  /// By step and stream: how many steps, counted from the plan's begin, are known to be over as far
  /// as that stream goes. Empty for plans in sequence.
  std::vector<std::uint32_t> clocks_;
};

}  // namespace warpwright
