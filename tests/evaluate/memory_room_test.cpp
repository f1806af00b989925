// SPDX-License-Identifier: Apache-2.0
#include "evaluate/memory_room.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <optional>

namespace warpwright::evaluate {
namespace {

constexpr auto kMoment = std::chrono::milliseconds(50);

TEST(MemoryShares, WhatFitsIsGivenTogetherAndTheRestWaits) {
  MemoryShares shares(10);
  std::optional<MemoryShares::Share> first(std::in_place, shares, 4);
  const MemoryShares::Share second(shares, 6);
  auto third = std::async(std::launch::async, [&] { const MemoryShares::Share share(shares, 4); });
  EXPECT_EQ(third.wait_for(kMoment), std::future_status::timeout);
  first.reset();
  third.get();
}

TEST(MemoryShares, WhatIsLargerThanAllOfItLeavesALittleToSmallOnes) {
  MemoryShares shares(16);
  std::optional<MemoryShares::Share> middle(std::in_place, shares, 3);
  auto large = std::async(std::launch::async, [&] { const MemoryShares::Share share(shares, 99); });
  EXPECT_EQ(large.wait_for(kMoment), std::future_status::timeout);
  middle.reset();
  large.get();
  std::optional<MemoryShares::Share> again(std::in_place, shares, 99);
  const MemoryShares::Share small(shares, 1), other(shares, 1);
  auto third = std::async(std::launch::async, [&] { const MemoryShares::Share share(shares, 1); });
  EXPECT_EQ(third.wait_for(kMoment), std::future_status::timeout);
  again.reset();
  third.get();
}

}  // namespace
}  // namespace warpwright::evaluate
