// SPDX-License-Identifier: Apache-2.0
#include "service/rewards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "support/places.h"

namespace warpwright::service {
namespace {

using testing::HasSubstr;

Evaluation judged(Verdict verdict, double us, double baseline_us, double floor_us) {
  Evaluation evaluation;
  evaluation.verdict = verdict;
  Measurement m;
  m.size = "n";
  m.median_us = us;
  m.baseline_us = baseline_us;
  m.floor_us = floor_us;
  evaluation.measurements = {m};
  return evaluation;
}

double reward(const char* name, const Evaluation& evaluation) {
  return find_reward(name)->of(evaluation);
}

TEST(Rewards, Values) {
  const Evaluation twice = judged(Verdict::ok, 10, 20, 1);
  EXPECT_NEAR(reward("kevin", twice), 2.3, 1e-12);
  EXPECT_EQ(reward("fast_1", twice), 1);
  EXPECT_EQ(reward("fast_2", twice), 0);
  EXPECT_NEAR(reward("log_speedup", twice), 2, 1e-12);
  const Evaluation slow = judged(Verdict::ok, 80, 20, 1);
  EXPECT_NEAR(reward("kevin", slow), 0.55, 1e-12);
  EXPECT_EQ(reward("fast_1", slow), 0);
  EXPECT_NEAR(reward("log_speedup", slow), 0.1, 1e-12);
}

TEST(Rewards, NothingIsGainedBelowTheRoofline) {
  const Evaluation impossible = judged(Verdict::ok, 0.001, 20, 5);
  EXPECT_NEAR(reward("kevin", impossible), 4.3, 1e-12);
  EXPECT_NEAR(reward("log_speedup", impossible), 3, 1e-12);
}

TEST(Rewards, WhateverIsNotOkEarnsNothingAndNoRightKernelEarnsLess) {
  for (const Reward& row : rewards()) {
    for (int verdict = 1; verdict < kVerdictCount; ++verdict) {
      EXPECT_EQ(row.of(judged(static_cast<Verdict>(verdict), 1, 100, 1)), 0) << row.name;
    }
    EXPECT_GE(row.of(judged(Verdict::ok, 1e9, 1, 1)), 0) << row.name;
    EXPECT_GE(row.of(judged(Verdict::ok, 1, 0, 0)), 0) << row.name;
  }
  EXPECT_EQ(find_reward("none"), nullptr);
}

TEST(Rewards, ThePageAndTheDescriptionNameEachOne) {
  const std::string page = *read_file(source_path("/docs/rewards.md"));
  const std::string api = *read_file(source_path("/src/service/openapi.json"));
  for (const Reward& row : rewards()) {
    EXPECT_THAT(page, HasSubstr("| `" + std::string(row.name) + "` |"));
    EXPECT_THAT(api, HasSubstr("\"" + std::string(row.name) + "\""));
  }
}

}  // namespace
}  // namespace warpwright::service
