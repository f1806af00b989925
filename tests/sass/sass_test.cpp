// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sass/check.h"
#include "sass/report.h"
#include "sass/sass_fixture.h"
#include "sass/search.h"
#include "sass/tool.h"

namespace warpwright::sass {
namespace {

using testing::HasSubstr;

LatencyTable tiny_table() {
  return LatencyTable::parse(
             "sm_90\n# made up\nr FFMA FFMA 4 100 50\nr FFMA FADD 4 100 50\nr FFMA * 4 500 90\n"
             "r IMAD.WIDE IMAD.WIDE 4 60 30\ni FFMA FADD 1 30 30\n")
      .value();
}

TEST(Control, RoundTripOfEveryField) {
  const Words words{0x0000000409097c24, 0x001fca000f8e0200};
  const Control control = control_of(words);
  EXPECT_EQ(control.stall, 5);
  EXPECT_FALSE(control.yields && control.wait_mask == 0);
  EXPECT_EQ(control.wait_mask, 1U);
  EXPECT_EQ(control.write_barrier, kNoBarrier);
  EXPECT_EQ(with_control(words, control, true), words);
  Control other = control;
  other.stall = 9;
  other.write_barrier = 3;
  EXPECT_EQ(control_of(with_control(words, other, true)), other);
}

TEST(Control, YieldsGoWithStalls) {
  EXPECT_TRUE(yield_for(0, false));
  EXPECT_FALSE(yield_for(1, true));
  EXPECT_TRUE(yield_for(5, true));
  EXPECT_FALSE(yield_for(11, false));
  EXPECT_TRUE(yield_for(12, false));
}

TEST(Listing, KnowsRegistersGuardsAndLabels) {
  const auto sections = parse_listing(tiny_listing());
  ASSERT_TRUE(sections.ok()) << sections.error().message;
  ASSERT_EQ(sections->size(), 1U);
  const ListedSection& tiny = sections->front();
  EXPECT_EQ(tiny.name, "tiny");
  ASSERT_EQ(tiny.code.size(), 24U);
  EXPECT_EQ(tiny.labels.at(".L_x_0"), 23U);
  const Instruction& wide = tiny.code[0xc];
  EXPECT_EQ(wide.opcode, "IMAD.WIDE");
  EXPECT_EQ(names_of(wide.defs), "R4 R5");
  EXPECT_EQ(names_of(wide.uses), "R2 R3 R13");
  EXPECT_EQ(wide.live[0], 9);
  ASSERT_TRUE(tiny.code[7].guard);
  EXPECT_EQ(register_name(tiny.code[7].guard->predicate), "P0");
  EXPECT_EQ(names_of(tiny.code[0xd].uses), "R2 R3 UR4 UR5");
}

TEST(Listing, RefusesWhatHasNoTableOrNoWords) {
  std::string text = tiny_listing();
  EXPECT_FALSE(parse_listing(text.substr(0, text.find("/* 0x000fe20000000800"))).ok());
  EXPECT_FALSE(parse_listing("\t.section\t.text.k,\"ax\"\n /*0000*/ NOP ;\n").ok());
}

TEST(Cubin, IsWrittenBackByteForByte) {
  const Program program = tiny_program();
  EXPECT_EQ(program.cubin().architecture(), 90);
  EXPECT_EQ(program.bytes(), program.cubin().bytes());
  EXPECT_EQ(program.bytes_with(program.functions().front()), program.cubin().bytes());
  EXPECT_EQ(program.functions().front().pinned, (std::set<std::uint64_t>{0x70, 0x160}));
}

TEST(Cubin, RefusesDamage) {
  const std::string whole = tiny_program().cubin().bytes();
  for (const std::size_t size : {0UL, 15UL, 63UL, 100UL, whole.size() - 1})
    EXPECT_FALSE(Cubin::parse(whole.substr(0, size)).ok()) << size;
  std::string other = whole;
  other[18] = 62;
  EXPECT_FALSE(Cubin::parse(other).ok());
}

TEST(Memory, TellsAccessesApart) {
  const Program program = tiny_program();
  const auto& code = program.functions().front().code;
  EXPECT_TRUE(memory_accesses(code[0xd]).empty()) << "read-only data conflicts with nobody";
  const auto store = memory_accesses(code[0x14]);
  ASSERT_EQ(store.size(), 1U);
  EXPECT_TRUE(store[0].writes);
  ASSERT_TRUE(store[0].at);
  EXPECT_EQ(store[0].at->base, "R6.64");
  EXPECT_TRUE(may_conflict(store[0], memory_accesses(code[0x15])[0], false));
}

TEST(Graph, KeepsWhatDependsOnWhat) {
  const Program program = tiny_program();
  const Function& function = program.functions().front();
  const auto graphs = graphs_of(function, tiny_table());
  const BlockGraph* last = nullptr;
  for (const BlockGraph& graph : graphs)
    if (graph.first == 8) last = &graph;
  ASSERT_NE(last, nullptr);
  ASSERT_EQ(last->regions.size(), 1U);
  Order order = original_order(*last);
  EXPECT_TRUE(keeps_order(*last, order));
  std::swap(order[9], order[10]);  // FFMA before the FFMA that it reads
  EXPECT_FALSE(keeps_order(*last, order));
  order = original_order(*last);
  std::swap(order[0], order[1]);  // LDC and ULDC have nothing in common
  EXPECT_TRUE(keeps_order(*last, order));
}

TEST(Check, AcceptsPtxasAndFindsPlantedHazards) {
  const Program program = tiny_program();
  const Function& function = program.functions().front();
  EXPECT_TRUE(check(program, tiny_table()).empty());
  EXPECT_TRUE(check_against(function, words_of(function.code), tiny_table()).empty());

  Function waits = function;  // FFMA does not wait for its loads
  Control control = waits.code[0x11].control();
  control.wait_mask = 0;
  waits.code[0x11].words = with_control(waits.code[0x11].words, control, false);
  const auto found = check(waits, tiny_table());
  ASSERT_FALSE(found.empty());  // and so do those that relied on it
  for (const Hazard& hazard : found) EXPECT_EQ(hazard.kind, HazardKind::scoreboard);
  EXPECT_FALSE(check_against(function, words_of(waits.code), tiny_table()).empty());

  Function early = function;  // one cycle from FFMA to FFMA
  control = early.code[0x11].control();
  control.stall = 1;
  control.yields = false;
  early.code[0x11].words = with_control(early.code[0x11].words, control, false);
  ASSERT_FALSE(check(early, tiny_table()).empty());
  EXPECT_EQ(check(early, tiny_table())[0].kind, HazardKind::latency);

  Function moved = function;  // an EXIT that a table names
  std::swap(moved.code[0x15], moved.code[0x16]);
  const auto moves = check_against(function, words_of(moved.code), tiny_table());
  ASSERT_FALSE(moves.empty());
  EXPECT_EQ(moves[0].kind, HazardKind::side_table);
}

TEST(Retime, ReproducesPtxasOfTheSameOrder) {
  const Program program = tiny_program();
  const Function& function = program.functions().front();
  for (const BlockGraph& graph : graphs_of(function, tiny_table())) {
    const auto stalls = stalls_of(function, graph, original_order(graph));
    ASSERT_TRUE(stalls);
    for (std::size_t i = 0; i < graph.count; ++i)
      EXPECT_EQ((*stalls)[i], function.code[graph.first + i].control().stall) << i;
  }
}

TEST(Schedule, RandomOnesPassTheChecker) {
  const Program program = tiny_program();
  const Kernel kernel(program.functions().front(), tiny_table());
  Random random(7);
  int changed = 0;
  for (int i = 0; i < 50; ++i) {
    const auto scheduled = kernel.apply(random_schedule(kernel, random));
    ASSERT_TRUE(scheduled);
    EXPECT_TRUE(check_against(program.functions().front(), words_of(scheduled->code), tiny_table())
                    .empty());
    changed += program.bytes_with(*scheduled) != program.cubin().bytes() ? 1 : 0;
  }
  EXPECT_GT(changed, 25);
}

/// A timer that likes loads early, and refuses one schedule in ten.
TEST(Search, BothWaysFindWhatTheTimerLikes) {
  const Program program = tiny_program();
  const Kernel kernel(program.functions().front(), tiny_table());
  int calls = 0;
  const TimeSchedule time = [&](const Function& scheduled) -> Result<std::optional<double>> {
    if (++calls % 10 == 0) return std::optional<double>();
    double us = 100;
    for (std::size_t i = 8; i < 22; ++i)
      if (scheduled.code[i].base_opcode() == "LDG") us += static_cast<double>(i);
    return std::optional<double>(us);
  };
  for (const Searcher& searcher : searchers()) {
    const auto result = searcher.search(kernel, time, {.seed = 3, .most_tried = 300});
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(result->tried, 300) << searcher.name;
    EXPECT_GT(result->refused, 10) << searcher.name;
    EXPECT_LE(result->best_us, result->original_us) << searcher.name;
    EXPECT_FALSE(result->finalists.empty());
    EXPECT_TRUE(kernel.apply(result->best));
  }
}

TEST(Latency, TablesAreReadAndWritten) {
  const LatencyTable table = tiny_table();
  EXPECT_EQ(LatencyTable::parse(table.text()).value().text(), table.text());
  EXPECT_EQ(table.find(Relation::general, "FFMA", "FFMA"), 4);
  EXPECT_EQ(table.kept(Relation::general, "FFMA", "MUFU"), 4);
  EXPECT_FALSE(table.find(Relation::general, "FFMA", "MUFU"));
  EXPECT_FALSE(LatencyTable::parse("r FFMA FFMA four 1 1").ok());
  for (const int architecture : {80, 86, 90}) {
    const auto shipped = shipped_table(architecture);
    ASSERT_TRUE(shipped.ok());
    EXPECT_EQ(shipped->architecture(), architecture);
  }
  EXPECT_THAT(shipped_table(75).error().message, HasSubstr("sass learn"));
}

TEST(Report, TellsWhatAnInstructionWaitsFor) {
  const Program program = tiny_program();
  const std::string text = show_text(program, {&program.functions().front()}, tiny_table());
  EXPECT_THAT(text, HasSubstr("FFMA R11, R4, R3, R3  <- 000e0 LDG.E.CONSTANT"));
  EXPECT_THAT(hazards_json({}, 24), HasSubstr("\"hazards\": []"));
}

TEST(Tool, ReadsItsOwnListing) {
  const auto tool = Disassembler::open();
  if (!tool.ok()) GTEST_SKIP() << "SKIPPED: " << tool.error().message;
  const auto damaged = tool->read("no cubin");
  EXPECT_FALSE(damaged.ok());
}

}  // namespace
}  // namespace warpwright::sass
