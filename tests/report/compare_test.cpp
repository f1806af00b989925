// SPDX-License-Identifier: Apache-2.0
#include "report/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "core/json_reader.h"
#include "report/repeat.h"
#include "support/sample_runs.h"

namespace warpwright::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Evaluation timed(double us, double low, double high, double baseline) {
  Evaluation evaluation;
  evaluation.verdict = Verdict::ok;
  evaluation.measurements = {{"n", TimeSource::measured, us, low, high, 9, 1, baseline}};
  return evaluation;
}

TEST(Speedup, IntervalComesFromBothSides) {
  const auto kernel = timed(10, 9, 11, 20);
  const auto exact = speedup_interval(kernel, nullptr);
  ASSERT_TRUE(exact);
  EXPECT_DOUBLE_EQ(exact->value, 2);
  EXPECT_NEAR(exact->low, 2 / std::sqrt(11.0 / 9), 1e-12);
  EXPECT_NEAR(exact->high, 2 * std::sqrt(11.0 / 9), 1e-12);
  const auto baseline = timed(20, 18, 22, 0);
  const auto both = speedup_interval(kernel, &baseline);
  EXPECT_NEAR(std::log(both->high / both->low), std::sqrt(2) * std::log(11.0 / 9), 1e-12);
}

TEST(Speedup, NoneWithoutABaselineAndNoWidthWithoutIntervals) {
  EXPECT_FALSE(speedup_interval(timed(10, 9, 11, 0), nullptr));
  EXPECT_FALSE(speedup_interval(Evaluation(), nullptr));
  const auto bare = speedup_interval(timed(10, 0, 0, 30), nullptr);
  EXPECT_DOUBLE_EQ(bare->low, bare->high);
}

TEST(Compare, WilsonsInterval) {
  // Agresti and Coull's tables: 5 of 10.
  const Interval half = wilson(5, 10);
  EXPECT_NEAR(half.low, 0.2366, 1e-4);
  EXPECT_NEAR(half.high, 0.7634, 1e-4);
  EXPECT_DOUBLE_EQ(wilson(0, 4).low, 0);
  EXPECT_DOUBLE_EQ(wilson(4, 4).high, 1);
}

RunCurve curve(const std::string& task, std::vector<double> best) {
  RunCurve run;
  run.task = task;
  run.best = std::move(best);
  return run;
}

TEST(Compare, ARunKeepsItsLastValueAndNothingCountsBelowTheBaseline) {
  const RunCurve a = curve("t", {0, 0.5, 4});
  EXPECT_EQ(a.first_valid(), 2);
  EXPECT_EQ(a.best_after(0), 0);
  EXPECT_EQ(a.best_after(99), 4);
  const auto gains = mean_gains({&a}, {1, 2, 3, 4});
  EXPECT_DOUBLE_EQ(gains[1].value, 1);
  EXPECT_DOUBLE_EQ(gains[3].value, 4);
  EXPECT_DOUBLE_EQ(gains[3].low, gains[3].high);
}

TEST(Compare, BootstrapHoldsTheMeanAndRepeats) {
  std::vector<RunCurve> runs;
  for (int i = 0; i < 12; ++i)
    runs.push_back(curve("t" + std::to_string(i % 4), {1.0 + i % 4, 2.0 + i % 4}));
  std::vector<const RunCurve*> all;
  for (const auto& run : runs) all.push_back(&run);
  const auto first = mean_gains(all, {1, 2});
  const auto second = mean_gains(all, {1, 2});
  for (int i = 0; i < 2; ++i) {
    EXPECT_LT(first[i].low, first[i].value);
    EXPECT_GT(first[i].high, first[i].value);
    EXPECT_EQ(first[i].low, second[i].low);
  }
  // All the spread is between tasks: drawing runs alone would give a far narrower interval.
  EXPECT_GT(first[0].high / first[0].low, 1.5);
}

TEST(Compare, GroupsAreNamedByWhatDiffers) {
  std::vector<RunStory> stories(3);
  for (auto& story : stories) {
    story.run.model = "m";
    story.run.strategy = "fsr";
    story.config = {{"search.feedback", "rich", "default"}};
  }
  EXPECT_THAT(group_names(stories), ElementsAre("m, fsr", "m, fsr", "m, fsr"));
  stories[1].run.strategy = "serial";
  EXPECT_THAT(group_names(stories), ElementsAre("fsr", "serial", "fsr"));
  stories[2].config[0].value = "paper";
  EXPECT_THAT(group_names(stories),
              ElementsAre("fsr, feedback rich", "serial, feedback rich", "fsr, feedback paper"));
}

TEST(Compare, PageOfSeveralRuns) {
  const auto folder = std::move(TemporaryDirectory::create("ww-report-")).value();
  const auto file = folder.path() / "archive.db";
  ASSERT_TRUE(samples::write("several", file).ok());
  const SystemClock clock;
  const auto archive = std::move(store::Archive::open_read_only(file, clock)).value();
  std::vector<std::string> names;
  for (const auto& run : archive->runs().value()) names.push_back(run.id);
  ASSERT_EQ(names.size(), 12u);
  names.push_back(names[0]);  // named twice, counted once
  const auto page = compare_page(*archive, names, 0);
  ASSERT_TRUE(page.ok());
  const auto document = parse_json(page->data, "page").value();
  EXPECT_EQ(document["rows"].size(), 12u);
  ASSERT_EQ(document["groups"].size(), 2u);
  EXPECT_EQ(document["groups"][0]["name"], "sample:large");
  EXPECT_EQ(document["groups"][0]["runs"], 6);
  EXPECT_EQ(document["groups"][0]["points"].size(), 12u);
  EXPECT_THAT(compare_page(*archive, {"nobody"}, 0).error().message, HasSubstr("no run 'nobody'"));
}

TEST(Repeat, CommandsAreQuotedForAShell) {
  EXPECT_EQ(shell_quoted("a-b_c/d.e:f=1,2"), "a-b_c/d.e:f=1,2");
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("it's $(rm)"), "'it'\\''s $(rm)'");
  store::RunRecord run;
  run.id = "t-1";
  run.task = "my task";
  run.best_trial = "r1.c1";
  const auto ways = ways_to_repeat(run, {{"search.depth", "4", "resume, flag --depth"},
                                         {"model.spec", "exec:a b", "flag --model"},
                                         {"judge.unsafe", "true", "flag --unsafe"},
                                         {"search.repairs", "3", "default"},
                                         {"search.candidates", "7", "warpwright.toml:4"}});
  ASSERT_EQ(ways.size(), 4u);
  EXPECT_EQ(ways[0].command, "warpwright run 'my task' --depth 4 --model 'exec:a b' --unsafe");
  EXPECT_THAT(ways[1].command, HasSubstr("--model replay:recording --depth 4 --unsafe"));
  EXPECT_THAT(ways[2].command, HasSubstr("eval 'my task' best.cu --unsafe"));
}

}  // namespace
}  // namespace warpwright::report
