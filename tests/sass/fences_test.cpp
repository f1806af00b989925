// SPDX-License-Identifier: Apache-2.0
// A fence takes some cycles until it holds its warp.
#include "sass/fences.h"

#include <gtest/gtest.h>

#include "sass/check.h"
#include "sass/retime.h"
#include "sass/written_function.h"

namespace warpwright::sass {
namespace {

constexpr std::size_t kP4 = register_at(Bank::predicate, 4);

/// A part of a normalisation: a comparison fills the time between a barrier and a load.
Function barrier_and_load(bool border) {
  Writer writer;
  writer.add("STS", "[R8], R7", {}, {8, 7}, waits(1, 0));
  writer.add("BAR.SYNC.DEFER_BLOCKING", "0x0", {}, {}, waits(1, 0));
  writer.add("ISETP.NE.AND", "P4, PT, R6, RZ, PT", {kP4}, {6}, waits(5, 0));
  writer.add("LDS", "R0, [R8]", {0}, {8}, sets(4, 0, kNoBarrier));
  writer.add("FADD", "R9, R0, R5", {9}, {0, 5}, waits(13, 1));
  writer.add("EXIT", "", {}, {}, waits(5, 0));
  Function function = writer.done();
  if (border) {
    function.blocks = {{.first = 0, .end = 2, .successors = {1}}, {.first = 2, .end = 6}};
  }
  return function;
}

const Order kEarlyLoad{0, 1, 3, 2, 4, 5};

TEST(Fences, ALoadRightBehindABarrierIsRefused) {
  const LatencyTable table = shipped_table(90).value();
  const Function function = barrier_and_load(false);
  EXPECT_TRUE(check_against(function, words_in(function), table).empty());
  const Function early = permuted(function, {0, 1, 3, 2, 4, 5});
  const auto found = check_against(function, words_in(early), table);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().kind, HazardKind::latency);
  EXPECT_NE(found.front().message.find("(fence)"), std::string::npos) << found.front().message;
}

TEST(Fences, RetimingGivesTheBarrierItsTime) {
  for (const bool known : {true, false}) {
    const LatencyTable table =
        known ? shipped_table(90).value() : LatencyTable::parse("sm_90\n").value();
    const Function function = barrier_and_load(false);
    const BlockGraph graph = graphs_of(function, table).front();
    const auto stalls = stalls_of(function, graph, kEarlyLoad);
    ASSERT_TRUE(stalls);
    EXPECT_GE((*stalls)[1], 6);
    EXPECT_EQ((*stalls_of(function, graph, original_order(graph)))[1], 1) << "as it was built";
  }
}

TEST(Fences, ABarrierAtTheEndOfABlockReachesIntoTheNext) {
  const LatencyTable table = shipped_table(90).value();
  const Function function = barrier_and_load(true);
  const auto graphs = graphs_of(function, table);
  EXPECT_GE(graphs[0].to_end[1], 1);
  EXPECT_EQ(graphs[1].from_start[1], 5);
  const Function early = permuted(function, {0, 1, 3, 2, 4, 5});
  EXPECT_FALSE(check_against(function, words_in(early), table).empty());
}

TEST(Fences, PlainWorkNeedsNoDistance) {
  const LatencyTable table = shipped_table(90).value();
  const Function function = barrier_and_load(false);
  EXPECT_EQ(needed_behind_fence(table, function.code[1].opcode, function.code[2], 9), 1);
  EXPECT_EQ(needed_behind_fence(table, function.code[1].opcode, function.code[3], 9), 6);
  EXPECT_EQ(needed_behind_fence(table, function.code[1].opcode, function.code[3], 4), 4);
  EXPECT_FALSE(holds_back(function.code[5], true)) << "EXIT transfers control";
}

}  // namespace
}  // namespace warpwright::sass
