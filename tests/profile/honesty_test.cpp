// SPDX-License-Identifier: Apache-2.0
// How often comparisons and medians are wrong, by counting, under every kind of noise we know of.
#include <gtest/gtest.h>

#include <algorithm>

#include "profile/fake_clock.h"
#include "profile/noise.h"
#include "profile/timing.h"

namespace warpwright::profile {
namespace {

constexpr double kSampleSeconds = 0.0002;

PairedResult compared(const NoiseModel& model, double us, double ratio, std::uint64_t seed,
                      std::size_t places = 0) {
  NoiseSource noise(model, seed);
  FakeClock clock;
  const auto sampler = [&](int kernel, double kernel_us) {
    return [&, kernel, kernel_us](std::uint64_t pair) -> Result<double> {
      clock.advance(kSampleSeconds);
      return noise.sample(kernel, kernel_us, pair);
    };
  };
  const PairTimingOptions options{.warm_up = {.min_s = 0.002, .max_s = 0.01},
                                  .stop = {.max_s = 0.25},
                                  .pairs = {.places = places}};
  auto timing = gather_paired(sampler(0, us * ratio), sampler(1, us), options, clock);
  return std::move(timing).value().comparison;
}

struct Tally {
  int trials = 0, faster = 0, slower = 0, covered = 0;
};

Tally tally(const NoiseModel& model, double us, double ratio, int trials, std::size_t places = 0) {
  Tally tally{.trials = trials};
  for (int t = 0; t < trials; ++t) {
    const PairedResult result =
        compared(model, us, ratio, 1 + static_cast<std::uint64_t>(t) * 7919, places);
    tally.faster += result.order == Order::faster ? 1 : 0;
    tally.slower += result.order == Order::slower ? 1 : 0;
    tally.covered += result.ratio.low <= ratio && ratio <= result.ratio.high ? 1 : 0;
  }
  return tally;
}

constexpr int kSelfTrials = 240;  // per model and time: over 5,000 in all
constexpr int kPlantedTrials = 120;

TEST(Honesty, AKernelIsCalledDifferentFromItselfInLessThanOnePerCent) {
  int different = 0, trials = 0;
  for (const NoiseModel& model : noise_models()) {
    for (const double us : {4.0, 15.0}) {
      const Tally t = tally(model, us, 1, kSelfTrials);
      EXPECT_LE(t.faster + t.slower, kSelfTrials / 100) << model.name << " at " << us << " us";
      different += t.faster + t.slower;
      trials += t.trials;
    }
  }
  EXPECT_GE(trials, 5000);
  EXPECT_LE(different, trials / 200);
}

TEST(Honesty, ASlowDownOfTwoPerCentIsFoundAboveTenMicroseconds) {
  for (const NoiseModel& model : noise_models()) {
    for (const double us : {10.0, 40.0}) {
      const Tally slow = tally(model, us, 1.02, kPlantedTrials);
      EXPECT_GE(slow.slower, kPlantedTrials * 95 / 100) << model.name << " at " << us << " us";
      EXPECT_EQ(slow.faster, 0) << model.name;
    }
    EXPECT_GE(tally(model, 20, 1 / 1.02, kPlantedTrials).faster, kPlantedTrials * 95 / 100)
        << model.name;
  }
}

TEST(Honesty, IntervalsOfRatiosHoldTheTruth) {
  for (const NoiseModel& model : noise_models()) {
    // A bias of the input sets is a true difference of what was measured, not noise.
    if (model.set_sigma > 0) continue;
    EXPECT_GE(tally(model, 25, 1.013, kPlantedTrials).covered, kPlantedTrials * 95 / 100)
        << model.name;
  }
}

/// Code that lies elsewhere is a few percent faster or slower for as long as it lies there: with
/// the places known it is noise, without them it is taken for a difference.
TEST(Honesty, WhereCodeLiesIsNotTakenForADifference) {
  const NoiseModel model{.name = "places", .place_sigma = 0.05};
  const Tally known = tally(model, 5, 1, kSelfTrials, kNoisePlaces);
  const Tally unknown = tally(model, 5, 1, kSelfTrials);
  EXPECT_LE(known.faster + known.slower, kSelfTrials / 100);
  EXPECT_GE(known.covered, kSelfTrials * 97 / 100);
  EXPECT_GE(unknown.faster + unknown.slower, kSelfTrials / 50);
  EXPECT_GE(tally(model, 5, 1.08, kPlantedTrials, kNoisePlaces).slower, kPlantedTrials * 95 / 100);
  const NoiseModel longer{.name = "places of longer calls", .place_sigma = 0.005};
  EXPECT_GE(tally(longer, 12, 1.02, kPlantedTrials, kNoisePlaces).slower,
            kPlantedTrials * 95 / 100);
}

/// The comparison would be wrong without its parts: the test can fail.
TEST(Honesty, WithoutPairsADriftLooksLikeADifference) {
  NoiseSource noise({.name = "drift", .drift = 0.15}, 3);
  std::vector<double> a, b;
  for (int i = 0; i < 100; ++i) a.push_back(noise.sample(0, 20, 0));
  for (int i = 0; i < 100; ++i) b.push_back(noise.sample(1, 20, 0));
  EXPECT_NE(compare_paired(a, b).order, Order::same);
}

/// Largest over smallest median of 20 measurements, each with its own noise and placement.
double spread(const NoiseModel& model, double us) {
  std::vector<double> medians;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    NoiseSource noise(model, 100 + seed);
    FakeClock clock;
    std::uint64_t calls = 0;
    const auto timing = gather(
        [&]() -> Result<double> {
          clock.advance(kSampleSeconds);
          return noise.sample(0, us, calls++);
        },
        {.warm_up = {.min_s = 0.002, .max_s = 0.01}}, clock);
    medians.push_back(timing.value().time_us.median);
  }
  const auto [low, high] = std::minmax_element(medians.begin(), medians.end());
  return *high / *low - 1;
}

TEST(Honesty, MediansRepeatWithinOnePerCentAndThreeForShortKernels) {
  for (const NoiseModel& model : noise_models()) {
    // Clocks that differ from one measurement to the next are what a comparison in turns is for.
    if (model.drift + model.step + model.wander_sigma + model.mode_height > 0) continue;
    if (model.tick_us > 0.1) continue;
    EXPECT_LE(spread(model, 12), 0.01) << model.name;
    EXPECT_LE(spread(model, 4), 0.03) << model.name;
  }
}

}  // namespace
}  // namespace warpwright::profile
