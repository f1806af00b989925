// SPDX-License-Identifier: Apache-2.0
#include "store/ledger.h"

#include <gtest/gtest.h>

#include "base/files.h"

namespace warpwright::store {
namespace {

class LedgerTest : public testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<Ledger> open() const {
    return std::move(Ledger::open(folder_.path() / "below" / "ledger.db", clock_)).value();
  }
  SystemClock clock_;
  TemporaryDirectory folder_ = std::move(TemporaryDirectory::create("ww-ledger-")).value();
};

TEST_F(LedgerTest, QuestionsAndResultsOutliveTheirProcess) {
  {
    const auto ledger = open();
    EXPECT_TRUE(ledger->add({"a", "x", "wish a"}).value());
    EXPECT_FALSE(ledger->add({"a", "y", "wish a"}).value());
    EXPECT_TRUE(ledger->add({"b", "y", "wish b"}).value());
    EXPECT_TRUE(ledger->begin("a").ok());
    EXPECT_TRUE(ledger->begin("b").ok());
    EXPECT_FALSE(ledger->result("a").value());
    EXPECT_TRUE(ledger->finish("a", "ok").ok());
  }
  const auto ledger = open();
  EXPECT_EQ(ledger->result("a").value(), "ok");
  const auto left = ledger->unfinished().value();
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].id, "b");
  EXPECT_EQ(left[0].client, "y");
  EXPECT_EQ(left[0].wish, "wish b");
  EXPECT_TRUE(ledger->begin("b").ok());
  EXPECT_TRUE(ledger->finish("b", "bad").ok());
  const auto figures = ledger->figures().value();
  EXPECT_EQ(figures.open, 0);
  EXPECT_EQ(figures.done, 2);
  EXPECT_EQ(figures.judged_again, 1);
}

TEST_F(LedgerTest, WhatIsDroppedWasNeverAskedAndOldResultsGo) {
  const auto ledger = open();
  EXPECT_TRUE(ledger->add({"a", "", ""}).value());
  EXPECT_TRUE(ledger->drop("a").ok());
  EXPECT_TRUE(ledger->add({"a", "", ""}).value());
  EXPECT_TRUE(ledger->finish("a", "ok").ok());
  EXPECT_TRUE(ledger->drop("a").ok());  // a result is never dropped
  EXPECT_TRUE(ledger->result("a").value().has_value());
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(ledger->add({std::to_string(i), "", ""}).value());
    if (i != 0) {
      EXPECT_TRUE(ledger->finish(std::to_string(i), "ok").ok());
    }
  }
  EXPECT_TRUE(ledger->keep(2).ok());
  const auto figures = ledger->figures().value();
  EXPECT_EQ(figures.open, 1);  // what waits is never forgotten
  EXPECT_EQ(figures.done, 2);
}

TEST_F(LedgerTest, WhereNothingCanBeWrittenIsAnError) {
  SystemClock clock;
  EXPECT_FALSE(Ledger::open("/proc/none/ledger.db", clock).ok());
}

}  // namespace
}  // namespace warpwright::store
