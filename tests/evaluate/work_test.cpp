// SPDX-License-Identifier: Apache-2.0
// The rule adjacent_exchange, which the SIMT machine decides by counting (trial_work.cpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "build/toolchain.h"
#include "evaluate/trial.h"
#include "evaluate/trial_rules.h"
#include "suite/load.h"
#include "support/places.h"

namespace warpwright::evaluate {
namespace {

using testing::HasSubstr;

JobRequest sorting(std::uint64_t seed) {
  JobRequest request;
  request.id = "test";
  request.task = suite::load_embedded_task("sort").value();
  request.device = "simt";
  request.front_end = "clang";
  request.seed = seed;
  request.limit_s = 90;
  return request;
}

TEST(Work, ASizeIsDrawnPerTrial) {
  const auto drawn = [](std::uint64_t seed) {
    const JobRequest request = sorting(seed);
    Station station;
    const StopSignal stop;
    TrialState state = begin_trial(request, "none", station, stop);
    state.seed = seed;
    draw_work_size(state);
    return state.work_size ? state.work_size->values.at("N") : 0;
  };
  EXPECT_EQ(drawn(1), drawn(1));
  EXPECT_TRUE(drawn(1) != drawn(2) || drawn(1) != drawn(3));
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_GE(drawn(seed), 7300);
    EXPECT_LE(drawn(seed), 8192);
  }
}

TEST(Work, WhatCannotBeCountedIsSaid) {
  const JobRequest request = sorting(1);
  Station station;
  const StopSignal stop;
  TrialState state = begin_trial(request, "none", station, stop);
  state.target.is_cuda = true;
  state.target.facts = *known_device("h200");
  draw_work_size(state);
  state.candidate.built.ptx = "this is no PTX";
  EXPECT_EQ(judge_work_by_size(state), Next::go_on);
  ASSERT_EQ(state.evaluation.findings.size(), 1U);
  EXPECT_EQ(state.evaluation.findings[0].kind, "note");
  EXPECT_THAT(state.evaluation.findings[0].message,
              HasSubstr("the rule adjacent_exchange was not checked at any size"));
}

class WorkTrial : public testing::Test {
 protected:
  void SetUp() override {
    if (!build::find_toolchain().clang.found()) {
      GTEST_SKIP() << "no clang: install clang-19 to run trials";
    }
  }

  Evaluation judge(const std::string& file, const std::string& size) {
    JobRequest request = sorting(20260101);
    request.source = read_file(source_path(file)).value();
    request.sizes = {size};
    request.cache = folder_.path() / "cache";
    const StopSignal stop;
    return run_trial(request, folder_.path() / "scratch", stop);
  }

  TemporaryDirectory folder_ = TemporaryDirectory::create("work-test").value();
};

/// What does something else at some sizes is in the zoo: sort_bitonic and sort_known_sizes.
TEST_F(WorkTrial, BubbleSortIsNeverAccused) {
  const Evaluation evaluation = judge("/tests/honest/sort_launch_loop.cu", "2^9");
  EXPECT_EQ(evaluation.verdict, Verdict::ok) << evaluation.reason;
  EXPECT_TRUE(evaluation.stage_s.contains("sanitize.work"));
}

}  // namespace
}  // namespace warpwright::evaluate
