// SPDX-License-Identifier: Apache-2.0
#include "llm/rate_limit.h"

#include <gtest/gtest.h>

namespace warpwright::llm {
namespace {

using std::chrono::seconds;

TEST(RateLimit, NoLimitsNoWaits) {
  RateLimit limit(0, 0);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(limit.admit(seconds(0), 1 << 30).count(), 0);
}

TEST(RateLimit, RequestsPerMinute) {
  RateLimit limit(2, 0);
  EXPECT_EQ(limit.admit(seconds(0), 1), seconds(0));
  EXPECT_EQ(limit.admit(seconds(10), 1), seconds(0));
  EXPECT_EQ(limit.admit(seconds(20), 1), seconds(40));
  EXPECT_EQ(limit.admit(seconds(59), 1), seconds(1));
  EXPECT_EQ(limit.admit(seconds(60), 1), seconds(0));
  EXPECT_EQ(limit.admit(seconds(61), 1), seconds(9));
}

TEST(RateLimit, TokensPerMinute) {
  RateLimit limit(0, 100);
  EXPECT_EQ(limit.admit(seconds(0), 60), seconds(0));
  EXPECT_EQ(limit.admit(seconds(5), 30), seconds(0));
  EXPECT_EQ(limit.admit(seconds(6), 20), seconds(54)) << "the first 60 must leave the window";
  EXPECT_EQ(limit.admit(seconds(6), 90), seconds(59)) << "both must leave it";
  EXPECT_EQ(limit.admit(seconds(6), 10), seconds(0));
}

TEST(RateLimit, ARequestLargerThanTheLimitGoesAlone) {
  RateLimit limit(0, 100);
  EXPECT_EQ(limit.admit(seconds(0), 500), seconds(0));
  EXPECT_EQ(limit.admit(seconds(1), 500), seconds(59));
  EXPECT_EQ(limit.admit(seconds(60), 500), seconds(0));
}

TEST(RateLimit, AHoldStopsEverybody) {
  RateLimit limit(0, 0);
  limit.hold(seconds(30));
  limit.hold(seconds(20));
  EXPECT_EQ(limit.admit(seconds(10), 1), seconds(20));
  EXPECT_EQ(limit.admit(seconds(30), 1), seconds(0));
}

}  // namespace
}  // namespace warpwright::llm
