// SPDX-License-Identifier: Apache-2.0
#include "tune/recorded.h"

#include <cstdio>

#include <gtest/gtest.h>

#include "support/places.h"
#include "tune/tuner.h"

namespace warpwright::tune {
namespace {

constexpr int kSeeds = 20;

double tuned(const Recorded& recorded, std::size_t budget, std::uint64_t seed) {
  Tuner tuner(recorded.space, budget, seed);
  double best = 1e300;
  std::size_t asked = 0;
  for (auto batch = tuner.next(); !batch.empty(); batch = tuner.next()) {
    for (const Point& point : batch) {
      const auto us = recorded.at(point);
      tuner.tell(point, {us, 0});
      best = std::min(best, us.value_or(1e300));
      ++asked;
    }
  }
  EXPECT_LE(asked, budget);
  return best;
}

double walked(const Recorded& recorded, std::size_t budget, std::uint64_t seed,
              void (*strategy)(Walk&)) {
  Walk walk(recorded, budget, seed);
  strategy(walk);
  return walk.best();
}

class RecordedSpace : public ::testing::TestWithParam<const char*> {};

/// 12 % of the evaluations: within 3 % of the best there is, and as good as as many drawn ones.
TEST_P(RecordedSpace, IsSearchedWithAnEighthOfTheEvaluations) {
  const std::string name = GetParam();
  const auto recorded = read_recorded(source_path("/bench/tune_kernels/" + name + ".cu"),
                                      source_path("/tests/tune/spaces/" + name + ".tsv"));
  ASSERT_TRUE(recorded.ok()) << recorded.error().message;
  ASSERT_GE(recorded->us.size(), 500u);
  const std::size_t budget = recorded->us.size() * 12 / 100;
  struct Row {
    const char* name;
    void (*walk)(Walk&);
    double sum = 0;
    int not_behind = 0;
  };
  Row rows[] = {{"random_sample", random_sample},
                {"greedy_mls", greedy_local_search},
                {"simulated_annealing", simulated_annealing},
                {"genetic_algorithm", genetic_algorithm}};
  double sum = 0, worst = 0;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    const double own = tuned(*recorded, budget, static_cast<std::uint64_t>(seed));
    sum += own / recorded->best / kSeeds;
    worst = std::max(worst, own / recorded->best);
    for (Row& row : rows) {
      const double other = walked(*recorded, budget, static_cast<std::uint64_t>(seed), row.walk);
      row.sum += other / recorded->best / kSeeds;
      row.not_behind += own <= other * (1 + 1e-12) ? 1 : 0;
    }
  }
  std::printf("%s: %zu points, %zu evaluations; tune %.4f of the best (worst %.4f)\n", GetParam(),
              recorded->us.size(), budget, sum, worst);
  for (const Row& row : rows) {
    std::printf("  %-20s %.4f; tune is no slower in %d of %d\n", row.name, row.sum, row.not_behind,
                kSeeds);
  }
  EXPECT_LE(worst, 1.03);
  EXPECT_GE(rows[0].not_behind, 18);
}

INSTANTIATE_TEST_SUITE_P(Spaces, RecordedSpace, ::testing::Values("transpose", "matmul", "reduce"));

}  // namespace
}  // namespace warpwright::tune
