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

/// A recorded search: its best time after each round, the share of the roofline after the first
/// one, its tuned baseline's time, and how many answers each round judged, repairs among them.
struct Recorded {
  const char* task;
  std::vector<double> best_us;
  double share;
  double baseline_us;
  std::vector<int> answers;
};

// docs/results/2026-11-15-h200-campaign.md, "What the rounds added" and "Times" (B1, the geometric
// mean over the sizes); answers from recordings/, and shares from the prompts of the
// second rounds there.
const std::vector<Recorded> kRecorded = {
    {"conv2d", {21.43, 19.17, 18.17, 16.43}, 0.18, 99.29, {3, 3, 3, 3}},
    {"copy", {45.19, 44.44, 44.44, 44.14}, 0.62, 62.73, {3, 3, 3, 3}},
    {"cross_entropy", {12.68, 12.61, 12.51, 12.33}, 0.19, 14.66, {6, 3, 3, 3}},
    {"dot", {5.75, 5.75, 5.42, 5.41}, 0.08, 6.673, {6, 6, 6, 6}},
    {"histogram", {9.70, 9.27, 8.66, 8.56}, 0.09, 287, {3, 3, 3, 3}},
    {"layernorm", {29.80, 27.50, 26.87, 26.74}, 0.25, 472.1, {3, 3, 3, 3}},
    {"layernorm (free)", {29.07, 27.13, 26.41, 26.41}, 0.26, 472.1, {3, 3, 3, 0}},
    {"matmul", {1703, 1661, 1661, 1626}, 1.0, 50090, {3, 3, 3, 3}},
    {"maxpool3d", {21.55, 21.55, 20.94, 20.89}, 0.57, 54.47, {3, 3, 3, 3}},
    {"mha", {9.81, 8.61, 7.70, 7.65}, 0.04, 408.5, {3, 3, 3, 3}},
    {"monte_carlo", {6.89, 6.89, 6.54, 6.45}, 0.03, 7.742, {3, 3, 3, 3}},
    {"mse", {5.34, 5.18, 4.85, 4.85}, 0.01, 5.227, {3, 3, 3, 3}},
    {"ols", {17.50, 16.79, 15.84, 15.84}, 0.14, 180.6, {3, 3, 3, 3}},
    {"ols (free)", {16.94, 15.18, 15.18, 15.18}, 0.14, 180.6, {3, 3, 3, 3}},
    {"reduce", {4.12, 4.12, 4.12, 4.12}, 0.0, 5.12, {3, 3, 3, 3}},
    {"relu", {44.30, 44.30, 44.17, 44.17}, 0.63, 63.72, {3, 3, 3, 3}},
    {"reverse", {47.77, 47.77, 47.77, 46.72}, 0.59, 75.02, {3, 3, 3, 3}},
    {"scan", {5.33, 5.03, 4.82, 4.78}, 0.01, 9.839, {3, 3, 3, 3}},
    {"sigmoid", {5.90, 5.56, 5.56, 5.56}, 0.07, 6.188, {3, 3, 3, 3}},
    {"sort", {34.60, 29.44, 27.49, 27.49}, 0.0, 2586, {3, 3, 3, 3}},
    {"topk", {8.07, 7.97, 6.84, 6.84}, 0.0, 317.8, {3, 6, 3, 3}},
    {"topk (free)", {6.40, 6.40, 6.35, 6.35}, 0.0, 317.8, {3, 3, 3, 0}},
    {"transpose", {48.57, 47.34, 47.34, 47.34}, 0.58, 139.4, {3, 3, 3, 3}},
};

TEST(Headroom, RecordedSearchesNeedAFifthLessForNearlyAllOfTheGain) {
  int judged = 0, all = 0;
  double kept = 0, gain = 0, late_kept = 0, late = 0;  // logarithms of speed-ups
  for (const Recorded& search : kRecorded) {
    std::size_t done = 1;
    while (done < search.best_us.size() &&
           expected_gain({search.share, {search.best_us.data(), done}}) >= kLeastGain) {
      ++done;
    }
    for (std::size_t round = 0; round < search.answers.size(); ++round) {
      all += search.answers[round];
      judged += round < done ? search.answers[round] : 0;
    }
    const double first = search.best_us.front(), last = search.best_us.back();
    const double then = search.best_us[done - 1];
    kept += std::log(search.baseline_us / then);
    gain += std::log(search.baseline_us / last);
    late_kept += std::log(first / then);
    late += std::log(first / last);
  }
  const double speed = std::exp((kept - gain) / static_cast<double>(kRecorded.size()));
  std::printf(
      "%d of %d evaluations, %.3f of the gain over baselines, %.3f of the speed, %.3f of what "
      "later rounds gain\n",
      judged, all, kept / gain, speed, late_kept / late);
  EXPECT_LE(judged, 0.8 * all);
  EXPECT_GE(kept, 0.95 * gain);
  EXPECT_GE(speed, 0.95);
}

}  // namespace
}  // namespace warpwright
