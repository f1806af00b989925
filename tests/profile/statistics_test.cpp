// SPDX-License-Identifier: Apache-2.0
#include "profile/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace warpwright::profile {
namespace {

std::vector<double> noisy(double centre, double sigma, int count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<double> values;
  for (int i = 0; i < count; ++i) {
    // A sum of uniforms: the same numbers with every standard library.
    double sum = -6;
    for (int k = 0; k < 12; ++k) sum += static_cast<double>(random() >> 11) * 0x1p-53;
    values.push_back(centre + sigma * sum);
  }
  return values;
}

TEST(Statistics, MedianOfOddAndEvenCounts) {
  EXPECT_EQ(median(std::vector<double>{3, 1, 2}), 2);
  EXPECT_EQ(median(std::vector<double>{4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median(std::vector<double>{7}), 7);
}

TEST(Statistics, BootstrapIsDeterministicAndHoldsTheMedian) {
  const auto values = noisy(100, 2, 60, 1);
  const Interval first = bootstrap_median(values);
  const Interval second = bootstrap_median(values);
  EXPECT_EQ(first.low, second.low);
  EXPECT_EQ(first.high, second.high);
  EXPECT_LE(first.low, first.median);
  EXPECT_GE(first.high, first.median);
  EXPECT_LT(first.low, first.high);
}

TEST(Statistics, BootstrapCoversTheTruthAboutAsOftenAsItSays) {
  int covered = 0;
  constexpr int kTrials = 300;
  for (int trial = 0; trial < kTrials; ++trial) {
    const Interval interval =
        bootstrap_median(noisy(50, 1, 40, static_cast<unsigned>(100 + trial)), {.resamples = 300});
    covered += interval.low <= 50 && 50 <= interval.high ? 1 : 0;
  }
  EXPECT_GE(covered, kTrials * 90 / 100);
  EXPECT_LE(covered, kTrials * 99 / 100);
}

TEST(Statistics, SlowOutliersGoAndFastOnesStay) {
  auto values = noisy(100, 0.5, 40, 2);
  values[5] = 180;
  values[20] = 400;
  values[30] = 60;
  const Cleaned cleaned = drop_outliers(values);
  EXPECT_EQ(cleaned.dropped, 2);
  EXPECT_THAT(cleaned.kept, testing::Contains(60.0));
  EXPECT_THAT(cleaned.kept, testing::Not(testing::Contains(400.0)));
}

TEST(Statistics, ATwoHumpedDistributionKeepsAllSamples) {
  std::vector<double> values(10, 100.0);
  values.insert(values.end(), 6, 200.0);
  EXPECT_EQ(drop_outliers(values).dropped, 0);
  EXPECT_EQ(drop_outliers(std::vector<double>{}).kept.size(), 0U);
}

TEST(Statistics, ASlowPlaceIsNoOutlierAndASlowCallIs) {
  std::vector<double> values;
  std::vector<std::size_t> place_of;
  for (std::size_t i = 0; i < 96; ++i) {
    place_of.push_back(i % 12);
    values.push_back(i % 12 == 7 ? 130.0 : 111.0);
  }
  values[31] = 500;  // of the slow place
  values[40] = 400;  // of another
  const Cleaned cleaned = drop_outliers_by_place(values, place_of);
  EXPECT_EQ(cleaned.dropped, 2);
  EXPECT_EQ(cleaned.kept.size(), 94U);
  EXPECT_TRUE(std::is_sorted(cleaned.kept_at.begin(), cleaned.kept_at.end()));
  EXPECT_EQ(std::count(cleaned.kept.begin(), cleaned.kept.end(), 130.0), 7);
  EXPECT_EQ(drop_outliers_by_place({}, {}).kept.size(), 0U);
}

TEST(Statistics, StopsWhenTightAtTheCapOrWhenTimeIsUp) {
  const StopRule rule{.min_samples = 5, .max_samples = 50, .max_s = 2};
  EXPECT_FALSE(enough(rule, {}, 10));
  EXPECT_FALSE(enough(rule, std::vector<double>(4, 1.0), 0.1));
  EXPECT_TRUE(enough(rule, std::vector<double>(5, 1.0), 0.1));
  EXPECT_TRUE(enough(rule, std::vector<double>(1, 1.0), 2.5));
  const auto wide = noisy(10, 4, 49, 3);
  EXPECT_FALSE(enough(rule, wide, 0.1));
  EXPECT_TRUE(enough(rule, noisy(10, 4, 50, 3), 0.1));
}

TEST(Statistics, PairsFindTwoPerCentUnderCommonDrift) {
  auto a = noisy(100, 0.5, 60, 4);
  auto b = noisy(102, 0.5, 60, 5);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double drift = 1 + 0.2 * static_cast<double>(i) / static_cast<double>(a.size());
    a[i] *= drift;
    b[i] *= drift;
  }
  const PairedResult forth = compare_paired(a, b), back = compare_paired(b, a);
  EXPECT_EQ(forth.order, Order::faster);
  EXPECT_EQ(back.order, Order::slower);
  EXPECT_NEAR(forth.ratio.value, 100.0 / 102, 0.003);
  EXPECT_LT(forth.ratio.low, forth.ratio.value);
  EXPECT_GT(forth.ratio.high, forth.ratio.value);
  EXPECT_NEAR(forth.ratio.value * back.ratio.value, 1, 1e-9);
}

TEST(Statistics, TheSecondPlaceOfAPairCancels) {
  // A B B A: what comes second is 3% slower, whichever kernel it is.
  std::vector<double> a, b;
  for (int i = 0; i < 60; ++i) {
    a.push_back(i % 2 == 0 ? 50 : 51.5);
    b.push_back(i % 2 == 0 ? 51.5 : 50);
  }
  const PairedResult result = compare_paired(a, b);
  EXPECT_EQ(result.order, Order::same);
  EXPECT_DOUBLE_EQ(result.ratio.value, 1);
}

TEST(Statistics, OneInterruptDoesNotDecide) {
  auto a = noisy(100, 0.2, 40, 6), b = noisy(100, 0.2, 40, 7);
  a[11] = 5000;
  a[12] = 5000;
  EXPECT_EQ(compare_paired(a, b).order, Order::same);
  EXPECT_NEAR(compare_paired(a, b).ratio.value, 1, 0.003);
}

TEST(Statistics, ShortKernelsNeedALargerDifference) {
  const auto a = noisy(4.06, 0.01, 200, 8), b = noisy(4.0, 0.01, 200, 9);
  const PairedResult result = compare_paired(a, b);
  EXPECT_GT(result.ratio.low, 1.01);  // seen, but of 0.06 us
  EXPECT_NEAR(result.margin, 0.075 / 4.0, 0.001);
  EXPECT_EQ(result.order, Order::same);
}

TEST(Statistics, FewPairsDecideNothing) {
  EXPECT_EQ(compare_paired(std::vector<double>{10, 10}, std::vector<double>{20, 20}).order,
            Order::same);
  EXPECT_EQ(compare_paired(std::vector<double>(4, 10), std::vector<double>(4, 20)).order,
            Order::same);
  EXPECT_EQ(compare_paired(std::vector<double>(6, 10), std::vector<double>(6, 20)).order,
            Order::faster);
}

TEST(Statistics, SizesCombineToTheirGeometricMean) {
  const std::vector<PairedResult> sizes = {
      compare_paired(noisy(90, 0.3, 60, 10), noisy(100, 0.3, 60, 11)),
      compare_paired(noisy(110, 0.3, 60, 12), noisy(100, 0.3, 60, 13))};
  const PairedResult all = combine(sizes);
  EXPECT_NEAR(all.ratio.value, std::sqrt(0.9 * 1.1), 0.002);
  EXPECT_EQ(all.order, Order::same);  // 0.5%, below the margin
  EXPECT_LT(all.half_width(), sizes[0].half_width());
  EXPECT_EQ(combine(std::span(sizes).first(1)).order, Order::faster);
}

TEST(Places, TheMeanOfTheirMediansDoesNotJump) {
  // Two steps, half of the places on each; one outlier.
  std::vector<double> values;
  std::vector<std::size_t> place_of;
  for (std::size_t i = 0; i < 96; ++i) {
    place_of.push_back(i % 12);
    values.push_back(i % 12 < 6 ? 18.0 : 18.4);
  }
  values[5] = 40;
  const Interval interval = interval_over_places(values, place_of);
  EXPECT_NEAR(interval.median, 18.2, 1e-9);
  // Student's quantile of 11 degrees of freedom is 2.201; the deviation of the places is 0.2089.
  EXPECT_NEAR(interval.high - interval.median, 2.201 * 0.2089 / std::sqrt(12.0), 1e-3);
  EXPECT_NEAR(interval.median - interval.low, interval.high - interval.median, 1e-12);
  values[3] = 18.4;  // the median of all would go from 18.2 to 18.4
  EXPECT_NEAR(interval_over_places(values, place_of).median, 18.2, 1e-9);
}

}  // namespace
}  // namespace warpwright::profile
