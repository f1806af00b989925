// SPDX-License-Identifier: Apache-2.0
#include "retrieval/nearest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "suite/load.h"

namespace warpwright::retrieval {
namespace {

std::vector<Example> suite_examples() {
  std::vector<Example> all;
  for (const auto& name : suite::embedded_task_names()) {
    Task task = suite::load_embedded_task(name).value();
    const std::string from = "suite/" + name;
    all.push_back({std::move(task), "// kernel of " + name, from, "2.00 times the baseline", 2});
  }
  return all;
}

std::vector<std::string> names_of(const std::vector<Found>& found) {
  std::vector<std::string> names;
  for (const auto& one : found) names.push_back(one.example->task.name);
  return names;
}

TEST(Nearest, FindsRelativesOfASuite) {
  const auto all = suite_examples();
  const Task sigmoid = suite::load_embedded_task("sigmoid").value();
  const auto found = nearest(sigmoid, all, 3, false);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_THAT(names_of(found), testing::Contains("relu"));
  EXPECT_THAT(names_of(found), testing::Not(testing::Contains("sigmoid")));
  EXPECT_GE(found[0].likeness, found[2].likeness);
}

TEST(Nearest, TheTaskItselfOnlyWhenAskedFor) {
  const auto all = suite_examples();
  const Task scan = suite::load_embedded_task("scan").value();
  const auto found = nearest(scan, all, 1, true);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].example->task.name, "scan");
  EXPECT_NEAR(found[0].likeness, 1, 1e-9);
}

TEST(Nearest, OfOneTaskTheFastest) {
  auto all = suite_examples();
  for (const double speed : {3.0, 9.0, 5.0}) {
    all.push_back({suite::load_embedded_task("relu").value(), "x", "run", "", speed});
  }
  const auto found = nearest(suite::load_embedded_task("sigmoid").value(), all, 40, false);
  int relus = 0;
  for (const auto& one : found) {
    if (one.example->task.name != "relu") continue;
    ++relus;
    EXPECT_EQ(one.example->speedup, 9);
  }
  EXPECT_EQ(relus, 1);
}

TEST(Nearest, TheTextSaysWhereFromAndHowFast) {
  Example example{{}, "int a; // ```\n", "run x-1 of a.db", "3.00 times the baseline", 3};
  example.task.title = "Sums";
  EXPECT_EQ(examples_text({{&example, 0.5}}),
            "For \"Sums\" (run x-1 of a.db); it reached 3.00 times the baseline:\n```cuda\nint a; "
            "// '''\n```");
}

}  // namespace
}  // namespace warpwright::retrieval
