// SPDX-License-Identifier: Apache-2.0
#include "search/engine.h"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "search/fakes.h"

namespace warpwright::search {
namespace {

using store::RunStatus;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Answers by question id; anything not listed is a slow but valid kernel.
FakeModel::Answer script(std::map<std::string, std::string> lines) {
  return [lines = std::move(lines)](const llm::Request& request) {
    const std::string trial = request.id.substr(0, request.id.rfind(".a"));
    const auto found = lines.find(trial);
    return says(found != lines.end() ? found->second : "time=100 // " + trial);
  };
}

/// The archive without times: what two equal searches must agree on.
std::string story(store::Archive& archive, const std::string& run) {
  std::string text;
  for (const auto& trial : archive.trials(run).value()) {
    text += trial.prompt.trial + " " + trial.prompt.kind + " <" + trial.prompt.parent + ">";
    for (const auto& message : archive.messages(run, trial.prompt.trial).value())
      text += " | " + message.text;
    for (const auto& failure : trial.failures) text += " !" + failure.error;
    if (trial.reply) text += " -> " + trial.reply->text;
    if (trial.evaluation) text += " = " + std::string(name_of(trial.evaluation->verdict));
    text += "\n";
  }
  const auto record = archive.find_run(run).value();
  return text + "best " + record.best_trial + ", " + std::string(name_of(record.status)) + ": " +
         record.ending;
}

TEST(Engine, FollowsAlgorithmOne) {
  World world(script({{"r1.c1", "verdict=compile_error"},
                      {"r1.c2", "prose only"},
                      {"r1.c1.fix1", "time=50"},
                      {"r1.c2.fix1", "verdict=mismatch"},
                      {"r2.c1", "time=30"},
                      {"r2.c2", "time=20"}}));
  world.strategy_options = {.candidates = 2, .depth = 2, .repairs = 3};
  const Ending ending = world.run();
  EXPECT_EQ(ending.status, RunStatus::finished);
  EXPECT_EQ(ending.best->proposal.id, "r2.c2");
  EXPECT_EQ(story(*world.archive, world.run_id),
            "r1.c1 initial <> | initial -> verdict=compile_error = compile_error\n"
            "r1.c1.fix1 repair-compile <r1.c1> | initial | verdict=compile_error | repair r1.c1 -> "
            "time=50 = ok\n"
            "r1.c2 initial <> | initial -> prose only = no_code\n"
            "r1.c2.fix1 repair-compile <r1.c2> | initial | prose only | repair r1.c2 -> "
            "verdict=mismatch = mismatch\n"
            "r2.c1 optimise <r1.c1.fix1> | initial | verdict=compile_error | repair r1.c1 | "
            "time=50 | optimise r1.c1.fix1 -> time=30 = ok\n"
            "r2.c2 optimise <r1.c1.fix1> | initial | verdict=compile_error | repair r1.c1 | "
            "time=50 | optimise r1.c1.fix1 -> time=20 = ok\n"
            "best r2.c2, finished: all rounds done");
}

TEST(Engine, RepairsAreBounded) {
  World world([](const llm::Request& request) { return says("verdict=mismatch " + request.id); });
  world.strategy_options = {.candidates = 2, .depth = 5, .repairs = 3};
  const Ending ending = world.run();
  EXPECT_EQ(ending.why, "no valid kernel was found");
  EXPECT_FALSE(ending.best);
  EXPECT_EQ(world.model.asked.size(), 2u * 4);
}

TEST(Engine, ALostRoundGoesOnFromTheBest) {
  World world([](const llm::Request& request) {
    if (request.id.starts_with("r1.c2")) return says("time=40");
    return says((request.id.starts_with("r2") ? "verdict=race " : "time=60 ") + request.id);
  });
  world.strategy_options = {.candidates = 2, .depth = 3, .repairs = 1};
  const Ending ending = world.run();
  EXPECT_EQ(ending.best->proposal.id, "r1.c2");
  EXPECT_THAT(story(*world.archive, world.run_id), HasSubstr("r3.c1 optimise <r1.c2>"));
}

TEST(Engine, WritingAndJudgingOverlap) {
  World world(script({}));
  world.model.slots = 1;
  world.strategy_options = {.candidates = 3, .depth = 1};
  world.run();
  // The second question is asked at 10 s, when the first answer goes to the judge.
  EXPECT_THAT(world.simulation->timeline,
              ElementsAre("ask r1.c1 at 0", "ask r1.c2 at 10", "judge at 10", "ask r1.c3 at 20",
                          "judge at 20", "judge at 30"));
  EXPECT_EQ(world.clock.now(), std::chrono::seconds(34));
}

TEST(Engine, TheSameSourceIsJudgedOnce) {
  World world([](const llm::Request&) { return says("time=7"); });
  world.strategy_options = {.candidates = 4, .depth = 2};
  const Ending ending = world.run();
  EXPECT_EQ(world.evaluator.judged.size(), 1u);
  EXPECT_EQ(ending.state.finished, 8);
  EXPECT_EQ(ending.state.spent.evaluations, 1);
  EXPECT_EQ(ending.best->proposal.id, "r1.c1");
}

TEST(Engine, SpeedUpsAreAgainstTheBaselineJudgedFirst) {
  World world(script({{"r1.c1", "time=20"}}));
  world.options.baseline_source = "time=80";
  world.strategy_options = {.candidates = 1, .depth = 1};
  const Ending ending = world.run();
  EXPECT_EQ(world.evaluator.judged.front(), "time=80");
  EXPECT_DOUBLE_EQ(*speedup(ending.best->evaluation), 4.0);
}

TEST(Engine, AVerdictThatOvertakesTheBaselineWaitsForIt) {
  World world(script({{"r1.c1", "time=20"}, {"r1.c2", "time=10"}}));
  world.options.baseline_source = "time=80";
  world.strategy_options = {.candidates = 2, .depth = 1};
  world.evaluator.slots = 8;
  world.ask_time = std::chrono::seconds(1);
  world.baseline_time = std::chrono::seconds(100);
  const Ending ending = world.run();
  EXPECT_THAT(world.simulation->timeline, ElementsAre("ask r1.c1 at 0", "ask r1.c2 at 0",
                                                      "judge at 0", "judge at 1", "judge at 1"));
  EXPECT_EQ(world.clock.now(), std::chrono::seconds(100));
  EXPECT_THAT(world.observer.trials, ElementsAre("r1.c1 ok", "r1.c2 ok"));
  EXPECT_DOUBLE_EQ(*speedup(ending.best->evaluation), 8.0);
}

TEST(Engine, ABrokenBaselineEndsTheRun) {
  World world(script({}));
  world.options.baseline_source = "verdict=mismatch";
  const Ending ending = world.run();
  EXPECT_EQ(ending.status, RunStatus::failed);
  EXPECT_THAT(ending.why, HasSubstr("the task's own baseline got the verdict mismatch"));
}

TEST(Engine, StopsAtTheRooflineAfterTheRound) {
  World world(script({{"r1.c1", "time=1.04"}, {"r1.c2", "time=3"}}));
  world.options.stop_at_roofline = 0.95;
  world.strategy_options = {.candidates = 2, .depth = 9};
  const Ending ending = world.run();
  EXPECT_EQ(ending.state.finished, 2);
  EXPECT_THAT(ending.why, HasSubstr("96.2 % of the roofline"));
}

TEST(Engine, AFloorThatAKernelIsBelowStopsNothing) {
  World world(script({{"r1.c1", "time=0.4"}, {"r1.c2", "time=3"}, {"r2.c1", "time=0.3"}}));
  world.options.stop_at_roofline = 0.95;
  world.strategy_options = {.candidates = 2, .depth = 2};
  const Ending ending = world.run();
  EXPECT_EQ(ending.state.finished, 4);
  EXPECT_EQ(ending.state.best_trial, "r2.c1");
}

TEST(Engine, StopsAtTheSolScoreAfterTheRound) {
  World world(script({{"r1.c1", "time=2"}, {"r1.c2", "time=30"}}));
  world.options.baseline_source = "time=21";
  world.options.stop_at_sol = 0.95;  // 1 / (1 + (2 - 1) / (21 - 1)) = 0.952
  world.strategy_options = {.candidates = 2, .depth = 9};
  const Ending ending = world.run();
  EXPECT_EQ(ending.state.finished, 2);
  EXPECT_THAT(ending.why, HasSubstr("SOL score is 0.952"));
}

TEST(Engine, BeginsWithAGivenKernel) {
  World world(script({{"r1.c1", "time=60"}, {"r1.c2", "time=50"}, {"r2.c1", "time=70"}}));
  world.options.given_source = "time=40";
  world.options.given_question = {{llm::Role::user, "initial"}};
  world.strategy_options = {.candidates = 2, .depth = 2};
  const Ending ending = world.run();
  EXPECT_EQ(ending.best->proposal.id, "given") << "the result is never slower than it";
  EXPECT_EQ(world.model.asked.size(), 4U) << "nobody is asked for it";
  const std::string told = story(*world.archive, world.run_id);
  EXPECT_THAT(told, HasSubstr("given given <> | initial -> The kernel to begin with"));
  EXPECT_THAT(told, HasSubstr("r1.c1 optimise <given>"));
  EXPECT_THAT(told, HasSubstr("r2.c1 optimise <given>"));
  EXPECT_THAT(told, Not(HasSubstr("r1.c1 initial")));
  // Another process goes on from memory.
  const Ending again = world.run();
  EXPECT_EQ(again.best->proposal.id, "given");
  EXPECT_EQ(world.model.asked.size(), 4U);
}

TEST(Engine, AGivenKernelThatIsWrongIsMendedFirst) {
  for (const auto& row : strategies()) {
    World world(script({}));
    world.strategy_name = std::string(row.name);
    world.options.given_source = "verdict=mismatch";
    world.options.given_question = {{llm::Role::user, "initial"}};
    world.strategy_options = {.candidates = 2, .depth = 2};
    const Ending ending = world.run();
    ASSERT_TRUE(ending.best) << row.name;
    EXPECT_THAT(story(*world.archive, world.run_id), HasSubstr("repair-mismatch <given>"))
        << row.name;
  }
}

TEST(Engine, EveryStrategyBeginsWithAGivenKernel) {
  for (const auto& row : strategies()) {
    World world(script({}));
    world.strategy_name = std::string(row.name);
    world.options.given_source = "time=30";
    world.options.given_question = {{llm::Role::user, "initial"}};
    world.strategy_options = {.candidates = 2, .depth = 2};
    const Ending ending = world.run();
    EXPECT_EQ(ending.best->proposal.id, "given") << row.name;
    EXPECT_THAT(story(*world.archive, world.run_id), HasSubstr("optimise <given>")) << row.name;
  }
}

TEST(Engine, WaitsForAnswersAndGoesOnWithThem) {
  World world([](const llm::Request&) { return llm::Outcome{.kind = llm::OutcomeKind::waiting}; });
  world.strategy_options = {.candidates = 2, .depth = 1};
  Ending ending = world.run();
  EXPECT_EQ(ending.status, RunStatus::waiting);
  ASSERT_EQ(world.archive->pending(world.run_id)->size(), 2u);
  ASSERT_TRUE(
      world.archive->tell(world.run_id, "r1.c2", {.text = "time=9", .origin = "tell"}).ok());
  ending = world.run();
  EXPECT_EQ(ending.status, RunStatus::waiting);
  EXPECT_EQ(ending.best->proposal.id, "r1.c2");
  ASSERT_TRUE(
      world.archive->tell(world.run_id, "r1.c1", {.text = "time=8", .origin = "tell"}).ok());
  ending = world.run();
  EXPECT_EQ(ending.status, RunStatus::finished);
  EXPECT_EQ(ending.best->proposal.id, "r1.c1");
}

TEST(Engine, AnAnswerIsNeverReplaced) {
  World world([](const llm::Request&) { return llm::Outcome{.kind = llm::OutcomeKind::waiting}; });
  world.strategy_options = {.candidates = 1, .depth = 1};
  world.run();
  ASSERT_TRUE(world.archive->tell(world.run_id, "r1.c1", {.text = "time=9"}).ok());
  EXPECT_THAT(world.archive->tell(world.run_id, "r1.c1", {.text = "time=1"}).error().message,
              HasSubstr("has an answer already"));
  EXPECT_THAT(world.archive->tell(world.run_id, "r9.c1", {.text = "x"}).error().message,
              HasSubstr("has not asked 'r9.c1'"));
}

TEST(Engine, PaidButUselessAttemptsAreRetriedThenGivenUp) {
  World world([](const llm::Request& request) {
    if (request.id == "r1.c2.a1") return says("time=5");
    llm::Outcome cut{.kind = llm::OutcomeKind::failed, .error = "stream was cut", .retry = true};
    cut.wasted.output = 40;
    return cut;
  });
  world.strategy_options = {.candidates = 2, .depth = 1, .repairs = 0};
  world.options.ask_attempts = 3;
  const Ending ending = world.run();
  EXPECT_EQ(ending.status, RunStatus::finished);
  EXPECT_EQ(ending.best->proposal.id, "r1.c2");
  EXPECT_EQ(ending.state.spent.tokens, 3 * 40 + 40 + 300);
  EXPECT_THAT(
      story(*world.archive, world.run_id),
      HasSubstr(
          "r1.c1 initial <> | initial !stream was cut !stream was cut !stream was cut = no_code"));
}

TEST(Engine, AHopelessProviderEndsTheRunAndResumeAsksAgain) {
  bool key_is_set = false;
  World world([&](const llm::Request&) {
    if (key_is_set) return says("time=5");
    return llm::Outcome{.kind = llm::OutcomeKind::failed, .error = "401: set the key"};
  });
  world.strategy_options = {.candidates = 1, .depth = 1};
  Ending ending = world.run();
  EXPECT_EQ(ending.status, RunStatus::failed);
  EXPECT_THAT(ending.why, HasSubstr("401: set the key"));
  key_is_set = true;
  ending = world.run();
  EXPECT_EQ(ending.status, RunStatus::finished);
}

TEST(Engine, AJudgeThatNeverWorksIsNobodysFault) {
  World world(script({}));
  world.evaluator.fail = "no GPU";
  world.strategy_options = {.candidates = 1, .depth = 1};
  Ending ending = world.run();
  EXPECT_EQ(ending.status, RunStatus::failed);
  EXPECT_THAT(ending.why, HasSubstr("the judge cannot work: no GPU"));
  world.evaluator.fail.reset();
  ending = world.run();
  EXPECT_EQ(ending.status, RunStatus::finished);
  EXPECT_EQ(world.model.asked.size(), 1u);  // the answer was not paid again
}

TEST(Engine, ASourceThatBreaksAWorkingJudgeIsSetAside) {
  World world(script({{"r1.c1", "time=4"}, {"r1.c2", "verdict=harness_error"}}));
  world.strategy_options = {.candidates = 2, .depth = 1};
  const Ending ending = world.run();
  EXPECT_EQ(ending.status, RunStatus::finished);
  EXPECT_EQ(ending.best->proposal.id, "r1.c1");
  EXPECT_EQ(world.evaluator.judged.size(), 3u);
}

TEST(Engine, AJudgeThatStopsWorkingIsNobodysFault) {
  World world(script({}));
  world.strategy_options = {.candidates = 1, .depth = 3};
  world.options.baseline_source = "time=200 // baseline";
  world.evaluator.on_judge = [&](const std::string& source) {
    // The host goes away after the first candidate.
    if (source == "time=100 // r1.c1")
      world.evaluator.on_judge = [&](const std::string&) {
        world.evaluator.fail = "connection refused";
      };
  };
  Ending ending = world.run();
  EXPECT_EQ(ending.status, RunStatus::failed);
  EXPECT_THAT(ending.why, HasSubstr("no longer works, not even for the baseline: connection"));
  EXPECT_EQ(world.model.asked.size(), 2u);  // nobody went on paying
  EXPECT_THAT(story(*world.archive, world.run_id), Not(HasSubstr("harness_error")));
  world.evaluator.on_judge = nullptr;
  world.evaluator.fail.reset();
  ending = world.run();
  EXPECT_EQ(ending.status, RunStatus::finished);
  EXPECT_EQ(world.model.asked.size(), 3u);
}

TEST(Engine, ASourceThatBreaksTheJudgeIsSetAsideAfterAResume) {
  World world(script({{"r1.c1", "verdict=harness_error"}}));
  world.strategy_options = {.candidates = 1, .depth = 2, .repairs = 1};
  world.options.baseline_source = "time=200 // baseline";
  world.run(2);  // the baseline's verdict and the answer, then it "dies"
  const Ending ending = world.run();
  EXPECT_EQ(ending.status, RunStatus::finished);
  EXPECT_TRUE(ending.best.has_value());
  EXPECT_THAT(story(*world.archive, world.run_id), HasSubstr("= harness_error"));
}

TEST(Engine, AProviderThatIsNotThereEndsTheRunAndResumeGoesOn) {
  bool running = false;
  World world([&](const llm::Request&) {
    if (running) return says("time=5");
    return llm::Outcome{.kind = llm::OutcomeKind::failed, .error = "no connection", .retry = true};
  });
  world.strategy_options = {.candidates = 2, .depth = 1};
  Ending ending = world.run();
  EXPECT_EQ(ending.status, RunStatus::failed);
  EXPECT_THAT(ending.why, HasSubstr("no connection"));
  running = true;
  ending = world.run();
  EXPECT_EQ(ending.status, RunStatus::finished);
  EXPECT_TRUE(ending.best.has_value());
}

TEST(Engine, TimesOfAnotherDeviceAreNotHeldAgainstTheBaseline) {
  World world(script({}));
  world.strategy_options = {.candidates = 1, .depth = 2};
  world.options.baseline_source = "time=200 // baseline";
  world.run(3);  // the baseline and the first candidate
  world.evaluator.judge = [](const std::string& source) {
    Evaluation evaluation = judge_text(source);
    evaluation.device = "a laptop";
    evaluation.measurements[0].source = TimeSource::estimated;
    return evaluation;
  };
  Ending ending = world.run();
  EXPECT_EQ(ending.status, RunStatus::failed);
  EXPECT_THAT(ending.why, HasSubstr("measurements of fake, and this machine gives estimates of a "
                                    "laptop"));
  world.evaluator.judge = judge_text;
  EXPECT_EQ(world.run().status, RunStatus::finished);
}

TEST(Engine, CtrlCStopsCleanlyAndResumeEndsTheSame) {
  World world(script({{"r2.c1", "time=3"}}));
  world.strategy_options = {.candidates = 2, .depth = 3};
  world.stop.request(StopReason::interrupted);
  const Ending ending = world.run();
  EXPECT_EQ(ending.status, RunStatus::stopped);
  EXPECT_EQ(ending.why, "interrupted");
}

TEST(EngineBudget, EvaluationsCountWhatIsInFlight) {
  World world(script({}));
  world.strategy_options = {.candidates = 8, .depth = 8};
  world.options.limits.evaluations = 11;
  const Ending ending = world.run();
  EXPECT_EQ(ending.status, RunStatus::stopped);
  EXPECT_EQ(ending.state.spent.evaluations, 11);
  EXPECT_EQ(world.model.asked.size(), 11u);  // no answer was bought that could not be judged
  EXPECT_THAT(ending.why, HasSubstr("limit of 11 evaluations"));
}

TEST(EngineBudget, TokensHoldWhateverIsInFlight) {
  World world(script({}));
  world.model.slots = 8;
  world.strategy_options = {.candidates = 8, .depth = 8};
  world.options.limits.tokens = 3500;
  const Ending ending = world.run();
  EXPECT_EQ(ending.status, RunStatus::stopped);
  EXPECT_LE(world.observer.most_in_flight, 3500);
  EXPECT_LE(ending.state.spent.tokens, 3500);
  EXPECT_GT(ending.state.spent.tokens, 3500 - 1000);  // and it is used as far as it safely can be
}

TEST(EngineBudget, MoneyAndDeviceTimeHold) {
  World money(script({}));
  money.strategy_options = {.candidates = 4, .depth = 8};
  money.options.limits.usd = 2.5;
  EXPECT_LE(money.run().state.spent.usd, 2.5);
  World device(script({}));
  device.strategy_options = {.candidates = 4, .depth = 8};
  device.options.limits.device_s = 5;
  const Ending ending = device.run();
  EXPECT_LE(ending.state.spent.device_s, 5);
  EXPECT_GE(ending.state.spent.device_s, 3);
}

TEST(EngineBudget, WallTimeHoldsOverResumes) {
  World world(script({}));
  world.strategy_options = {.candidates = 1, .depth = 9};
  world.options.limits.wall_s = 30;
  world.run(3);  // "dies" after three events
  const Ending ending = world.run();
  EXPECT_EQ(ending.status, RunStatus::stopped);
  EXPECT_THAT(ending.why, HasSubstr("30 s of wall time"));
  EXPECT_LE(world.clock.now(), std::chrono::seconds(31));
}

TEST(EngineBudget, NoTimeLeftMeansNoQuestions) {
  World world(script({}));
  world.strategy_options = {.candidates = 1, .depth = 9};
  world.options.limits.wall_s = 30;
  world.run();
  const std::size_t asked = world.model.asked.size();
  const Ending ending = world.run();
  EXPECT_THAT(ending.why, HasSubstr("30 s of wall time"));
  EXPECT_EQ(world.model.asked.size(), asked);
}

TEST(EngineBudget, AnswersThatWereToldCountLikeOthers) {
  World world([](const llm::Request&) { return llm::Outcome{.kind = llm::OutcomeKind::waiting}; });
  world.strategy_options = {.candidates = 5, .depth = 1};
  world.options.limits.evaluations = 2;
  EXPECT_EQ(world.run().status, RunStatus::waiting);
  for (const char* id : {"r1.c1", "r1.c2", "r1.c3", "r1.c4", "r1.c5"}) {
    store::ReplyRecord reply;
    reply.text = std::string("time=30 // ") + id;
    ASSERT_TRUE(world.archive->tell(world.run_id, id, reply).ok());
  }
  Ending ending = world.run();
  EXPECT_EQ(ending.status, RunStatus::stopped);
  EXPECT_THAT(ending.why, HasSubstr("limit of 2 evaluations"));
  EXPECT_EQ(world.evaluator.judged.size(), 2u);
  world.options.limits.evaluations = 5;
  ending = world.run();
  EXPECT_EQ(ending.status, RunStatus::finished);
  EXPECT_EQ(world.evaluator.judged.size(), 5u);
}

TEST(EngineBudget, ALargerBudgetGoesOnWhereTheSmallerEnded) {
  World world(script({}));
  world.strategy_options = {.candidates = 2, .depth = 2};
  world.options.limits.evaluations = 3;
  EXPECT_EQ(world.run().status, RunStatus::stopped);
  world.options.limits.evaluations = 10;
  EXPECT_EQ(world.run().status, RunStatus::finished);
  EXPECT_EQ(world.model.asked.size(), 4u);
}

TEST(Engine, AnswersToldWhileTheJudgeWorksAreTakenAtOnce) {
  World world([](const llm::Request& request) {
    if (request.id == "r1.c1") return says("time=50");
    return llm::Outcome{.kind = llm::OutcomeKind::waiting};
  });
  world.strategy_options = {.candidates = 2, .depth = 1};
  world.judge_time = std::chrono::seconds(1000);
  world.options.look_for_answers = std::chrono::seconds(1);
  world.evaluator.on_judge = [&](const std::string& source) {
    if (source != "time=50") return;
    store::ReplyRecord reply;
    reply.text = "time=30";
    EXPECT_TRUE(world.archive->tell(world.run_id, "r1.c2", reply).ok());
  };
  const Ending ending = world.run();
  EXPECT_EQ(ending.status, RunStatus::finished);
  EXPECT_EQ(ending.best->proposal.id, "r1.c2");
  EXPECT_EQ(ending.state.waiting, 0);
  // The second did not wait for the first one's thousand seconds.
  EXPECT_EQ(world.clock.now(), std::chrono::seconds(1011));
}

TEST(EngineResume, DyingAfterAnyEventChangesNothing) {
  const auto answers = script({{"r1.c1", "verdict=launch_error"},
                               {"r1.c2", "no code"},
                               {"r1.c3", "verdict=timeout"},
                               {"r1.c2.fix1", "time=44"},
                               {"r2.c3", "time=12"},
                               {"r3.c1", "time=12"}});
  const auto make = [&] {
    auto world = std::make_unique<World>(answers);
    world->options.baseline_source = "time=300";
    world->strategy_options = {.candidates = 3, .depth = 3};
    return world;
  };
  const auto undisturbed = make();
  undisturbed->run();
  const std::string expected = story(*undisturbed->archive, undisturbed->run_id);
  const std::size_t asked = undisturbed->model.asked.size();
  for (int events = 0; events < 30; ++events) {
    const auto world = make();
    for (int lives = 0; lives < 40; ++lives) world->run(events % 5 + (lives == 0 ? events : 1));
    world->run();
    EXPECT_EQ(story(*world->archive, world->run_id), expected) << "died after " << events;
    EXPECT_GE(world->model.asked.size(), asked);
  }
}

TEST(Serial, ChainsRefineTheirOwnLastAnswer) {
  World world(script({{"k1.t1", "verdict=mismatch"}, {"k1.t2", "time=9"}, {"k2.t1", "time=5"}}));
  world.strategy_name = "serial";
  world.strategy_options = {.candidates = 2, .depth = 2};
  const Ending ending = world.run();
  EXPECT_EQ(ending.best->proposal.id, "k2.t1");
  EXPECT_EQ(
      story(*world.archive, world.run_id),
      "k1.t1 initial <> | initial -> verdict=mismatch = mismatch\n"
      "k2.t1 initial <> | initial -> time=5 = ok\n"
      "k1.t2 repair-mismatch <k1.t1> | initial | verdict=mismatch | repair k1.t1 -> time=9 = ok\n"
      "k2.t2 optimise <k2.t1> | initial | time=5 | optimise k2.t1 -> time=100 // k2.t2 = ok\n"
      "best k2.t1, finished: all rounds done");
}

TEST(Strategies, UnknownNamesListTheKnown) {
  FakeComposer composer;
  const auto made = make_strategy("annealing", {}, composer);
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().message, HasSubstr("fsr, serial"));
}

double seconds_of_a_thousand_candidates() {
  World world([](const llm::Request& request) {
    return says("time=" + std::to_string(1000 - std::hash<std::string>()(request.id) % 997) +
                " // " + request.id);
  });
  world.strategy_options = {.candidates = 10, .depth = 100};
  world.model.slots = 10;
  const auto start = std::chrono::steady_clock::now();
  const Ending ending = world.run();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(ending.state.finished, 1000);
  const auto trials = world.archive->trials(world.run_id).value();
  EXPECT_EQ(trials.size(), 1000u);
  double best = 1e9;
  for (const auto& trial : trials) {
    EXPECT_TRUE(trial.reply && trial.candidate && trial.evaluation);
    EXPECT_EQ(trial.evaluation->verdict, Verdict::ok);
    best = std::min(best, score_us(*trial.evaluation).value());
  }
  EXPECT_EQ(score_us(ending.best->evaluation), best);
  return took.count();
}

TEST(Engine, AThousandCandidatesInUnderTwoSeconds) {
  // The best of three: a busy neighbour is not our slowness.
  double best = seconds_of_a_thousand_candidates();
  for (int more = 0; more < 2 && best >= 2.0; ++more) {
    best = std::min(best, seconds_of_a_thousand_candidates());
  }
  std::printf("1,000 candidates in %.3f s, %.3f ms each\n", best, best);
#if !defined(__SANITIZE_ADDRESS__)
  EXPECT_LT(best, 2.0);
#endif
}

}  // namespace
}  // namespace warpwright::search
