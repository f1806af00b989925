// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "reorder/narrow.h"
#include "sass/check.h"
#include "sass/replay.h"
#include "sass/schedule.h"
#include "sass/written_function.h"

namespace warpwright::sass {
namespace {

/// Two loads from one base. Only the second has scoreboards, and speaks for the first.
Function two_loads() {
  Writer writer;
  writer.add("LDS", "R16, [R50]", {16}, {50}, sets(4, kNoBarrier, kNoBarrier));
  writer.add("LDS", "R20, [R50+0x10]", {20}, {50}, sets(4, 0, 1));
  writer.add("FFMA", "R50, R1, R2, R3", {50}, {1, 2, 3}, waits(4, 1U << 1));
  writer.add("FFMA", "R4, R20, R2, R3", {4}, {20, 2, 3}, waits(4, 1U << 0));
  writer.add("FFMA", "R5, R16, R2, R3", {5}, {16, 2, 3}, waits(4, 0));
  writer.add("EXIT", "", {}, {}, waits(5, 0));
  return writer.done();
}

LatencyTable no_table() { return LatencyTable::parse("sm_90\n").value(); }

TEST(Ride, TheOriginalIsFreeOfHazards) {
  const Function function = two_loads();
  EXPECT_TRUE(check(function, no_table()).empty());
  EXPECT_TRUE(replay_against(function, function).empty());
}

TEST(Ride, ALoadWithoutAScoreboardStaysBeforeTheOneThatSpeaksForIt) {
  const Function function = two_loads();
  // The base is overwritten when the second load has read it: the first may still be to come.
  const Function changed = permuted(function, {1, 0, 2, 3, 4, 5});
  EXPECT_FALSE(check_against(function, words_in(changed), no_table()).empty());
  const auto replayed = replay_against(function, changed);
  ASSERT_FALSE(replayed.empty());
  EXPECT_EQ(replayed.front().kind, HazardKind::scoreboard);
  EXPECT_FALSE(check(changed, no_table()).empty());
}

TEST(Ride, WhoUsesItsResultStaysBehindTheWait) {
  const Function function = two_loads();
  const Function changed = permuted(function, {0, 1, 2, 4, 3, 5});
  EXPECT_FALSE(check_against(function, words_in(changed), no_table()).empty());
  EXPECT_FALSE(replay_against(function, changed).empty());
}

TEST(Ride, SourcesOfASlowInstructionWaitForItsOwnScoreboard) {
  Writer writer;
  writer.add("MUFU.RCP", "R8, R9", {8}, {9}, sets(2, 0, kNoBarrier));
  writer.add("FFMA", "R10, R8, R2, R3", {10}, {8, 2, 3}, waits(4, 1U << 0));
  writer.add("FFMA", "R9, R1, R2, R3", {9}, {1, 2, 3}, waits(4, 0));
  writer.add("EXIT", "", {}, {}, waits(5, 0));
  const Function function = writer.done();
  EXPECT_TRUE(check(function, no_table()).empty());
  const Function changed = permuted(function, {0, 2, 1, 3});
  EXPECT_FALSE(check_against(function, words_in(changed), no_table()).empty());
  EXPECT_FALSE(replay_against(function, changed).empty());
}

TEST(Replay, SeesOtherValuesWithoutKnowingDependences) {
  Writer writer;
  writer.add("FFMA", "R4, R1, R2, R3", {4}, {1, 2, 3}, waits(4, 0));
  writer.add("FFMA", "R5, R4, R2, R3", {5}, {4, 2, 3}, waits(4, 0));
  writer.add("FFMA", "R6, R1, R2, R3", {6}, {1, 2, 3}, waits(4, 0));
  writer.add("EXIT", "", {}, {}, waits(5, 0));
  const Function function = writer.done();
  EXPECT_TRUE(replay_against(function, permuted(function, {2, 0, 1, 3})).empty());
  const auto found = replay_against(function, permuted(function, {1, 0, 2, 3}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().kind, HazardKind::registers);
}

/// The end of rmsnorm: both halves of an addend are copied, and ptxas leaves 7 cycles behind the
/// lower one and 3 behind the upper one, which is read later.
Function wide_addend(Control lower, Control upper, std::uint64_t form) {
  Writer writer;
  writer.add("MOV", "R4, UR4", {4}, {register_at(Bank::uniform, 4)}, lower);
  writer.add("MOV", "R5, UR5", {5}, {register_at(Bank::uniform, 5)}, upper);
  writer.add("IMAD.WIDE", "R4, R0, 0x10, R4", {4, 5}, {0, 4, 5}, waits(5, 0));
  writer.add("EXIT", "", {}, {}, waits(5, 0));
  Function function = writer.done();
  function.code[2].words.low = (function.code[2].words.low & ~0xe00ULL) | form << 9;
  function.code[2].words.high = (function.code[2].words.high & ~255ULL) | 4;
  return function;
}

TEST(Halves, TheLowerOneDoesNotProfitFromTheUpperOne) {
  const LatencyTable table = shipped_table(90).value();
  EXPECT_GE(table.find(Relation::general, "MOV", "IMAD.WIDE:C").value_or(kSlowestResult), 4);
  for (const std::uint64_t form : {4U, 6U}) {  // an immediate, a uniform register
    const Function function = wide_addend(waits(4, 0), waits(3, 0), form);
    EXPECT_TRUE(check_against(function, words_in(function), table).empty());
    Function near = permuted(function, {1, 0, 2, 3});
    near.code[0].words = with_control(near.code[0].words, waits(2, 0), false);
    near.code[1].words = with_control(near.code[1].words, waits(3, 0), false);
    const auto found = check_against(function, words_in(near), table);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found.front().kind, HazardKind::latency);
    // What is retimed keeps the distance.
    const BlockGraph graph = graphs_of(function, table).front();
    const Order order{1, 0, 2, 3};
    const auto stalls = stalls_of(function, graph, order);
    ASSERT_TRUE(stalls);
    EXPECT_GE((*stalls)[1], 4);
  }
}

/// The begin of sgemm: other work stands between the copies and the product.
TEST(Halves, TheLowerOneMayNotComeNearerThanItWas) {
  Writer writer;
  writer.add("MOV", "R10, R52", {10}, {52}, waits(1, 0));
  writer.add("FFMA", "R20, R1, R2, R3", {20}, {1, 2, 3}, waits(1, 0));
  writer.add("MOV", "R11, R53", {11}, {53}, waits(1, 0));
  for (std::size_t i = 0; i < 3; ++i)
    writer.add("FFMA", "R21, R1, R2, R3", {21 + i}, {1, 2, 3}, waits(1, 0));
  writer.add("IMAD.WIDE", "R10, R49, UR4, R10", {10, 11}, {10, 11, 49}, waits(5, 0));
  writer.add("EXIT", "", {}, {}, waits(5, 0));
  Function function = writer.done();
  function.code[6].words.low = (function.code[6].words.low & ~0xff000e00ULL) | 6U << 9 | 49U << 24;
  function.code[6].words.high = (function.code[6].words.high & ~255ULL) | 10;
  const LatencyTable table = shipped_table(90).value();
  EXPECT_TRUE(check_against(function, words_in(function), table).empty());
  const Function near = permuted(function, {1, 2, 3, 0, 4, 5, 6, 7});  // 3 cycles
  EXPECT_FALSE(check_against(function, words_in(near), table).empty());
}

TEST(Narrow, LeavesThePairThatMustNotChange) {
  Writer writer;
  for (std::size_t i = 0; i < 24; ++i)
    writer.add("FFMA", "R4, R1, R2, R3", {10 + i}, {1, 2, 3}, waits(1, 0));
  writer.add("EXIT", "", {}, {}, waits(5, 0));
  const Function function = writer.done();
  const Kernel kernel(function, no_table());
  const auto goes_wrong = [](const Function& scheduled) -> Result<bool> {
    std::size_t five = 0, nine = 0;
    for (std::size_t i = 0; i < scheduled.code.size(); ++i) {
      if (scheduled.code[i].offset == 5 * kWordBytes) five = i;
      if (scheduled.code[i].offset == 9 * kWordBytes) nine = i;
    }
    return nine < five;
  };
  Random random(3);
  int narrowed = 0;
  for (int i = 0; i < 20; ++i) {
    const Schedule schedule = random_schedule(kernel, random);
    const auto scheduled = kernel.apply(schedule);
    ASSERT_TRUE(scheduled);
    if (!goes_wrong(*scheduled).value()) continue;
    const auto result = reorder::narrow(kernel, schedule, 400, goes_wrong);
    ASSERT_TRUE(result.ok());
    EXPECT_TRUE(result->finished);
    // Neighbours that were put next to the pair may have to stay between them.
    ASSERT_FALSE(result->swapped.empty());
    EXPECT_LE(result->swapped.size(), 7U);
    EXPECT_NE(std::find(result->swapped.begin(), result->swapped.end(),
                        std::pair<std::size_t, std::size_t>(5, 9)),
              result->swapped.end());
    // Few runs find the pair, whatever else has moved.
    const auto quick = reorder::narrow(kernel, schedule, 12, goes_wrong);
    ASSERT_TRUE(quick.ok() && quick->decides);
    EXPECT_EQ(*quick->decides, (std::pair<std::size_t, std::size_t>(5, 9)));
    EXPECT_NE(reorder::narrowed_text(kernel, *result).find("as it goes wrong"), std::string::npos);
    ++narrowed;
  }
  EXPECT_GT(narrowed, 3);
}

}  // namespace
}  // namespace warpwright::sass
