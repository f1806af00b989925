// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "evaluate/measure.h"

namespace warpwright::evaluate {
namespace {

const std::vector<double> kKnown = {4.9, 5.0, 5.1, 4.95, 5.2, 4.9};

TEST(FreshInputs, AnHonestCallIsAsFastAsEver) {
  EXPECT_FALSE(slower_on_new_inputs(5.1, kKnown));
  EXPECT_FALSE(slower_on_new_inputs(5.7, kKnown));  // within what noise makes of one call
}

TEST(FreshInputs, AKeptAnswerShows) {
  EXPECT_TRUE(slower_on_new_inputs(7.5, {{2.5, 2.6, 2.5, 2.7, 2.5, 2.6}}));
  EXPECT_TRUE(slower_on_new_inputs(43, {{24, 25, 24, 24, 26, 24}}));
}

// Seen on an H200: three calls in a row of more than 10.9 us, where the median was 4.9.
TEST(FreshInputs, AGpuThatIsSlowForAMomentIsNoCheat) {
  EXPECT_FALSE(slower_on_new_inputs(11.0, {{10.8, 10.7, 10.9, 10.8, 4.9, 5.0}}));
}

TEST(FreshInputs, NoiseAloneIsHardlyEverSlowerSoOftenInARow) {
  // Each call up to half as slow again, and one in ten three times: six in a row, of 100,000 tries.
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto call = [&] {
    return 5 * (1 + 0.5 * uniform(random)) * (uniform(random) < 0.1 ? 3 : 1);
  };
  int condemned = 0;
  for (int instance = 0; instance < 100'000; ++instance) {
    bool always = true;
    for (int attempt = 0; attempt < 6 && always; ++attempt) {
      std::vector<double> known;
      for (int i = 0; i < 6; ++i) known.push_back(call());
      always = slower_on_new_inputs(call(), known);
    }
    condemned += always ? 1 : 0;
  }
  EXPECT_EQ(condemned, 0);
}

}  // namespace
}  // namespace warpwright::evaluate
