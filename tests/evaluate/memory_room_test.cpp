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

TEST(MemoryShares, WhatIsLargerThanAllOfItIsGivenAlone) {
  MemoryShares shares(10);
  std::optional<MemoryShares::Share> small(std::in_place, shares, 1);
  auto large = std::async(std::launch::async, [&] { const MemoryShares::Share share(shares, 99); });
  EXPECT_EQ(large.wait_for(kMoment), std::future_status::timeout);
  small.reset();
  large.get();
  const MemoryShares::Share again(shares, 99);
}

}  // namespace
}  // namespace warpwright::evaluate
