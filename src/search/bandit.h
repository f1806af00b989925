// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace warpwright::search {

/// Chooses between arms by upper confidence bounds of their mean reward (UCB1). Deterministic: of
/// equal arms the first. Rewards lie between 0 and 1.
class Bandit {
 public:
  explicit Bandit(int arms) : arms_(static_cast<std::size_t>(arms)) {}

  /// The next arm. It counts as tried from now on, so that several choices before the first reward
  /// spread over the arms.
  int choose();
  /// What came of one choice of an arm.
  void learn(int arm, double reward);

  [[nodiscard]] int chosen(int arm) const { return arms_[static_cast<std::size_t>(arm)].chosen; }

 private:
  struct Arm {
    int chosen = 0;
    int rewarded = 0;
    double sum = 0;
  };
  std::vector<Arm> arms_;
};

}  // namespace warpwright::search
