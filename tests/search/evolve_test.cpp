// SPDX-License-Identifier: Apache-2.0
// What evolve asks, wave by wave, of kernels whose times are known.
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "search/fakes.h"
#include "search/strategy.h"

namespace warpwright::search {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Times at two sizes; none is a wrong kernel.
using Times = std::vector<double>;
constexpr int kRegisters[] = {24, 48, 96,
                              200};  // of the slots of a wave: each in a niche of its own

Trial answered(const Proposal& proposal, const Times& times, double floor_us = 0,
               double noise = 0) {
  Trial trial;
  trial.proposal = proposal;
  trial.source = "kernel " + proposal.id;
  trial.reply = trial.source;
  trial.evaluation.verdict = times.empty() ? Verdict::mismatch : Verdict::ok;
  KernelResources kernel;
  kernel.registers = kRegisters[(proposal.slot - 1) % 4];
  trial.evaluation.resources = {kernel};
  for (std::size_t i = 0; i < times.size(); ++i) {
    Measurement at;
    at.size = "size " + std::to_string(i);
    at.median_us = times[i];
    at.low_us = times[i] * (1 - noise);
    at.high_us = times[i] * (1 + noise);
    at.floor_us = floor_us;
    trial.evaluation.measurements.push_back(at);
  }
  return trial;
}

struct EvolveTest : testing::Test {
  double noise = 0;  ///< half the width of each interval, of the time
  FakeComposer composer;
  std::unique_ptr<Strategy> strategy =
      std::move(make_strategy("evolve", {.candidates = 4, .depth = 8, .repairs = 3}, composer))
          .value();
  std::vector<Proposal> wave = strategy->start().value();

  /// The next wave, after answers with these times.
  void answer(const std::vector<Times>& times, double floor_us = 0) {
    const std::vector<Proposal> asked = std::exchange(wave, {});
    for (std::size_t i = 0; i < asked.size(); ++i) {
      auto next = strategy->next(answered(asked[i], times.at(i), floor_us, noise)).value();
      for (Proposal& proposal : next) wave.push_back(std::move(proposal));
    }
  }

  std::vector<std::string> kinds() const {
    std::vector<std::string> kinds;
    for (const Proposal& proposal : wave) kinds.push_back(proposal.kind);
    return kinds;
  }

  std::string question(const std::string& kind) const {
    for (const Proposal& proposal : wave)
      if (proposal.kind == kind) return proposal.messages.back().text;
    return {};
  }
};

TEST_F(EvolveTest, AWaveTakesTurns) {
  answer({{100, 100}, {110, 110}, {120, 120}, {130, 130}});
  EXPECT_THAT(kinds(), ElementsAre("improve", "combine", "optimise", "optimise"));
  EXPECT_EQ(wave[0].parent, "g1.c1");
  EXPECT_THAT(question("improve"), HasSubstr("kernel g1.c4"));  // what is known of the others
}

TEST_F(EvolveTest, AsksForAnotherDesignFarFromTheFloorOnce) {
  answer({{100, 100}, {110, 110}, {120, 120}, {130, 130}}, 40);
  EXPECT_THAT(kinds(), ElementsAre("improve", "combine", "optimise", "redesign"));
  answer({{90, 90}, {91, 91}, {92, 92}, {93, 93}}, 40);
  EXPECT_THAT(kinds(), Not(testing::Contains("redesign")));
}

TEST_F(EvolveTest, AsksForAnotherDesignWhereNothingBecameFaster) {
  answer({{100, 100}, {110, 110}, {120, 120}, {130, 130}}, 90);
  EXPECT_THAT(kinds(), Not(testing::Contains("redesign")));
  answer({{101, 101}, {102, 102}, {103, 103}, {104, 104}}, 90);
  EXPECT_THAT(kinds(), testing::Contains("redesign"));
}

TEST_F(EvolveTest, CombinesWithWhatLeadsAtSomeSizeHoweverSlowItIsElsewhere) {
  answer({{100, 100}, {104, 104}, {70, 400}, {130, 130}});
  EXPECT_EQ(question("combine"), "combine kernel g1.c1 and kernel g1.c3");
}

TEST_F(EvolveTest, CombinesNothingWithAKernelThatIsMuchSlowerEverywhere) {
  answer({{100, 100}, {180, 180}, {200, 200}, {}});
  // The failed one is mended; nobody is left to cross with.
  EXPECT_THAT(kinds(), ElementsAre("repair-mismatch", "improve", "optimise", "optimise"));
}

TEST_F(EvolveTest, CombinesAPairOnce) {
  answer({{100, 100}, {110, 110}, {}, {}});
  EXPECT_EQ(question("combine"), "combine kernel g1.c1 and kernel g1.c2");
  // Nothing new, so that the same pair would be the next one.
  answer({{}, {}, {}, {}});
  EXPECT_EQ(question("combine"), "");
}

TEST_F(EvolveTest, AChildOfACrossingIsNotCrossedWithItsParents) {
  answer({{100, 100}, {80, 130}, {}, {}});
  EXPECT_EQ(question("combine"), "combine kernel g1.c1 and kernel g1.c2");
  std::string child;
  std::vector<Times> times;
  for (const Proposal& proposal : wave) {
    const bool is_child = proposal.kind == "combine";
    if (is_child) child = proposal.id;
    times.push_back(is_child ? Times{95, 95} : Times{});
  }
  answer(times);
  // g1.c2 still leads at one size, but is in the child already.
  ASSERT_FALSE(child.empty());
  EXPECT_EQ(question("combine"), "");
}

TEST_F(EvolveTest, WhatOverlapsDoesNotLead) {
  answer({{100, 100}, {98, 180}, {}, {}});
  EXPECT_EQ(question("combine"), "combine kernel g1.c1 and kernel g1.c2");
  strategy = std::move(make_strategy("evolve", {.candidates = 4, .depth = 8}, composer)).value();
  wave = strategy->start().value();
  noise = 0.03;
  answer({{100, 100}, {98, 240}, {}, {}});
  EXPECT_EQ(question("combine"), "");
}

TEST_F(EvolveTest, NothingIsAskedTwiceInAWave) {
  strategy = std::move(make_strategy("evolve", {.candidates = 8, .depth = 8}, composer)).value();
  wave = strategy->start().value();
  answer({{100, 100},
          {110, 110},
          {120, 120},
          {130, 130},
          {140, 140},
          {150, 150},
          {160, 160},
          {170, 170}},
         40);
  std::set<std::string> questions;
  for (const Proposal& proposal : wave) {
    if (proposal.kind == "optimise") continue;  // directions differ
    EXPECT_TRUE(questions.insert(proposal.messages.back().text).second) << proposal.kind;
  }
  EXPECT_THAT(kinds(), testing::Contains("redesign").Times(1));
  EXPECT_THAT(kinds(), testing::Contains("improve").Times(1));
}

TEST_F(EvolveTest, ParentsAreNearTheBest) {
  answer({{100, 100}, {220, 220}, {230, 230}, {240, 240}});
  for (int wave_number = 2; wave_number < 6; ++wave_number) {
    for (const Proposal& proposal : wave) {
      if (proposal.kind == "optimise") {
        EXPECT_EQ(proposal.parent, "g1.c1");
      }
    }
    answer({{300, 300}, {300, 300}, {300, 300}, {300, 300}});
  }
}

TEST_F(EvolveTest, OneQuestionAtATimeTakesTurnsToo) {
  strategy = std::move(make_strategy("evolve", {.candidates = 1, .depth = 8}, composer)).value();
  wave = strategy->start().value();
  answer({{100, 100}});
  std::vector<std::string> asked;
  for (double us = 99; us > 95; --us) {
    ASSERT_EQ(wave.size(), 1u);
    asked.push_back(wave[0].kind);
    answer({{us, us}});
  }
  EXPECT_THAT(asked, ElementsAre("improve", "optimise", "optimise", "optimise"));
}

}  // namespace
}  // namespace warpwright::search
