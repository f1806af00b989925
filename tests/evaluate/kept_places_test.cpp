// SPDX-License-Identifier: Apache-2.0
#include "evaluate/kept_places.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

namespace warpwright::evaluate {
namespace {

bool is_other(int call) { return call % 5 == 4; }

/// Which of so many calls are kept.
std::map<std::size_t, int> kept_of(std::size_t most, int calls, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  KeptPlaces places(most);
  std::map<std::size_t, int> kept;
  for (int call = 0; call < calls; ++call) {
    const auto place = places.place_for(is_other(call), [&] { return random(); });
    if (!place) continue;
    EXPECT_LT(*place, most);
    kept[*place] = call;
  }
  return kept;
}

TEST(KeptPlaces, HalfOfThemAreOnOtherDistributions) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto kept = kept_of(8, 200, seed);
    ASSERT_EQ(kept.size(), 8u);
    int others = 0;
    for (const auto& [place, call] : kept) others += is_other(call) ? 1 : 0;
    EXPECT_EQ(others, 4) << seed;
  }
}

TEST(KeptPlaces, AllAreKeptWhereThereAreFew) {
  EXPECT_EQ(kept_of(8, 7, 1).size(), 7u);
  EXPECT_EQ(kept_of(0, 7, 1).size(), 0u);
}

TEST(KeptPlaces, OneOfTwoKeepsEither) {
  const auto kept = kept_of(2, 100, 3);
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_NE(is_other(kept.at(0)), is_other(kept.at(1)));
}

TEST(KeptPlaces, ASinglePlaceIsTheirsInHalfOfAllJudgements) {
  int others = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed)
    others += is_other(kept_of(1, 40, seed).at(0)) ? 1 : 0;
  EXPECT_GT(others, 430);
  EXPECT_LT(others, 570);
}

TEST(KeptPlaces, EveryCallOfAKindHasTheSameChance) {
  constexpr int kCalls = 40, kJudgements = 8000;
  std::map<int, int> times;
  for (std::uint64_t seed = 1; seed <= kJudgements; ++seed)
    for (const auto& [place, call] : kept_of(4, kCalls, seed)) ++times[call];
  // Two places for eight calls, and two for 32: five deviations each.
  for (int call = 0; call < kCalls; ++call) {
    const double chance = is_other(call) ? 2.0 / 8 : 2.0 / 32;
    const double mean = kJudgements * chance, spread = std::sqrt(mean * (1 - chance));
    EXPECT_NEAR(times[call], mean, 5 * spread) << call;
  }
}

}  // namespace
}  // namespace warpwright::evaluate
