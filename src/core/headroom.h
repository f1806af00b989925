// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

namespace warpwright {

/// What is known of a search, for a rule that shares out a budget.
struct Prospect {
  std::optional<double> share;      ///< of the roofline that its best kernel reaches
  std::span<const double> best_us;  ///< its best time after each part of the budget; may be empty
};

/// By how much the next part of the budget is expected to speed it up, e.g. 0.04: what the last
/// parts did, the last one most, less near the roofline. A search without a time has everything
/// before it.
double expected_gain(const Prospect& prospect);

/// Below this a search is not worth more of a budget that others can use.
inline constexpr double kLeastGain = 0.025;

}  // namespace warpwright
