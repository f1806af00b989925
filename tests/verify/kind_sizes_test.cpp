// SPDX-License-Identifier: Apache-2.0
#include "verify/kind_sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "suite/load.h"

namespace warpwright::verify {
namespace {

// About what the SIMT machine has for twenty kinds of inputs.
KindBudget twenty_kinds() {
  return {.kinds = 20, .bytes = 16 << 20, .work = 1e8, .most_bytes = 8 << 20, .most_work = 3e7};
}

std::vector<TaskSize> kind_sizes(const std::string& name, std::uint64_t seed) {
  return draw_kind_sizes(suite::load_embedded_task(name).value(), twenty_kinds(), seed).value();
}

TEST(KindSizes, FitTheBudgetOfAllCalls) {
  for (const std::string& name : suite::embedded_task_names()) {
    const Task task = suite::load_embedded_task(name).value();
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const auto sizes = draw_kind_sizes(task, twenty_kinds(), seed).value();
      EXPECT_FALSE(sizes.empty()) << name;
      double bytes = 0, operations = 0;
      for (const TaskSize& size : sizes) {
        bytes += 20 * static_cast<double>(footprint_bytes(task, size).value());
        operations += 20 * work(task, size).value();
      }
      EXPECT_LE(bytes, twenty_kinds().bytes) << name;
      EXPECT_LE(operations, twenty_kinds().work) << name;
    }
  }
}

TEST(KindSizes, AreListedNowhereAndOthersEachTime) {
  for (const std::string name : {"relu", "topk", "rope"}) {
    const Task task = suite::load_embedded_task(name).value();
    std::set<std::string> labels;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      for (const TaskSize& size : kind_sizes(name, seed)) {
        labels.insert(size.label);
        for (const auto* listed : {&task.sizes, &task.edge_sizes}) {
          EXPECT_TRUE(std::none_of(listed->begin(), listed->end(),
                                   [&](const TaskSize& one) { return one.values == size.values; }))
              << name << " " << size.label;
        }
      }
    }
    EXPECT_GE(labels.size(), 8U) << name;
  }
}

/// What is wrong above the largest edge size of moderate work is met in every judgement.
TEST(KindSizes, LieAboveTheEdgeSizes) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (const std::string name : {"relu", "sigmoid", "reduce"})
      EXPECT_GT(kind_sizes(name, seed).at(0).values.at("N"), 65537) << name << " " << seed;
  }
}

/// One value is large even where all of them together are too much work.
TEST(KindSizes, OneValueIsAsLargeAsItCanBe) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto sizes = kind_sizes("topk", seed);
    ASSERT_EQ(sizes.size(), 2U);
    EXPECT_GT(sizes[1].values.at("N"), 65537) << seed;
    EXPECT_GT(sizes[1].values.at("k"), 1) << seed;
  }
}

TEST(KindSizes, NoneWithoutDomains) {
  Task task = suite::load_embedded_task("relu").value();
  task.domain.clear();
  EXPECT_TRUE(draw_kind_sizes(task, twenty_kinds(), 1).value().empty());
}

}  // namespace
}  // namespace warpwright::verify
