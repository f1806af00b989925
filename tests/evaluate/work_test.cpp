// SPDX-License-Identifier: Apache-2.0
// The rule adjacent_exchange, which the SIMT machine decides by counting (evaluate/work_check.h).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "build/toolchain.h"
#include "evaluate/judgement.h"
#include "evaluate/work_check.h"
#include "suite/load.h"
#include "support/places.h"
#include "support/share.h"
#include "verify/work_rule.h"

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
  request.limit_s = 240;
  return request;
}

TEST(Work, ASizeIsDrawnPerJudgement) {
  const auto drawn = [](std::uint64_t seed) {
    const Task task = sorting(seed).task;
    const auto size = verify::work_rule_of(task)->draw_size(task, seed);
    return size ? size->values.at("N") : 0;
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
  Context context = make_context(request, "none", station, stop);
  Prepared prepared;
  prepared.source = std::make_shared<const Source>(Source{request});
  prepared.target.is_cuda = true;
  prepared.target.facts = *known_device("h200");
  prepared.work_size = &prepared.task().sizes.back();
  prepared.candidate.code.ptx = "this is no PTX";
  EXPECT_TRUE(check_work(prepared, nullptr, context).ok());
  ASSERT_EQ(context.notes.unchecked.size(), 1U);
  EXPECT_THAT(context.notes.unchecked[0], HasSubstr("the rule adjacent_exchange at any size"));
  const Evaluation evaluation = evaluation_of(context, Measured{});
  EXPECT_EQ(evaluation.verdict, Verdict::unchecked);
  EXPECT_THAT(evaluation.reason, HasSubstr("adjacent_exchange"));
}

class WorkTrial : public testing::Test {
 protected:
  void SetUp() override {
    if (!build::find_toolchain().clang.found()) {
      GTEST_SKIP() << "no clang: install clang-19 to run instances";
    }
  }

  Evaluation judge(const std::string& file, const std::string& size) {
    JobRequest request = sorting(20260101);
    // The work grows with the square of the size.
    Task& task = request.task;
    task.domain["N"] = "1..1024";
    task.sizes.resize(2);
    std::erase_if(task.edge_sizes, [](const TaskSize& s) { return s.values.at("N") > 1024; });
    request.source = read_file(source_path(file)).value();
    request.sizes = {size};
    request.cache = folder_.path() / "cache";
    const StopSignal stop;
    return evaluate::judge(request, folder_.path() / "scratch", stop);
  }

  TemporaryDirectory folder_ = TemporaryDirectory::create("work-test").value();
};

/// What does something else at some sizes is in the zoo: sort_bitonic and sort_known_sizes.
TEST_F(WorkTrial, BubbleSortIsNeverAccused) {
  if (!whole_suites())
    GTEST_SKIP() << "takes half a minute under the sanitizers; WARPWRIGHT_SLOW_TESTS=1 runs it";
  const Evaluation evaluation = judge("/tests/honest/sort_launch_loop.cu", "2^9");
  EXPECT_EQ(evaluation.verdict, Verdict::ok) << evaluation.reason;
  EXPECT_TRUE(evaluation.stage_s.contains("sanitize.work"));
}

}  // namespace
}  // namespace warpwright::evaluate
