// SPDX-License-Identifier: Apache-2.0
#include "llm/price.h"

#include <gtest/gtest.h>

#include "llm/service.h"

namespace warpwright::llm {
namespace {

TEST(Price, CostsAddUp) {
  const Price price{1.0, 0.1, 2.0, 10.0};
  const Usage usage{.fresh = 1000, .cache_read = 10000, .cache_write = 500, .output = 100};
  EXPECT_DOUBLE_EQ(cost_usd(price, usage), 0.001 + 0.001 + 0.001 + 0.001);
}

TEST(Price, SnapshotsShareTheRowOfTheirModelAndOtherModelsDoNot) {
  const auto price = find_price("openai", "gpt-4.1");
  ASSERT_TRUE(price.has_value());
  EXPECT_EQ(find_price("openai", "gpt-4.1-2025-04-14"), price);
  EXPECT_NE(find_price("openai", "gpt-4.1-mini"), price);
  EXPECT_FALSE(find_price("openai", "gpt-4.1-nano").has_value());
  EXPECT_FALSE(find_price("openai", "gpt-4.1-2").has_value());
  EXPECT_FALSE(find_price("openrouter", "gpt-4.1").has_value());
}

TEST(Price, RowsAreSane) {
  for (const PriceRow& row : price_rows()) {
    EXPECT_NE(find_service(row.service), nullptr) << row.model;
    EXPECT_LE(row.price.cache_read, row.price.fresh) << row.model;
    EXPECT_GE(row.price.cache_write, row.price.fresh) << row.model;
    EXPECT_GT(row.price.output, row.price.fresh) << row.model;
    EXPECT_EQ(row.as_of.size(), 7U) << row.model;
  }
}

TEST(Usage, Adds) {
  Usage sum{.fresh = 1, .cache_read = 2, .cache_write = 3, .output = 4, .reasoning = 5};
  sum += Usage{.fresh = 10,
               .cache_read = 20,
               .cache_write = 30,
               .output = 40,
               .reasoning = 50,
               .estimated = true};
  EXPECT_EQ(sum, (Usage{11, 22, 33, 44, 55, true}));
  EXPECT_EQ(sum.total(), 110);
}

}  // namespace
}  // namespace warpwright::llm
