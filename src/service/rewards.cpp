// SPDX-License-Identifier: Apache-2.0
#include "service/rewards.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/reward.h"

namespace warpwright::service {

namespace {

constexpr double kLeastLogReward = 0.1;

/// Kevin's S without its bonus: the speed-up, no size faster than the device allows.
double clipped_speedup(const Evaluation& evaluation) {
  return turn_score(evaluation, {.correct_bonus = 0});
}

double kevin(const Evaluation& evaluation) { return turn_score(evaluation); }

double faster_than(const Evaluation& evaluation, double factor) {
  return evaluation.valid() && clipped_speedup(evaluation) > factor ? 1 : 0;
}

double fast_1(const Evaluation& evaluation) { return faster_than(evaluation, 1); }
double fast_2(const Evaluation& evaluation) { return faster_than(evaluation, 2); }

double log_speedup(const Evaluation& evaluation) {
  if (!evaluation.valid()) return 0;
  const double gain = clipped_speedup(evaluation);
  return gain <= 0 ? kLeastLogReward : std::max(kLeastLogReward, 1 + std::log2(gain));
}

constexpr auto kRewards = std::to_array<Reward>({
    {"kevin", "0.3 and the speed-up over the baseline, clipped at the roofline",
     "one easy task with a slow baseline outweighs many hard ones: normalise by task", kevin},
    {"fast_1", "1 when faster than the baseline",
     "says nothing of how much faster: a copy of the baseline with luck in its noise may earn it",
     fast_1},
    {"fast_2", "1 when at least twice as fast as the baseline",
     "sparse: most right kernels earn nothing, and nothing is gained beyond 2", fast_2},
    {"log_speedup",
     "1 + log2 of the speed-up, clipped at the roofline; at least 0.1 for a right kernel",
     "a right kernel of any slowness earns 0.1: a policy may settle for copies of the baseline",
     log_speedup},
});

}  // namespace

std::span<const Reward> rewards() { return kRewards; }

const Reward* find_reward(std::string_view name) {
  for (const Reward& row : kRewards) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace warpwright::service
