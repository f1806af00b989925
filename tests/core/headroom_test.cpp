// SPDX-License-Identifier: Apache-2.0
#include "core/headroom.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace warpwright {
namespace {

TEST(Headroom, SearchWithoutATimeHasEverythingBeforeIt) {
  EXPECT_EQ(expected_gain({std::nullopt, {}}), 1.0);
}

TEST(Headroom, GainsOfTheLastPartCountMost) {
  const std::vector<double> rising = {10, 9.9, 9}, fading = {10, 9, 8.9};
  EXPECT_GT(expected_gain({0.2, rising}), expected_gain({0.2, fading}));
  const std::vector<double> still = {10, 10, 10};
  EXPECT_LT(expected_gain({0.2, still}), kLeastGain);
}

TEST(Headroom, LessIsExpectedNearTheRoofline) {
  const std::vector<double> times = {10, 9};
  EXPECT_EQ(expected_gain({0.1, times}), expected_gain({0.5, times}));
  EXPECT_GT(expected_gain({0.5, times}), expected_gain({0.9, times}));
  EXPECT_EQ(expected_gain({1.2, times}), 0.0);
}

/// A recorded search: its best time after each round of three candidates, the share of the roofline
/// after the first one, and its baseline's time over the first round's best.
struct Recorded {
  const char* task;
  std::vector<double> best_us;
  double share;
};

// docs/results/2026-11-15-h200-campaign.md, "What the rounds added"; shares from the prompts of the
// second rounds in recordings/.
const std::vector<Recorded> kRecorded = {
    {"conv2d", {21.43, 19.17, 18.17, 16.43}, 0.18},
    {"copy", {45.19, 44.44, 44.44, 44.14}, 0.62},
    {"cross_entropy", {12.68, 12.61, 12.51, 12.33}, 0.19},
    {"dot", {5.75, 5.75, 5.42, 5.41}, 0.08},
    {"histogram", {9.70, 9.27, 8.66, 8.56}, 0.09},
    {"layernorm", {29.80, 27.50, 26.87, 26.74}, 0.25},
    {"layernorm (free)", {29.07, 27.13, 26.41, 26.41}, 0.26},
    {"matmul", {1703, 1661, 1661, 1626}, 1.0},
    {"maxpool3d", {21.55, 21.55, 20.94, 20.89}, 0.57},
    {"mha", {9.81, 8.61, 7.70, 7.65}, 0.04},
    {"monte_carlo", {6.89, 6.89, 6.54, 6.45}, 0.03},
    {"mse", {5.34, 5.18, 4.85, 4.85}, 0.01},
    {"ols", {17.50, 16.79, 15.84, 15.84}, 0.14},
    {"ols (free)", {16.94, 15.18, 15.18, 15.18}, 0.14},
    {"reduce", {4.12, 4.12, 4.12, 4.12}, 0.0},
    {"relu", {44.30, 44.30, 44.17, 44.17}, 0.63},
    {"reverse", {47.77, 47.77, 47.77, 46.72}, 0.59},
    {"scan", {5.33, 5.03, 4.82, 4.78}, 0.01},
    {"sigmoid", {5.90, 5.56, 5.56, 5.56}, 0.07},
    {"sort", {34.60, 29.44, 27.49, 27.49}, 0.0},
    {"topk", {8.07, 7.97, 6.84, 6.84}, 0.0},
    {"topk (free)", {6.40, 6.40, 6.35, 6.35}, 0.0},
    {"transpose", {48.57, 47.34, 47.34, 47.34}, 0.58},
};

TEST(Headroom, RecordedSearchesNeedAFifthLessForNearlyAllOfTheSpeed) {
  std::size_t rounds = 0, all = 0;
  double lost = 0;  // logarithm of the time that the rule costs, over all searches
  for (const Recorded& search : kRecorded) {
    std::size_t done = 1;
    while (done < search.best_us.size() &&
           expected_gain({search.share, {search.best_us.data(), done}}) >= kLeastGain) {
      ++done;
    }
    rounds += done;
    all += search.best_us.size();
    lost += std::log(search.best_us[done - 1] / search.best_us.back());
  }
  const double speed = std::exp(-lost / static_cast<double>(kRecorded.size()));
  std::printf("%zu of %zu rounds, %.3f of the speed\n", rounds, all, speed);
  EXPECT_LE(static_cast<double>(rounds), 0.8 * static_cast<double>(all));
  EXPECT_GE(speed, 0.95);
}

}  // namespace
}  // namespace warpwright
