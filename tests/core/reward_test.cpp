// SPDX-License-Identifier: Apache-2.0
#include "core/reward.h"

#include <gtest/gtest.h>

#include <cmath>

namespace warpwright {
namespace {

Evaluation judged(Verdict verdict, std::vector<Measurement> measurements) {
  Evaluation evaluation;
  evaluation.verdict = verdict;
  evaluation.measurements = std::move(measurements);
  return evaluation;
}

Measurement timed(double us, double baseline_us, double floor_us) {
  Measurement measurement;
  measurement.median_us = us;
  measurement.baseline_us = baseline_us;
  measurement.floor_us = floor_us;
  return measurement;
}

TEST(Reward, ARightKernelEarnsTheBonusAndItsSpeedup) {
  const auto evaluation = judged(Verdict::ok, {timed(10, 40, 1), timed(20, 20, 1)});
  EXPECT_NEAR(turn_score(evaluation), 0.3 + 2.0, 1e-12);  // sqrt(4 * 1)
}

TEST(Reward, EveryOtherVerdictEarnsNothing) {
  for (int i = 0; i < kVerdictCount; ++i) {
    const auto verdict = static_cast<Verdict>(i);
    if (verdict == Verdict::ok) continue;
    EXPECT_EQ(turn_score(judged(verdict, {timed(1, 100, 0.5)})), 0) << name_of(verdict);
  }
}

TEST(Reward, NoSizeIsFasterThanItsFloor) {
  const auto evaluation = judged(Verdict::ok, {timed(1, 40, 10)});
  EXPECT_NEAR(turn_score(evaluation), 0.3 + 4.0, 1e-12);
  EXPECT_NEAR(turn_score(evaluation, {.clip_at_floor = false}), 0.3 + 40.0, 1e-12);
}

TEST(Reward, WithoutABaselineTheBonusRemains) {
  EXPECT_NEAR(turn_score(judged(Verdict::ok, {timed(10, 0, 1)})), 0.3, 1e-12);
}

// Worked out by hand: R2 = 1.7, R1 = 0 + 0.4 * 1.7, R0 = 1.3 + 0.4 * 0.68.
TEST(Reward, ReturnsAreDiscountedSums) {
  const std::vector<double> scores = {1.3, 0.0, 1.7};
  const auto returns = discounted_returns(scores, 0.4);
  ASSERT_EQ(returns.size(), 3u);
  EXPECT_NEAR(returns[2], 1.7, 1e-12);
  EXPECT_NEAR(returns[1], 0.68, 1e-12);
  EXPECT_NEAR(returns[0], 1.572, 1e-12);
  EXPECT_TRUE(discounted_returns({}, 0.4).empty());
}

// Mean 2, deviation sqrt((1 + 1 + 0 + 4 + 4) / 5) = sqrt(2).
TEST(Reward, AdvantagesAreNormalisedOverTheGroup) {
  const std::vector<double> returns = {1, 3, 2, 0, 4};
  EXPECT_NEAR(group_of(returns).mean, 2, 1e-12);
  EXPECT_NEAR(group_of(returns).deviation, std::sqrt(2.0), 1e-12);
  const auto result = advantages(returns);
  EXPECT_NEAR(result[0], -1 / std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(result[4], 2 / std::sqrt(2.0), 1e-12);
}

TEST(Reward, ASpeedupMayHaveACap) {
  const auto evaluation = judged(Verdict::ok, {timed(1, 40, 0.5)});
  EXPECT_NEAR(turn_score(evaluation, {.largest_speedup = 5}), 0.3 + 5, 1e-12);
  EXPECT_NEAR(turn_score(evaluation, {.largest_speedup = 50}), 0.3 + 40, 1e-12);
  EXPECT_NEAR(advantage_of(3, {2, 0.5}), 2, 1e-12);
}

TEST(Reward, EqualReturnsHaveNoAdvantage) {
  const std::vector<double> returns = {0.1 + 0.2, 0.3, 0.3};
  for (const double value : advantages(returns)) EXPECT_EQ(value, 0);
}

}  // namespace
}  // namespace warpwright
