// SPDX-License-Identifier: Apache-2.0
#include "evaluate/turns.h"

#include <gtest/gtest.h>

#include "profile/timing.h"

namespace warpwright::evaluate {
namespace {

/// A device on which a call takes 1 us longer when its first launch is an odd one of the process.
struct Ring {
  std::uint64_t launches = 0;

  double call_us(std::uint64_t launches_of_call, bool shifted) {
    if (shifted) ++launches;
    const double us = launches % 2 == 0 ? 12.7 : 13.7;
    launches += launches_of_call;
    return us;
  }
};

/// One size timed in rounds, with `between` launches of others after each.
double timed_us(Ring ring, const Turns& turns, std::uint64_t per_call, std::uint64_t between) {
  constexpr int kRounds = 8, kMost = 192;
  profile::Timing timing;
  timing.calls = 5;  // a warm-up ends anywhere
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < turns.round_samples(kMost, kRounds); ++i) {
      timing.samples_us.push_back(ring.call_us(per_call, turns.shifted(timing.calls)));
      timing.calls_at.push_back(timing.calls++);
    }
    ring.launches += between;
  }
  profile::conclude(timing, turns.places());
  return timing.time_us.median;
}

TEST(TurnsTest, HalfOfTheSamplesAreOfEitherKindWhereverTheProcessStands) {
  for (const std::uint64_t start : {0, 1}) {
    for (const std::uint64_t per_call : {9, 10}) {
      for (const std::uint64_t between : {100, 101}) {
        EXPECT_NEAR(timed_us({start}, {12}, per_call, between), 13.2, 1e-9)
            << start << " " << per_call << " " << between;
      }
    }
  }
}

TEST(TurnsTest, EverySetGetsItsTurn) {
  const Turns turns{12};
  EXPECT_EQ(turns.set_of(0), 0U);
  EXPECT_EQ(turns.set_of(13), 1U);
  EXPECT_TRUE(turns.shifted(24));
  EXPECT_FALSE(turns.shifted(25));
  EXPECT_EQ(turns.places(), 24U);
  EXPECT_EQ(turns.round_samples(192, 4), 48);
  EXPECT_EQ(turns.round_samples(192, 8), 24);
  EXPECT_EQ(turns.round_samples(20, 4), 24);
}

TEST(TurnsTest, AnOddNumberOfSetsIsLeftAlone) {
  const Turns turns{3};
  for (std::uint64_t call = 0; call < 6; ++call) EXPECT_FALSE(turns.shifted(call));
  EXPECT_EQ(turns.places(), 3U);
}

}  // namespace
}  // namespace warpwright::evaluate
