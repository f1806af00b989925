// SPDX-License-Identifier: Apache-2.0
#include "port/outputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace warpwright::port {
namespace {

using testing::HasSubstr;
using testing::Optional;

TEST(Outputs, LinesThatTellATimeOrARate) {
  for (const char* line :
       {"Average kernel execution time: 12.5 (us)", "Elapsed 3", "kernel took 0.5s", "1.2 GFLOP/s",
        "Throughput = 3e9", "bandwidth 12 GB/s", "total: 4 [ms]", "12.1 MB/sec"})
    EXPECT_TRUE(is_timing_line(line)) << line;
  for (const char* line : {"PASS", "sum = 12.5", "size 3 MB", "the program's result 4",
                           "checksum: 12", "lifetimes 3", "the second value 7"})
    EXPECT_FALSE(is_timing_line(line)) << line;
}

TEST(Outputs, NumbersOfSuchLinesDoNotCount) {
  EXPECT_EQ(without_numbers("time:   1.5e-3 s, inf x2 -nan"), "time: # s, # x2 #");
  EXPECT_FALSE(difference("PASS\ntime 1.5 s\n", "PASS\ntime   22 s\n", Tolerance::none));
  EXPECT_THAT(difference("time of A 1 s\n", "time of B 1 s\n", Tolerance::none),
              Optional(HasSubstr("time of B")));
  EXPECT_THAT(difference("sum 1.5\n", "sum 1.6\n", Tolerance::none), Optional(HasSubstr("line 1")));
  EXPECT_THAT(difference("a\nb\n", "a\n", Tolerance::none), Optional(HasSubstr("1 lines instead")));
}

TEST(Outputs, SumsInAnyOrderMayDifferALittle) {
  EXPECT_FALSE(difference("sum 1000.01 of 7\n", "sum 1000.02 of 7\n", Tolerance::sums));
  EXPECT_TRUE(difference("sum 1000.01 of 7\n", "sum 1001 of 7\n", Tolerance::sums));
  EXPECT_TRUE(difference("sum 1000.01 of 7\n", "sum 1000.02 of 7\n", Tolerance::none));
  const auto bytes = [](auto value) {
    std::string text(sizeof value, '\0');
    std::memcpy(text.data(), &value, sizeof value);
    return text;
  };
  EXPECT_TRUE(same_data(bytes(1000.01f), bytes(1000.02f), Tolerance::sums));
  EXPECT_FALSE(same_data(bytes(1000.01f), bytes(1000.02f), Tolerance::none));
  EXPECT_FALSE(same_data(bytes(1000.01f), bytes(1001.0f), Tolerance::sums));
  EXPECT_FALSE(same_data(bytes(7), bytes(8), Tolerance::sums));
  EXPECT_FALSE(same_data(bytes(7), bytes(7L), Tolerance::sums));
}

TEST(Outputs, WhatTheOriginalPrintsAnewEachTimeIsLeftOut) {
  const auto stable = without_changing_parts("seed 17 sum 3\nPASS\n", "seed 18 sum 3\nPASS\n",
                                             "seed 5 sum 4\nPASS\n");
  ASSERT_TRUE(stable);
  EXPECT_EQ(stable->expected, "seed sum 3 \nPASS\n");
  EXPECT_EQ(stable->got, "seed sum 4 \nPASS\n");
  EXPECT_FALSE(without_changing_parts("a\n", "a\nb\n", "a\n"));
}

TEST(Outputs, ThePlaceOfAProgramIsNotCompared) {
  EXPECT_EQ(without_own_path("Usage: /tmp/a/x <n>\nsee /tmp/a/x", "/tmp/a/x"),
            "Usage: program <n>\nsee program");
  EXPECT_EQ(without_own_path("nothing", ""), "nothing");
}

}  // namespace
}  // namespace warpwright::port
