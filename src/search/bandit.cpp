// SPDX-License-Identifier: Apache-2.0
#include "search/bandit.h"

#include <cmath>

namespace warpwright::search {

namespace {

/// Half of UCB1's own: rewards of usable models lie between 0.2 and 0.6, not between 0 and 1.
constexpr double kExploration = 0.7;

}  // namespace

int Bandit::choose() {
  int total = 0;
  for (const Arm& arm : arms_) total += arm.chosen;
  std::size_t best = 0;
  double best_bound = -1;
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    const Arm& arm = arms_[i];
    // An arm that nobody has tried comes before all others.
    double bound = 1e9;
    if (arm.chosen > 0) {
      const double mean = arm.rewarded == 0 ? 0.5 : arm.sum / arm.rewarded;
      bound = mean + kExploration * std::sqrt(std::log(total) / arm.chosen);
    }
    if (bound > best_bound) {
      best = i;
      best_bound = bound;
    }
  }
  ++arms_[best].chosen;
  return static_cast<int>(best);
}

void Bandit::learn(int arm, double reward) {
  Arm& one = arms_[static_cast<std::size_t>(arm)];
  ++one.rewarded;
  one.sum += reward;
}

}  // namespace warpwright::search
