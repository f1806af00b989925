// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "evaluate/trial_measure.h"

namespace warpwright::evaluate {
namespace {

TEST(FreshInputs, AnHonestCallIsAsFastAsEver) { EXPECT_FALSE(slower_on_new_inputs(5.1, 5.0, 4.9)); }

TEST(FreshInputs, AKeptAnswerShows) {
  EXPECT_TRUE(slower_on_new_inputs(40, 5.0, 4.9));
  EXPECT_TRUE(slower_on_new_inputs(1000, 600, 590));
}

// Seen on an H200: three calls in a row of more than 10.9 us, where the median was 4.9.
TEST(FreshInputs, AGpuThatIsSlowForAMomentIsNoCheat) {
  EXPECT_TRUE(slower_on_new_inputs(11.0, 4.9, 4.9));
  EXPECT_FALSE(slower_on_new_inputs(11.0, 10.8, 4.9));
}

TEST(FreshInputs, ALuckyMomentBeforeDoesNotCondemn) {
  EXPECT_FALSE(slower_on_new_inputs(52, 30, 50));
}

}  // namespace
}  // namespace warpwright::evaluate
