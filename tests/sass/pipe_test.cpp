// SPDX-License-Identifier: Apache-2.0
// What comes behind another one through the same pipe needs no scoreboard to stay behind it.
#include <gtest/gtest.h>

#include "sass/check.h"
#include "sass/written_function.h"

namespace warpwright::sass {
namespace {

std::size_t scoreboard_hazards(const Function& function) {
  std::size_t count = 0;
  for (const Hazard& hazard : check(function, LatencyTable::parse("sm_90\n").value()))
    count += hazard.kind == HazardKind::scoreboard ? 1 : 0;
  return count;
}

Instruction& guarded(Instruction& instruction, std::size_t predicate) {
  instruction.guard = Guard{register_at(Bank::predicate, predicate), false};
  return instruction;
}

/// Two conversions to one register under guards that nobody relates, then a reader.
Function overwritten(const std::string& second, unsigned reader_waits) {
  Writer writer;
  guarded(writer.add("F2I.TRUNC.NTZ", "R10, R30", {10}, {30}, sets(2, 2, kNoBarrier)), 1);
  guarded(writer.add(second, "R10, R36", {10}, {36}, sets(2, 0, kNoBarrier)), 2);
  writer.add("IADD3", "R4, R10, R5, RZ", {4}, {10, 5}, waits(4, reader_waits));
  writer.add("EXIT", "", {}, {}, waits(5, 0));
  return writer.done();
}

TEST(Pipe, ALaterResultOfThePipeStandsForTheEarlierOne) {
  EXPECT_EQ(scoreboard_hazards(overwritten("F2I.TRUNC.NTZ", 1U << 0)), 0U);
}

TEST(Pipe, TheEarlierOnesScoreboardDoesNotStandForTheLater) {
  EXPECT_EQ(scoreboard_hazards(overwritten("F2I.TRUNC.NTZ", 1U << 2)), 1U);
  EXPECT_EQ(scoreboard_hazards(overwritten("F2I.TRUNC.NTZ", 0)), 1U);
}

TEST(Pipe, AnotherPipeMayBeFaster) {
  // The load overwrites a result that is under way, and its scoreboard says nothing of that one.
  EXPECT_EQ(scoreboard_hazards(overwritten("LDG.E", 1U << 0)), 2U);
}

Function overwrites_source(const std::string& opcode, bool own_source) {
  Writer writer;
  writer.add("F2F.F64.F32", "R14, R21", {14, 15}, {21}, sets(2, 0, kNoBarrier));
  writer.add(opcode, own_source ? "R20, R21" : "R20, R20", {20, 21}, {own_source ? 21U : 20U},
             sets(2, 1, kNoBarrier));
  writer.add("EXIT", "", {}, {}, waits(5, 3));
  return writer.done();
}

TEST(Pipe, SourcesAreReadInOrder) {
  EXPECT_EQ(scoreboard_hazards(overwrites_source("F2F.F64.F32", false)), 0U);
  EXPECT_EQ(scoreboard_hazards(overwrites_source("LDG.E.64", false)), 1U);
}

TEST(Pipe, DoublesAreAPipeOfTheirOwn) {
  const auto second = [](const std::string& opcode) {
    Writer writer;
    writer.add("DADD", "R4, R8, R12", {4, 5}, {8, 9, 12, 13}, sets(2, 0, kNoBarrier));
    writer.add(opcode, "R8, R16", {8, 9}, {16, 17}, sets(2, 1, kNoBarrier));
    writer.add("EXIT", "", {}, {}, waits(5, 3));
    return scoreboard_hazards(writer.done());
  };
  EXPECT_EQ(second("DMUL"), 0U);
  EXPECT_EQ(second("F2F.F64.F32"), 1U);
  EXPECT_EQ(second("LDG.E.64"), 1U);
}

TEST(Pipe, ALoadFromSharedMemoryMayOverwriteTheOneBefore) {
  Writer writer;
  writer.add("LDS.U16", "R6, [R26]", {6}, {26}, sets(2, 0, kNoBarrier));
  writer.add("LDS.U16", "R6, [R26+0x30]", {6}, {26}, sets(2, 1, kNoBarrier));
  writer.add("IADD3", "R4, R6, R5, RZ", {4}, {6, 5}, waits(4, 1U << 1));
  writer.add("EXIT", "", {}, {}, waits(5, 0));
  EXPECT_EQ(scoreboard_hazards(writer.done()), 0U);
}

TEST(Pipe, ACallWaitsForNothingItself) {
  const auto second = [](const std::string& opcode) {
    Writer writer;
    writer.add("LDG.E", "R6, [R26]", {6}, {26}, sets(2, 0, kNoBarrier));
    writer.add(opcode, "R4", {4}, {6}, waits(5, 0));
    writer.add("EXIT", "", {}, {}, waits(5, 1));
    return scoreboard_hazards(writer.done());
  };
  EXPECT_EQ(second("CALL.REL.NOINC"), 0U);
  EXPECT_EQ(second("IADD3"), 1U);
}

TEST(Pipe, WhatAComparisonComparesIsNoMatter) {
  const auto table = LatencyTable::parse(
                         "sm_90\np ISETP.LT.U32.AND SEL 6 60 40\np ISETP.LT.U32.AND * 6 90 60\n"
                         "p ISETP.GE.AND SEL 4 80 50\np ISETP.GE.AND * 4 80 50\n"
                         "r IMAD.WIDE FFMA 6 60 40\nr IMAD.WIDE * 6 60 40\nr IMAD FFMA 4 60 40\n")
                         .value();
  EXPECT_EQ(table.kept(Relation::predicate, "ISETP.LT.U32.AND", "SEL"), 4);
  EXPECT_EQ(table.kept(Relation::general, "IMAD.WIDE", "FFMA"), 6)
      << "another width is another one";
}

}  // namespace
}  // namespace warpwright::sass
