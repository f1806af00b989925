// SPDX-License-Identifier: Apache-2.0
#include "base/one_way.h"

#include <gtest/gtest.h>

#include <set>

namespace warpwright {
namespace {

TEST(OneWay, IsAFunctionOfAllItsParts) {
  EXPECT_EQ(one_way(1, "a", 2), one_way(1, "a", 2));
  std::set<std::uint64_t> all;
  for (std::uint64_t secret = 0; secret < 10; ++secret) {
    for (const char* purpose : {"a", "b", "1"}) {
      for (std::uint64_t n = 0; n < 10; ++n) all.insert(one_way(secret, purpose, n));
    }
  }
  EXPECT_EQ(all.size(), 300u);
}

TEST(OneWay, IsTheBeginningOfASha256) {
  // printf 'poison/7/0' | sha256sum
  EXPECT_EQ(one_way(7, "poison"), 0xb261aa0189daab0bu);
}

}  // namespace
}  // namespace warpwright
