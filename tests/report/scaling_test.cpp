// SPDX-License-Identifier: Apache-2.0
#include "report/scaling.h"

#include <gtest/gtest.h>

namespace warpwright::report {
namespace {

TEST(Scaling, ExpectedBestIsExact) {
  // Of {1, 2, 4}: one: 7/3; two: (2 + 4 + 4)/3; three: 4.
  const auto curve = expected_best({4, 1, 2});
  ASSERT_EQ(curve.size(), 3u);
  EXPECT_NEAR(curve[0], 7.0 / 3, 1e-12);
  EXPECT_NEAR(curve[1], 10.0 / 3, 1e-12);
  EXPECT_NEAR(curve[2], 4, 1e-12);
  EXPECT_TRUE(expected_best({}).empty());
  const auto alone = expected_best({0.5});
  ASSERT_EQ(alone.size(), 1u);
  EXPECT_NEAR(alone[0], 0.5, 1e-12);
}

store::TrialRecord trial_of(const std::string& id, const std::string& parent, double speed) {
  store::TrialRecord trial;
  trial.prompt.trial = id;
  trial.prompt.parent = parent;
  trial.prompt.kind = parent.empty() ? "initial" : "optimise";
  Evaluation evaluation;
  evaluation.verdict = speed > 0 ? Verdict::ok : Verdict::mismatch;
  if (speed > 0) {
    const double us = 10 / speed;
    evaluation.measurements = {{"s", TimeSource::measured, us, us, us, 9, 1, 10}};
  }
  trial.evaluation = evaluation;
  return trial;
}

TEST(Scaling, CurvesOfARun) {
  store::RunRecord run;
  run.id = "demo-1";
  const auto scaling =
      scaling_of(run, {trial_of("k1.t1", "", 2), trial_of("k2.t1", "", 0),
                       trial_of("k1.t2", "k1.t1", 3), trial_of("k2.t2", "k2.t1", 1)});
  EXPECT_EQ(scaling.answers, 4u);
  EXPECT_EQ(scaling.independent, 2u);
  ASSERT_EQ(scaling.parallel.size(), 2u);
  EXPECT_NEAR(scaling.parallel[0], 1, 1e-12);
  EXPECT_NEAR(scaling.parallel[1], 2, 1e-12);
  ASSERT_EQ(scaling.serial.size(), 4u);
  EXPECT_NEAR(scaling.serial[1], 2, 1e-12);
  EXPECT_NEAR(scaling.serial[3], 3, 1e-12);
  ASSERT_EQ(scaling.turns.size(), 2u);
  EXPECT_NEAR(scaling.turns[0], 1, 1e-12);
  EXPECT_NEAR(scaling.turns[1], 2, 1e-12);
}

}  // namespace
}  // namespace warpwright::report
