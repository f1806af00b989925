// SPDX-License-Identifier: Apache-2.0
#include "sass/scoreboards.h"

#include <gtest/gtest.h>

#include "sass/forecast.h"
#include "sass/latency.h"
#include "sass/schedule.h"
#include "sass/written_function.h"

namespace warpwright::sass {
namespace {

LatencyTable empty_table() { return LatencyTable::parse("sm_90\n").value(); }

/// Two loads on one scoreboard: a long calculation with the first waits for the second, too.
Function shared_scoreboard() {
  Writer writer;
  writer.add("LDS", "R10, [R50]", {10}, {50}, sets(2, 0, kNoBarrier));
  for (int i = 0; i < 12; ++i) writer.add("FADD", "R1, R1, R2", {1}, {1, 2}, waits(4, 0));
  writer.add("LDG.E", "R20, [R60.64]", {20}, {60, 61}, sets(4, 0, kNoBarrier));
  writer.add("FADD", "R11, R10, R2", {11}, {10, 2}, waits(4, 1U << 0));
  for (int i = 0; i < 20; ++i) writer.add("FADD", "R11, R11, R2", {11}, {11, 2}, waits(4, 0));
  writer.add("FADD", "R21, R20, R11", {21}, {20, 11}, waits(4, 0));
  writer.add("EXIT", "", {}, {}, waits(5, 0));
  return writer.done();
}

void set_scoreboards(Instruction& instruction, int write, unsigned mask) {
  Control control = instruction.control();
  control.write_barrier = write;
  control.wait_mask = mask;
  instruction.words = with_control(instruction.words, control, instruction.shows_reuse);
}

TEST(Scoreboards, TwoLoadsGetOneEachWhereThatIsShorter) {
  const Function function = shared_scoreboard();
  int changed = 0;
  const Function finer = with_finer_scoreboards(function, &changed);
  EXPECT_EQ(changed, 1);
  EXPECT_NE(finer.code[0].control().write_barrier, finer.code[13].control().write_barrier);
  EXPECT_NE(finer.code[35].control().wait_mask, 0U);  // who reads the second load waits itself now
  EXPECT_TRUE(check_scoreboards_against(function, finer).empty());
  EXPECT_TRUE(check(finer, empty_table()).empty());
  const std::vector<std::size_t> blocks = {0};
  EXPECT_LT(forecast_cycles(finer, blocks, false, 270),
            forecast_cycles(function, blocks, false, 270));
}

TEST(Scoreboards, AWaitThatIsGoneIsAHazard) {
  const Function function = shared_scoreboard();
  Function wrong = function;
  set_scoreboards(wrong.code[13], 1, 0);  // its own scoreboard, and nobody waits for it
  EXPECT_FALSE(check_scoreboards_against(function, wrong).empty());
  wrong = function;
  set_scoreboards(wrong.code[14], kNoBarrier, 0);  // nobody waits at all
  EXPECT_FALSE(check_scoreboards_against(function, wrong).empty());
}

TEST(Scoreboards, OtherBitsAndSettersThatAreGoneAreHazards) {
  const Function function = shared_scoreboard();
  Function wrong = function;
  set_scoreboards(wrong.code[0], kNoBarrier, 0);
  EXPECT_FALSE(check_scoreboards_against(function, wrong).empty());
  wrong = function;
  wrong.code[1].words.low ^= 1;
  EXPECT_FALSE(check_scoreboards_against(function, wrong).empty());
}

/// The same, but a synchronisation stands before the second load is used.
TEST(Scoreboards, NoWaitPassesAFence) {
  Function function = shared_scoreboard();
  function.code[34].opcode = "BAR.SYNC";
  function.code[34].defs = {};
  function.code[34].uses = {};
  const Function finer = with_finer_scoreboards(function);
  unsigned waited = 0;
  for (std::size_t i = 14; i <= 34; ++i) waited |= finer.code[i].control().wait_mask;
  EXPECT_NE(waited & 1U << finer.code[13].control().write_barrier, 0U);
}

TEST(Scoreboards, OrdersOfAFinerFunctionHoldAgainstIt) {
  const Function finer = with_finer_scoreboards(shared_scoreboard());
  const Kernel kernel(finer, empty_table());
  Random random(7);
  for (int i = 0; i < 20; ++i)
    EXPECT_TRUE(kernel.apply(random_schedule(kernel, random)).has_value());
}

}  // namespace
}  // namespace warpwright::sass
