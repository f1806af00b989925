// SPDX-License-Identifier: Apache-2.0
#include "verify/drawn_sizes.h"

#include <gtest/gtest.h>

#include <set>

#include "suite/load.h"

namespace warpwright::verify {
namespace {

TEST(DrawnSizes, OneLiesInEveryGapAndNobodyKnowsIt) {
  const Task task = suite::load_embedded_task("reduce").value();
  std::set<double> seen;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto sizes = drawn_sizes(task, {}, seed).value();
    ASSERT_EQ(sizes.size(), task.sizes.size() - 1);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const double n = sizes[i].values.at("N");
      EXPECT_GT(n, task.sizes[i].values.at("N"));
      EXPECT_LT(n, task.sizes[i + 1].values.at("N"));
      seen.insert(n);
    }
    EXPECT_EQ(drawn_sizes(task, {}, seed).value(), sizes);
  }
  EXPECT_GT(seen.size(), 70U);
}

TEST(DrawnSizes, LargeOnesAreLeftOut) {
  const Task task = suite::load_embedded_task("reduce").value();
  EXPECT_EQ(drawn_sizes(task, {.max_bytes = 16384 + 8}, 1).value().size(), 1U);
  EXPECT_TRUE(drawn_sizes(task, {.max_bytes = 4000}, 1).value().empty());
  EXPECT_EQ(drawn_sizes(task, {.max_flops = 4096}, 1).value().size(), 1U);
}

/// What a task demands of its sizes has to hold at those that are drawn.
TEST(DrawnSizes, TasksOfTheSuiteMakeSenseAtAllOfThem) {
  for (const std::string& name : suite::embedded_task_names()) {
    Task task = suite::load_embedded_task(name).value();
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const auto sizes = drawn_sizes(task, {}, seed);
      ASSERT_TRUE(sizes.ok()) << name << ": " << sizes.error().message;
      Task with = task;
      for (const TaskSize& size : *sizes) with.edge_sizes.push_back(size);
      const auto problem = find_problem(with);
      EXPECT_FALSE(problem) << name << ": " << problem->where << ": " << problem->what;
    }
  }
}

}  // namespace
}  // namespace warpwright::verify
