// SPDX-License-Identifier: Apache-2.0
// Strategies measured with a simulated model (simulated_model.h says how it answers), and killed.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "search/bandit.h"
#include "search/simulated_model.h"
#include "search/strategy.h"
#include "support/share.h"

namespace warpwright::search {
namespace {

constexpr int kSeeds = 20;
constexpr std::array kTerrains = {Terrain::smooth, Terrain::rugged, Terrain::families};

struct Course {
  const char* name;
  const char* strategy;
  int candidates;
  int depth;
};
// 32 questions each.
constexpr Course kIndependent{"independent", "fsr", 32, 1};
constexpr Course kFsr{"fsr", "fsr", 4, 8};
constexpr Course kSerial{"serial", "serial", 4, 8};
constexpr Course kTree{"tree", "tree", 4, 8};
constexpr Course kEvolve{"evolve", "evolve", 4, 8};

/// Thousands of archives' commits wait for a disk, unless they lie in memory.
bool lies_in_memory() {
  return access("/dev/shm", W_OK) == 0 && setenv("TMPDIR", "/dev/shm", 1) == 0;
}

/// A landscape has no floor that anybody knows.
Evaluation judge_without_floor(const std::string& source) {
  Evaluation evaluation = judge_text(source);
  for (Measurement& measurement : evaluation.measurements) measurement.floor_us = 0;
  return evaluation;
}

std::unique_ptr<World> world_of(const Course& course, std::uint64_t seed, Terrain terrain) {
  static const bool in_memory = lies_in_memory();
  static_cast<void>(in_memory);
  auto made = std::make_unique<World>(SimulatedModel(seed, Landscape(seed, terrain)));
  World& world = *made;
  world.strategy_name = course.strategy;
  // Without repairs within a round, every course has the same number of questions.
  world.strategy_options = {
      .candidates = course.candidates, .depth = course.depth, .repairs = course.depth};
  world.options.limits.evaluations = 32;
  world.options.baseline_source = "time=100";
  world.evaluator.judge = judge_without_floor;
  return made;
}

/// The fastest of a run's first trials against the baseline of 100 us; 1 where none is faster.
double speedup_within(World& world, std::size_t trials) {
  double best_us = 100;
  const auto all = world.archive->trials(world.run_id).value();
  for (std::size_t i = 0; i < std::min(trials, all.size()); ++i) {
    const auto& evaluation = all[i].evaluation;
    if (evaluation && evaluation->valid())
      best_us = std::min(best_us, score_us(*evaluation).value_or(best_us));
  }
  return 100 / best_us;
}

/// Geometric mean over the seeds of the speed-up after 32 questions.
double gain_of(const Course& course, Terrain terrain, std::size_t questions = 32) {
  double log_sum = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const auto world = world_of(course, seed, terrain);
    world->run();
    log_sum += std::log(speedup_within(*world, questions));
  }
  return std::exp(log_sum / kSeeds);
}

TEST(Strategies, TheModelGainsByRoundsWhatARealOneDid) {
  constexpr Course kCampaign{"campaign", "fsr", 3, 4};
  double log_sum = 0;
  for (const Terrain terrain : kTerrains)
    log_sum += std::log(gain_of(kCampaign, terrain, 12) / gain_of(kCampaign, terrain, 3));
  const double gain = std::exp(log_sum / std::size(kTerrains));
  std::printf("three candidates, four rounds: x%.3f over the first round\n", gain);
  EXPECT_GT(gain, 1.05);
  EXPECT_LT(gain, 1.30);
}

std::vector<double> gains_of(const Course& course) {
  std::vector<double> gains;
  for (const Terrain terrain : kTerrains) gains.push_back(gain_of(course, terrain));
  return gains;
}

/// The geometric mean over the terrains of what a course gains over 32 independent samples.
double gain_over(const std::vector<double>& independent, const Course& course) {
  const std::vector<double> gains = gains_of(course);
  double log_sum = 0;
  std::printf("%-8s", course.name);
  for (std::size_t i = 0; i < gains.size(); ++i) {
    const double ratio = gains[i] / independent[i];
    std::printf("  x%.3f", ratio);
    log_sum += std::log(ratio);
  }
  const double mean = std::exp(log_sum / std::size(kTerrains));
  std::printf("  mean x%.3f\n", mean);
  return mean;
}

TEST(Strategies, TreeAndEvolveBeatIndependentSamplesAndFsrLiesBetween) {
  const std::vector<double> independent = gains_of(kIndependent);
  const double fsr = gain_over(independent, kFsr);
  const double tree = gain_over(independent, kTree);
  const double evolve = gain_over(independent, kEvolve);
  if (whole_suites()) gain_over(independent, kSerial);  // for the printed table alone
  EXPECT_GE(tree, 1.10);
  EXPECT_GE(evolve, 1.10);
  EXPECT_GT(fsr, 1.0);
  EXPECT_LT(fsr, std::min(tree, evolve));
}

TEST(Strategies, ATreeGoesOnWhereATaskHasNoBaseline) {
  double log_sum = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const auto world = world_of(kTree, seed, Terrain::smooth);
    world->options.baseline_source.clear();
    world->run();
    log_sum += std::log(speedup_within(*world, 32));
  }
  EXPECT_GE(std::exp(log_sum / kSeeds), 0.95 * gain_of(kTree, Terrain::smooth));
}

TEST(Strategies, SerialRefinementLosesWhereSingleChangesDoNotHelp) {
  EXPECT_LT(gain_of(kSerial, Terrain::rugged), gain_of(kIndependent, Terrain::rugged));
}

/// Several models: the choice says which one answers, and some know less than others.
std::unique_ptr<World> world_of_models(const std::vector<SimulatedRules>& models,
                                       std::uint64_t seed, Terrain terrain) {
  auto made = world_of(kEvolve, seed, terrain);
  std::vector<SimulatedModel> all;
  for (const SimulatedRules& rules : models)
    all.emplace_back(seed, Landscape(seed, terrain), rules);
  made->model = FakeModel([all](const llm::Request& request) {
    return all.at(static_cast<std::size_t>(request.choice))(request);
  });
  made->strategy_options.models = static_cast<int>(models.size());
  return made;
}

TEST(Strategies, EvolveAsksTheBetterModelMoreOften) {
  constexpr SimulatedRules kGood;
  constexpr SimulatedRules kPoor{.ideas = 1, .insight = 0, .wrong = 0.7, .repaired = 0.2};
  double both = 0, poor_alone = 0, good_alone = 0;
  int asked = 0, asked_good = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const auto mixed = world_of_models({kPoor, kGood}, seed, Terrain::smooth);
    mixed->run();
    both += std::log(speedup_within(*mixed, 32));
    for (const llm::Request& request : mixed->model.requests) {
      ++asked;
      asked_good += request.choice == 1 ? 1 : 0;
    }
    const auto poor = world_of_models({kPoor}, seed, Terrain::smooth);
    poor->run();
    poor_alone += std::log(speedup_within(*poor, 32));
    const auto good = world_of_models({kGood}, seed, Terrain::smooth);
    good->run();
    good_alone += std::log(speedup_within(*good, 32));
  }
  const double share = static_cast<double>(asked_good) / asked;
  std::printf("the better model got %.0f %% of the questions; x%.3f, alone x%.3f and x%.3f\n",
              100 * share, std::exp(both / kSeeds), std::exp(good_alone / kSeeds),
              std::exp(poor_alone / kSeeds));
  EXPECT_GT(share, 0.6);
  // Closer to the better model than to the poor one.
  EXPECT_GT(both - poor_alone, good_alone - both);
}

TEST(Strategies, OthersAskOneModel) {
  FakeComposer composer;
  EXPECT_TRUE(make_strategy("evolve", {.models = 2}, composer).ok());
  const auto refused = make_strategy("fsr", {.models = 2}, composer);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, testing::HasSubstr("evolve"));
}

TEST(Bandit, TriesEveryArmAndThenTheBest) {
  Bandit bandit(3);
  EXPECT_EQ(bandit.choose(), 0);
  EXPECT_EQ(bandit.choose(), 1);
  EXPECT_EQ(bandit.choose(), 2);
  const double rewards[] = {0.1, 0.6, 0.3};
  for (int arm = 0; arm < 3; ++arm) bandit.learn(arm, rewards[arm]);
  for (int i = 0; i < 97; ++i) {
    const int arm = bandit.choose();
    bandit.learn(arm, rewards[arm]);
  }
  EXPECT_GT(bandit.chosen(1), 50);
  EXPECT_GT(bandit.chosen(0), 2);  // nobody is forgotten
}

/// The archive without times: what two equal searches must agree on.
std::string story(World& world) {
  std::string text;
  for (const auto& trial : world.archive->trials(world.run_id).value()) {
    text += trial.prompt.trial + " " + trial.prompt.kind + " <" + trial.prompt.parent + ">";
    if (trial.reply) text += " -> " + trial.reply->text;
    if (trial.evaluation) text += " = " + std::string(name_of(trial.evaluation->verdict));
    text += "\n";
  }
  return text + world.archive->find_run(world.run_id).value().best_trial;
}

class KilledStrategy : public testing::TestWithParam<std::string> {};

TEST_P(KilledStrategy, EndsLikeAnUndisturbedOne) {
  const std::string strategy = GetParam();
  const Course course{"killed", strategy.c_str(), 3, 4};
  const auto undisturbed = world_of(course, 7, Terrain::smooth);
  undisturbed->run();
  const std::string expected = story(*undisturbed);
  EXPECT_GT(std::count(expected.begin(), expected.end(), '\n'), 8);
  for (int moment = 1; moment <= 30; ++moment) {
    const auto world = world_of(course, 7, Terrain::smooth);
    world->run(moment);  // dies after so many events
    world->run();
    EXPECT_EQ(story(*world), expected) << "killed after event " << moment;
  }
}

TEST(Strategies, AKilledSearchWithTwoModelsAsksTheSameOnesAgain) {
  const std::vector<SimulatedRules> models = {SimulatedRules(), SimulatedRules{.insight = 0.4}};
  const auto undisturbed = world_of_models(models, 7, Terrain::smooth);
  undisturbed->run();
  const std::string expected = story(*undisturbed);
  for (const int moment : {5, 19, 40}) {
    const auto world = world_of_models(models, 7, Terrain::smooth);
    world->run(moment);
    world->run();
    EXPECT_EQ(story(*world), expected) << "killed after event " << moment;
  }
}

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const StrategyRow& row : strategies()) names.emplace_back(row.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, KilledStrategy, testing::ValuesIn(strategy_names()),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace warpwright::search
