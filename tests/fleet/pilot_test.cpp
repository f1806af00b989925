// SPDX-License-Identifier: Apache-2.0
#include "fleet/pilot.h"

#include <future>

#include "fleet/bed.h"

namespace warpwright::fleet {
namespace {

using testing::HasSubstr;

class Pilots : public FleetBed {};

TEST_F(Pilots, TwoSearchesShareThemAndEachJobIsJudgedOnce) {
  const Spool spool = make_spool(60);
  const auto first = pilot(1), second = pilot(1);
  FleetEvaluator one(search(spool, "one")), two(search(spool, "two"));
  auto others = std::async(std::launch::async, [&] { return judge_all(two, 12, "b", stop_); });
  const auto results = judge_all(one, 12, "a", stop_);
  expect_verdicts(results);
  expect_verdicts(others.get());
  const Judgements seen = judgements_in(log());
  EXPECT_EQ(seen.begun.size(), 24U);
  for (const auto& [job, times] : seen.begun) EXPECT_EQ(times, 1) << job;
  EXPECT_EQ(results[0]->manifest.at("fleet_gpu"), "simt");
  EXPECT_FALSE(results[0]->manifest.at("fleet_host").empty());
}

TEST_F(Pilots, AnotherOneJudgesWhatAKilledOneHad) {
  const Spool spool = make_spool();
  FleetEvaluator evaluator(search(spool, "one"));
  auto results =
      std::async(std::launch::async, [&] { return judge_all(evaluator, 6, "a", stop_); });
  auto victim = pilot(3000);
  ASSERT_TRUE(comes_true([&] { return !judgements_in(log()).begun.empty(); }));
  const auto rescuer = pilot(1);
  ::kill(victim.pid(), SIGKILL);
  expect_verdicts(results.get());
  const Judgements seen = judgements_in(log());
  EXPECT_EQ(seen.ended.size(), 6U);
  for (const auto& [job, times] : seen.ended) EXPECT_EQ(times, 1) << job;
  EXPECT_EQ(former_pilots(spool).size(), 1U);
}

TEST_F(Pilots, AStoppedOneGivesItsJobsBackAtOnce) {
  const Spool spool = make_spool(600);  // nobody finds a dead one in time
  FleetEvaluator evaluator(search(spool, "one"));
  auto results =
      std::async(std::launch::async, [&] { return judge_all(evaluator, 3, "a", stop_); });
  auto leaving = pilot(60'000, {"--grace=0"});
  ASSERT_TRUE(comes_true([&] { return !judgements_in(log()).begun.empty(); }));
  ::kill(leaving.pid(), SIGTERM);
  ASSERT_TRUE(comes_true([&] { return pilots_of(spool).empty(); }));
  const auto staying = pilot(1);
  expect_verdicts(results.get());
}

TEST_F(Pilots, TheSameQuestionAfterADeathFindsTheResult) {
  const Spool spool = make_spool(60);
  {
    StopSignal soon;
    FleetEvaluator evaluator(search(spool, "one"));
    auto asked = std::async(std::launch::async, [&] { return judge_all(evaluator, 1, "a", soon); });
    const auto judging = pilot(1);
    expect_verdicts(asked.get());
  }
  FleetEvaluator again(search(spool, "one"));
  expect_verdicts(judge_all(again, 1, "a", stop_));  // no pilot is there any more
  EXPECT_EQ(judgements_in(log()).begun.at("a0"), 1);
}

TEST_F(Pilots, ARepeatIsJudgedAgainAndEachRepeatOnce) {
  const Spool spool = make_spool(60);
  const auto judging = pilot(1);
  FleetEvaluator evaluator(search(spool, "one"));
  for (const int repeat : {0, 1, 1, 2, 0}) {
    const auto result = evaluator.evaluate({.id = "a", .source = "// a", .repeat = repeat}, stop_);
    ASSERT_TRUE(result.ok()) << result.error().message;
  }
  EXPECT_EQ(judgements_in(log()).begun.at("a"), 3);
}

TEST_F(Pilots, OneSearchIsJudgedOnOneGpuModel) {
  const Spool spool = make_spool(60);
  const auto first = pilot(1, {"--gpu=NVIDIA A100"}), second = pilot(1, {"--gpu=NVIDIA H200"});
  ASSERT_TRUE(comes_true([&] { return pilots_of(spool).size() == 2; }));
  FleetEvaluator evaluator(search(spool, "one"));
  const auto results = judge_all(evaluator, 8, "a", stop_);
  expect_verdicts(results);
  for (const auto& result : results) {
    EXPECT_EQ(result->manifest.at("fleet_gpu"), results[0]->manifest.at("fleet_gpu"));
  }
  FleetOptions wish = search(spool, "two");
  wish.gpu = "NVIDIA H200";
  FleetEvaluator chosen(wish);
  EXPECT_EQ(judge_all(chosen, 1, "b", stop_)[0]->manifest.at("fleet_gpu"), "NVIDIA H200");
}

TEST_F(Pilots, AJobThatKillsItsJudgesIsGivenUp) {
  const Spool spool = make_spool(60);
  const auto first = pilot(1);
  FleetEvaluator evaluator(search(spool, "one"));
  const auto result = evaluator.evaluate({"bad", "// kills its judge", false}, stop_);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->verdict, Verdict::harness_error);
  EXPECT_THAT(result->reason, HasSubstr("3 pilots"));
  expect_verdicts(judge_all(evaluator, 1, "good", stop_));
}

TEST_F(Pilots, OneThatWasDeclaredDeadEnds) {
  const Spool spool = make_spool(3);
  auto suspended = pilot(1);
  ASSERT_TRUE(comes_true([&] { return pilots_of(spool).size() == 1; }));
  ::kill(suspended.pid(), SIGSTOP);
  Reaper reaper(spool);
  ASSERT_TRUE(comes_true([&] { return !reaper.look().empty(); }));
  ::kill(suspended.pid(), SIGCONT);
  const auto last = suspended.read_line(std::chrono::seconds(60));
  EXPECT_THAT(last.line, HasSubstr("ended: lost"));
}

TEST_F(Pilots, AnIdleOneEnds) {
  make_spool();
  auto idle = pilot(1, {"--idle=1"});
  EXPECT_THAT(idle.read_line(std::chrono::seconds(60)).line, HasSubstr("ended: idle"));
}

}  // namespace
}  // namespace warpwright::fleet
