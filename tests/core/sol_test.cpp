// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "core/evaluation.h"
#include "core/evaluation_json.h"
#include "core/task_json.h"

namespace warpwright {
namespace {

Measurement timed(const char* size, double us, double floor_us, double baseline_us, double weight) {
  Measurement m;
  m.size = size;
  m.median_us = m.low_us = m.high_us = us;
  m.samples = 1;
  m.floor_us = floor_us;
  m.baseline_us = baseline_us;
  m.weight = weight;
  return m;
}

TEST(SolScore, IsAHalfAtTheBaselineAndOneAtTheSpeedOfLight) {
  EXPECT_DOUBLE_EQ(sol_score(20, 20, 5), 0.5);
  EXPECT_DOUBLE_EQ(sol_score(5, 20, 5), 1.0);
  EXPECT_DOUBLE_EQ(sol_score(4, 20, 5), 1.0) << "no more than the speed of light";
  EXPECT_DOUBLE_EQ(sol_score(10, 20, 5), 1 / (1 + 5.0 / 15));
  EXPECT_LT(sol_score(2000, 20, 5), 0.01);
}

TEST(SolScore, OfABaselineAtTheSpeedOfLight) {
  EXPECT_DOUBLE_EQ(sol_score(5, 5, 5), 1.0);
  EXPECT_DOUBLE_EQ(sol_score(6, 5, 5), 0.0);
}

TEST(SolScore, NeedsFloorAndBaselineOfEverySize) {
  Evaluation evaluation;
  evaluation.verdict = Verdict::ok;
  EXPECT_FALSE(sol_score(evaluation).has_value());
  evaluation.measurements = {timed("a", 20, 5, 20, 1), timed("b", 5, 5, 20, 1)};
  EXPECT_DOUBLE_EQ(*sol_score(evaluation), 0.75);
  evaluation.measurements[1].baseline_us = 0;
  EXPECT_FALSE(sol_score(evaluation).has_value());
}

TEST(Weights, CountInEveryMean) {
  Evaluation evaluation;
  evaluation.verdict = Verdict::ok;
  evaluation.measurements = {timed("often", 10, 5, 40, 3), timed("seldom", 1000, 500, 1000, 1)};
  EXPECT_TRUE(has_weights(evaluation));
  EXPECT_NEAR(*score_us(evaluation), std::pow(10.0, 0.75) * std::pow(1000.0, 0.25), 1e-9);
  EXPECT_NEAR(*speedup(evaluation), std::pow(4.0, 0.75), 1e-12);
  EXPECT_NEAR(*roofline_share(evaluation), 0.5, 1e-12);
  EXPECT_NEAR(*sol_score(evaluation), (3 * sol_score(10, 40, 5) + 0.5) / 4, 1e-12);
}

TEST(Weights, TravelWithTheResult) {
  Evaluation evaluation;
  evaluation.verdict = Verdict::ok;
  evaluation.measurements = {timed("a", 10, 5, 40, 2.5), timed("b", 10, 5, 40, 1)};
  const auto text = evaluation_to_json(evaluation);
  const auto read = evaluation_from_json(text);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, evaluation);
  auto broken = text;
  broken.replace(broken.find("2.5"), 3, "-2.5");
  EXPECT_FALSE(evaluation_from_json(broken).ok());
}

constexpr const char* kTask = R"json({"name":"t","title":"T","description":"d",
 "argument":[{"name":"x","type":"f32","role":"input","count":"n","values":"normal(0, 1)","range":"-9..9 real"},
  {"name":"y","type":"f32","role":"output","count":"n"},{"name":"n","type":"i32","role":"scalar"}],
 "size":[{"label":"a","n":8,"weight":4},{"label":"b","n":16}],"domain":{"n":"1..16"},
 "check":{"rule":"elementwise","rtol":1e-5},"cost":{"bytes":"8*n","flops":"n"},
 "sources":{"baseline":"void","reference":"r"}REST})json";

std::string with(const std::string& rest) {
  std::string text = kTask;
  return text.replace(text.find("REST"), 4, rest);
}

TEST(Weights, AreSaidPerSize) {
  const auto read = read_task_json(with(""));
  const auto* task = std::get_if<Task>(&read);
  ASSERT_NE(task, nullptr) << std::get<TaskProblem>(read).what;
  EXPECT_EQ(task->sizes[0].weight, 4);
  EXPECT_EQ(task->sizes[1].weight, 1);
  EXPECT_FALSE(task->sizes[0].values.contains("weight"));
  const auto again = task_from_json(task_to_json(*task));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(*again, *task);
  std::string wrong = with("");
  wrong.replace(wrong.find("\"weight\":4"), 10, "\"weight\":0");
  EXPECT_TRUE(std::holds_alternative<TaskProblem>(read_task_json(wrong)));
}

TEST(TaskStream, IsTheLastParameterAndInThePrompt) {
  const auto read = read_task_json(with(",\"stream\":true"));
  const auto* task = std::get_if<Task>(&read);
  ASSERT_NE(task, nullptr) << std::get<TaskProblem>(read).what;
  EXPECT_EQ(signature_of(*task),
            "extern \"C\" void solve(const float* x, float* y, int n, cudaStream_t stream)");
  EXPECT_NE(description_for_model(*task).find("joined to it by events"), std::string::npos);
  EXPECT_EQ(*task_from_json(task_to_json(*task)), *task);
}

TEST(TaskLibraries, AreToldAndMayBeForbidden) {
  const auto read = read_task_json(with(R"(,"build":{"include":["/opt/cutlass"]})"));
  const auto* task = std::get_if<Task>(&read);
  ASSERT_NE(task, nullptr) << std::get<TaskProblem>(read).what;
  EXPECT_NE(description_for_model(*task).find("include path (cutlass)"), std::string::npos);
  EXPECT_EQ(*task_from_json(task_to_json(*task)), *task);
  for (const char* wrong : {R"(,"build":{"include":["/opt/x"],"libraries":false})",
                            R"(,"build":{"include":"/opt/x"})", R"(,"build":{"flags":[]})"}) {
    EXPECT_TRUE(std::holds_alternative<TaskProblem>(read_task_json(with(wrong)))) << wrong;
  }
}

}  // namespace
}  // namespace warpwright
