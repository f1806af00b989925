// SPDX-License-Identifier: Apache-2.0
#include "evaluate/spot_checks.h"

#include <gtest/gtest.h>

#include "evaluate/inputs.h"

namespace warpwright::evaluate {
namespace {

/// A kernel whose calls are wrong with some probability, and 60 timed calls of it.
struct Scene {
  explicit Scene(std::uint64_t secret, double wrong) : spots(12, secret), wrong_share(wrong) {}

  void run() {
    for (std::size_t call = 0; call < 60; ++call) one_call(call % 12);
    last_is_wrong = is_wrong[spots.last_set()];
    EXPECT_TRUE(spots.at_end(digest(), fetch()).ok());
  }
  void one_call(std::size_t set) {
    last_is_wrong = is_wrong[set] = coin(random) < wrong_share;
    EXPECT_TRUE(spots.after_call(set, digest(), fetch()).ok());
  }
  SpotChecks::Digest digest() {
    return [this]() -> Result<std::uint64_t> {
      ++digests;
      return last_is_wrong ? 1u : 2u;
    };
  }
  SpotChecks::Fetch fetch() {
    return [this]() -> Result<Fetched> {
      ++fetches;
      Fetched fetched;
      fetched.outputs.emplace_back(verify::Bytes(1, std::byte(last_is_wrong ? 1 : 0)));
      return fetched;
    };
  }
  bool caught() {
    for (const Fetched& fetched : spots.take()) {
      if (fetched.outputs[0][0] == std::byte{1}) return true;
    }
    return false;
  }

  SpotChecks spots;
  double wrong_share;
  std::mt19937_64 random{11};
  std::uniform_real_distribution<double> coin{0, 1};
  bool is_wrong[12] = {};
  bool last_is_wrong = false;
  int digests = 0, fetches = 0;
};

TEST(SpotChecks, EqualResultsLeaveTheDeviceOnce) {
  Scene honest(1, 0);
  honest.run();
  EXPECT_EQ(honest.fetches, 1);
  EXPECT_EQ(honest.digests, 9);
  EXPECT_FALSE(honest.caught());
}

TEST(SpotChecks, AKernelThatWorksInSomeCallsIsCaught) {
  int caught = 0;
  for (std::uint64_t secret = 0; secret < 1000; ++secret) {
    Scene lazy(secret, 0.65);
    lazy.random.seed(secret + 1);
    lazy.run();
    caught += lazy.caught() ? 1 : 0;
  }
  EXPECT_GE(caught, 998);
}

TEST(SpotChecks, OnlyCallsWithTheSameValuesAreLookedAt) {
  for (std::uint64_t secret = 0; secret < 20; ++secret) {
    SpotChecks spots(12, secret);
    std::vector<std::size_t> looked;
    for (std::size_t call = 0; call < 60; ++call) {
      const auto digest = [&]() -> Result<std::uint64_t> {
        looked.push_back(call % kContents);
        return call;
      };
      ASSERT_TRUE(
          spots.after_call(call % 12, digest, [] { return Result<Fetched>(Fetched{}); }).ok());
    }
    ASSERT_EQ(looked.size(), 8u);
    for (const std::size_t content : looked) EXPECT_EQ(content, spots.last_set() % kContents);
  }
}

TEST(SpotChecks, OneSetIsEnough) {
  SpotChecks spots(1, 3);
  EXPECT_EQ(spots.last_set(), 0u);
  int looked = 0;
  for (int call = 0; call < 20; ++call) {
    ASSERT_TRUE(spots
                    .after_call(
                        0, [&]() -> Result<std::uint64_t> { return ++looked; },
                        [] { return Result<Fetched>(Fetched{}); })
                    .ok());
  }
  EXPECT_EQ(looked, 8);
}

}  // namespace
}  // namespace warpwright::evaluate
