// SPDX-License-Identifier: Apache-2.0
// Registers that an instruction uses although nvdisasm's table of live ranges does not say so.
#include "sass/unlisted.h"

#include <gtest/gtest.h>

#include "sass/check.h"
#include "sass/replay.h"
#include "sass/retime.h"
#include "sass/written_function.h"

namespace warpwright::sass {
namespace {

Instruction completed(const std::string& opcode, const std::string& operands) {
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.operands = operands;
  add_unlisted_registers(instruction);
  return instruction;
}

constexpr std::size_t predicate(std::size_t number) { return register_at(Bank::predicate, number); }

/// Numbers of general registers and of predicates.
Instruction& write(Writer& writer, const std::string& opcode, const std::string& operands,
                   const Numbers& defs, const Numbers& uses, int stall) {
  Instruction& added = writer.add(opcode, operands, defs, uses, waits(stall, 0));
  add_unlisted_registers(added);
  return added;
}

TEST(Unlisted, AMaskSaysWhichPredicatesAreReadOrWritten) {
  EXPECT_EQ(names_of(completed("P2R", "R16, PR, RZ, 0x2").uses & ~RegisterSet().set(16)), "P1");
  EXPECT_EQ(names_of(completed("P2R.B1", "RZ, PR, RZ, 0x41").uses), "P0 P6");
  EXPECT_EQ(names_of(completed("P2R", "RZ, PR, RZ, 0x7f").uses), "P0 P1 P2 P3 P4 P5 P6");
  EXPECT_EQ(names_of(completed("R2P", "PR, RZ.B2, 0x7").defs), "P0 P1 P2");
  EXPECT_EQ(names_of(completed("UP2UR", "URZ, UPR, URZ, 0x8").uses), "UP3");
  EXPECT_EQ(names_of(completed("UR2UP", "UPR, URZ, 0x1").defs), "UP0");
  EXPECT_EQ(completed("P2R", "RZ, PR, RZ, c[0x0][0x160]").uses.count(), 7U) << "not known: all";
  EXPECT_FALSE(completed("R2P", "PR, RZ, 0x7").half_known);
}

TEST(Unlisted, WhatIsNamedAndNotListedIsAFence) {
  EXPECT_TRUE(may_move(completed("PLOP3.LUT", "PT, PT, PT, PT, PT, 0x8, 0x0")));
  EXPECT_FALSE(may_move(completed("PLOP3.LUT", "P0, PT, PT, PT, UP0, 0x8, 0x0")));
  EXPECT_FALSE(may_move(completed("SEL", "RZ, RZ, RZ, PR")));
  Instruction listed;
  listed.opcode = "IMAD";
  listed.operands = "R2, R3.reuse, -0x1, R4.H1";
  for (const std::size_t r : {3U, 4U}) listed.uses.set(r);
  listed.defs.set(2);
  add_unlisted_registers(listed);
  EXPECT_TRUE(may_move(listed));
  EXPECT_EQ(names_of(listed.uses), "R3 R4");
}

/// A part of a normalisation: two predicates are saved, each by a mask. ptxas leaves four cycles
/// between a comparison and who saves its predicate.
Function saved_predicates() {
  Writer writer;
  write(writer, "ISETP.GT.U32.AND", "P1, PT, R2, 0x7f, PT", {predicate(1)}, {2}, 4);
  write(writer, "ISETP.GT.U32.AND", "P0, PT, R2, 0x3f, PT", {predicate(0)}, {2}, 2);
  write(writer, "P2R", "R16, PR, RZ, 0x2", {16}, {}, 2);
  write(writer, "P2R", "R18, PR, RZ, 0x1", {18}, {}, 2);
  write(writer, "EXIT", "", {}, {}, 5);
  return writer.done();
}

TEST(Unlisted, ASavedPredicateKeepsItsDistance) {
  const LatencyTable table = shipped_table(90).value();
  const Function function = saved_predicates();
  EXPECT_TRUE(check_against(function, words_in(function), table).empty());
  // The other one may go before the comparison, but then two cycles are left behind that.
  const Function near = permuted(function, {0, 2, 1, 3, 4});
  const auto found = check_against(function, words_in(near), table);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().kind, HazardKind::latency) << found.front().message;
  const BlockGraph graph = graphs_of(function, table).front();
  const Order order{0, 2, 1, 3, 4};
  const auto stalls = stalls_of(function, graph, order);
  ASSERT_TRUE(stalls);
  EXPECT_GE((*stalls)[2], 4) << "what is retimed keeps it";
}

TEST(Unlisted, ReplayAndOrdersKnowIt) {
  const LatencyTable table = shipped_table(90).value();
  const Function function = saved_predicates();
  const Function early = permuted(function, {0, 3, 1, 2, 4});
  EXPECT_FALSE(replay_against(function, early).empty());
  EXPECT_FALSE(keeps_order(graphs_of(function, table).front(), Order{0, 3, 1, 2, 4}));

  Writer writer;
  write(writer, "R2P", "PR, R5, 0x6", {}, {5}, 13);
  write(writer, "SEL", "R6, R7, R8, P2", {6}, {7, 8, predicate(2)}, 5);
  write(writer, "SEL", "R9, R7, R8, P0", {9}, {7, 8, predicate(0)}, 5);
  write(writer, "EXIT", "", {}, {}, 5);
  const Function restored = writer.done();
  const BlockGraph graph = graphs_of(restored, table).front();
  EXPECT_FALSE(keeps_order(graph, Order{1, 0, 2, 3})) << "P2 is restored";
  EXPECT_TRUE(keeps_order(graph, Order{2, 0, 1, 3})) << "P0 is not";
}

TEST(Unlisted, ADistanceIsLearnedOfThePredicateThatIsRead) {
  const Function function = saved_predicates();
  int least = 1000;
  for_each_pair(function, function.blocks.front(),
                [&](Cause cause, std::size_t from, std::size_t to, std::size_t r) {
                  if (cause != Cause::read || bank_of(r) != Bank::predicate) return;
                  least = std::min(
                      least, issue_times(function, 0, 5)[to] - issue_times(function, 0, 5)[from]);
                });
  EXPECT_EQ(least, 4);
}

}  // namespace
}  // namespace warpwright::sass
