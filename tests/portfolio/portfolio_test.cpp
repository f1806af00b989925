// SPDX-License-Identifier: Apache-2.0
#include "portfolio/portfolio.h"

#include <gtest/gtest.h>

namespace warpwright::portfolio {
namespace {

Task vector_task() {
  Task task;
  task.name = "demo";
  task.arguments = {
      {.name = "x", .role = ArgumentRole::output, .expression = "n"},
      {.name = "n", .type = ElementType::i32, .role = ArgumentRole::scalar, .expression = "n"}};
  for (const double n : {1000.0, 10000.0, 100000.0, 1000000.0}) {
    task.sizes.push_back({"n=" + std::to_string(static_cast<int>(n)), {{"n", n}}});
  }
  return task;
}

Part part_of(const Task& task, const std::string& name, const std::vector<double>& times) {
  Part part{name,
            "#include <cuda_runtime.h>\n#define SIZE 4\n__global__ void k() {}\n"
            "extern \"C\" void solve(float* x, int n) { k<<<1, SIZE>>>(); }\n",
            {}};
  part.evaluation.verdict = Verdict::ok;
  for (std::size_t i = 0; i < times.size(); ++i) {
    part.evaluation.measurements.push_back(
        {task.sizes[i].label, TimeSource::measured, times[i], times[i], times[i], 9, 0, 0});
  }
  return part;
}

TEST(Portfolio, EachSizeGetsItsFastestPart) {
  const Task task = vector_task();
  const std::vector<Part> parts = {part_of(task, "small", {1, 2, 9, 90}),
                                   part_of(task, "large", {3, 3, 5, 50})};
  const auto dispatch = dispatch_by_size(task, parts);
  ASSERT_TRUE(dispatch.ok());
  EXPECT_EQ(dispatch->scalars, std::vector<std::string>{"n"});
  ASSERT_EQ(dispatch->ranges.size(), 2u);
  EXPECT_EQ(dispatch->ranges[0].part, 0u);
  EXPECT_EQ(dispatch->ranges[1].part, 1u);
  EXPECT_NEAR(dispatch->ranges[1].above, 31622.8, 0.1);
}

TEST(Portfolio, ADifferenceBelowTheMarginIsNone) {
  const Task task = vector_task();
  const std::vector<Part> parts = {part_of(task, "a", {1, 2, 9, 90}),
                                   part_of(task, "b", {1.2, 1.99, 10, 95})};
  const auto dispatch = dispatch_by_size(task, parts);
  ASSERT_TRUE(dispatch.ok());
  EXPECT_EQ(dispatch->ranges.size(), 1u);
}

TEST(Portfolio, AFirstSizeAloneDoesNotPayForAnotherPart) {
  const Task task = vector_task();
  const std::vector<Part> parts = {part_of(task, "a", {1, 2, 9, 90}),
                                   part_of(task, "b", {0.995, 2.2, 10, 95})};
  const auto dispatch = dispatch_by_size(task, parts);
  ASSERT_TRUE(dispatch.ok());
  ASSERT_EQ(dispatch->ranges.size(), 1u);
  EXPECT_EQ(dispatch->ranges[0].part, 0u);
}

TEST(Portfolio, AKernelBetweenTwoGetsARangeWhereItPaysForBothBorders) {
  const Task task = vector_task();
  const std::vector<Part> pays = {part_of(task, "a", {1, 2, 9, 90}),
                                  part_of(task, "b", {3, 1.9, 10, 95})};
  auto dispatch = dispatch_by_size(task, pays);
  ASSERT_TRUE(dispatch.ok());
  ASSERT_EQ(dispatch->ranges.size(), 3u);
  EXPECT_EQ(dispatch->ranges[1].part, 1u);
  EXPECT_NEAR(dispatch->ranges[1].above, 3162.28, 0.01);
  EXPECT_NEAR(dispatch->ranges[2].above, 31622.8, 0.1);
  const std::vector<Part> does_not = {part_of(task, "a", {1, 2, 9, 90}),
                                      part_of(task, "b", {3, 1.97, 10, 95})};
  dispatch = dispatch_by_size(task, does_not);
  ASSERT_TRUE(dispatch.ok());
  EXPECT_EQ(dispatch->ranges.size(), 1u);
}

TEST(Portfolio, OneScalarIsLookedAtWhereTheProductTellsLess) {
  Task task = vector_task();
  task.arguments.push_back(
      {.name = "b", .type = ElementType::i32, .role = ArgumentRole::scalar, .expression = "b"});
  // Twice the same product: one of 4 by 1000, one of 1 by 4000.
  task.sizes = {{"b=4", {{"n", 1000}, {"b", 4}}}, {"b=1", {{"n", 4000}, {"b", 1}}}};
  const std::vector<Part> parts = {part_of(task, "many", {1, 9}), part_of(task, "one", {5, 2})};
  const auto dispatch = dispatch_by_size(task, parts);
  ASSERT_TRUE(dispatch.ok());
  EXPECT_EQ(dispatch->scalars, std::vector<std::string>{"n"});
  ASSERT_EQ(dispatch->ranges.size(), 2u);
  EXPECT_EQ(dispatch->ranges[0].part, 0u);
  EXPECT_EQ(dispatch->ranges[1].part, 1u);
  EXPECT_NEAR(dispatch->ranges[1].above, 2000, 1e-9);
  const std::vector<Part> alike = {part_of(task, "a", {1, 2}), part_of(task, "b", {3, 4})};
  EXPECT_EQ(dispatch_by_size(task, alike)->scalars, (std::vector<std::string>{"n", "b"}));
}

TEST(Portfolio, OfManyCandidatesThoseThatAreCalledAreKept) {
  const Task task = vector_task();
  const auto chosen = portfolio_of(
      task, {part_of(task, "never", {2, 3, 10, 99}), part_of(task, "large", {3, 3, 5, 50}),
             part_of(task, "small", {1, 2, 9, 90})});
  ASSERT_TRUE(chosen.ok());
  ASSERT_EQ(chosen->parts.size(), 2u);
  EXPECT_EQ(chosen->parts[0].name, "small");
  EXPECT_EQ(chosen->parts[1].name, "large");
  ASSERT_EQ(chosen->dispatch.ranges.size(), 2u);
  EXPECT_EQ(chosen->dispatch.ranges[0].part, 0u);
  EXPECT_EQ(chosen->dispatch.ranges[1].part, 1u);
}

TEST(Portfolio, PartsLiveInNamespacesAndTakeTheirMacrosWithThem) {
  const Task task = vector_task();
  const std::vector<Part> parts = {part_of(task, "small", {1, 2, 9, 90}),
                                   part_of(task, "large", {3, 3, 5, 50})};
  const auto dispatch = dispatch_by_size(task, parts);
  ASSERT_TRUE(dispatch.ok());
  const auto source = merged_source(task, parts, *dispatch);
  ASSERT_TRUE(source.ok());
  EXPECT_TRUE(source->starts_with("#include <cuda_runtime.h>\n\nnamespace part0 {"));
  EXPECT_EQ(source->find("#include", 5), std::string::npos);
  EXPECT_NE(source->find("#undef SIZE\n\nnamespace part1 {"), std::string::npos);
  EXPECT_NE(source->find("if (size > 31622.5) {\n    part1::solve(x, n);"), std::string::npos);
  EXPECT_NE(source->find("  part0::solve(x, n);\n}\n"), std::string::npos);
  // One function of that linkage: ours.
  EXPECT_EQ(source->find("extern \"C\""), source->rfind("extern \"C\""));
}

TEST(Portfolio, WhatCannotBeMergedIsNamed) {
  const Task task = vector_task();
  std::vector<Part> parts = {part_of(task, "a", {1, 2, 9, 90}), part_of(task, "b", {3, 3, 5, 50})};
  const auto dispatch = dispatch_by_size(task, parts);
  ASSERT_TRUE(dispatch.ok());
  parts[1].source = "extern \"C\" {\nvoid solve(float*, int) {}\n}\n";
  const auto block = merged_source(task, parts, *dispatch);
  ASSERT_FALSE(block.ok());
  EXPECT_TRUE(block.error().message.starts_with("b: "));
  parts[1].source = "void solve(float*, int) {}\n";
  EXPECT_FALSE(merged_source(task, parts, *dispatch).ok());
  parts[1].evaluation.measurements.clear();
  EXPECT_FALSE(dispatch_by_size(task, parts).ok());
  EXPECT_FALSE(portfolio_of(task, {}).ok());
}

TEST(Portfolio, SizesThatNoScalarTellsApartAreAnError) {
  Task task = vector_task();
  task.arguments[1].name = "m";
  task.arguments[1].expression = "7";
  const std::vector<Part> parts = {part_of(task, "a", {1, 2, 9, 90}),
                                   part_of(task, "b", {3, 3, 5, 50})};
  EXPECT_FALSE(dispatch_by_size(task, parts).ok());
}

}  // namespace
}  // namespace warpwright::portfolio
