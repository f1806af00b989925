// SPDX-License-Identifier: Apache-2.0
#include "verify/drawn_sizes.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>

#include "core/task_domains.h"
#include "suite/load.h"

namespace warpwright::verify {
namespace {

SizeLimits large() { return {.max_bytes = std::uint64_t{1} << 30, .max_work = 1e13}; }
SizeLimits simulated() { return {.max_bytes = 256 << 10, .max_work = 3e6}; }

TEST(DrawnSizes, EveryClassGetsOneThatNobodyKnows) {
  const Task task = suite::load_embedded_task("reduce").value();
  std::set<double> seen;
  std::size_t all = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const auto drawn = draw_sizes(task, large(), seed).value();
    all += drawn.sizes.size();
    EXPECT_TRUE(drawn.left_out.empty());
    std::map<SizeClass, int> classes;
    for (const DrawnSize& item : drawn.sizes) {
      ++classes[item.size_class];
      const double n = item.size.values.at("N");
      seen.insert(n);
      if (item.size_class == SizeClass::above) {
        EXPECT_GT(n, 262144);
      }
      if (item.size_class == SizeClass::tiny) {
        EXPECT_LE(n, 1024);
      }
    }
    EXPECT_EQ(classes[SizeClass::between], 4);
    EXPECT_EQ(classes[SizeClass::above], 1);
    EXPECT_GE(classes[SizeClass::tiny] + classes[SizeClass::small], 1);
  }
  EXPECT_GE(all, 48U);
  EXPECT_GE(seen.size() + 4, all) << "seeds draw the same sizes";
}

TEST(DrawnSizes, AreAFunctionOfTheSeed) {
  const Task task = suite::load_embedded_task("mha").value();
  const auto first = draw_sizes(task, large(), 7).value(),
             again = draw_sizes(task, large(), 7).value();
  const auto other = draw_sizes(task, large(), 8).value();
  ASSERT_EQ(first.sizes.size(), again.sizes.size());
  for (std::size_t i = 0; i < first.sizes.size(); ++i)
    EXPECT_EQ(first.sizes[i].size, again.sizes[i].size);
  EXPECT_NE(first.sizes.front().size.values, other.sizes.front().size.values);
}

/// A product of matrices is too large almost everywhere: sizes that fit must be found, not hoped
/// for.
TEST(DrawnSizes, FitTheirLimitsAlsoWhereMostDoNot) {
  const Task task = suite::load_embedded_task("matmul").value();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto drawn = draw_sizes(task, simulated(), seed).value();
    EXPECT_GE(drawn.sizes.size(), 5U);
    EXPECT_LE(drawn.left_out.size(), 2U);
    for (const DrawnSize& item : drawn.sizes) {
      EXPECT_LE(footprint_bytes(task, item.size).value(), simulated().max_bytes);
      EXPECT_LE(work(task, item.size).value(), simulated().max_work);
    }
  }
}

/// A GPU's: small ones, and those that timed calls take as well.
SizeLimits measured() {
  return {.max_bytes = 64 << 20,
          .max_work = 3e8,
          .beyond_listed = 1.25,
          .most_bytes = std::uint64_t{17} << 30};
}

/// Every class has a size, whatever the listed ones take, and one value lies above all listed ones.
TEST(DrawnSizes, ReachAboveAllListedSizes) {
  const std::uint64_t seeds = std::getenv("WARPWRIGHT_SLOW_TESTS") == nullptr ? 8 : 24;
  for (const std::string& name : suite::embedded_task_names()) {
    const Task task = suite::load_embedded_task(name).value();
    std::map<std::string, double> timed, listed;
    double most_work = measured().max_work, most_bytes = 64 << 20;
    for (const auto* sizes : {&task.sizes, &task.scale_sizes, &task.edge_sizes}) {
      for (const TaskSize& size : *sizes) {
        most_work = std::max(most_work, 1.25 * work(task, size).value());
        most_bytes =
            std::max(most_bytes, 1.25 * static_cast<double>(footprint_bytes(task, size).value()));
        for (const auto& [value, number] : size.values) {
          listed[value] = std::max(listed[value], number);
          if (sizes == &task.sizes) timed[value] = std::max(timed[value], number);
        }
      }
    }
    std::set<std::string> beyond;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const auto drawn = draw_sizes(task, measured(), seed).value();
      int above = 0;
      for (const DrawnSize& item : drawn.sizes) {
        EXPECT_LE(work(task, item.size).value(), most_work) << name << " " << item.size.label;
        EXPECT_LE(static_cast<double>(footprint_bytes(task, item.size).value()), most_bytes)
            << name << " " << item.size.label;
        for (const auto& [value, number] : item.size.values) {
          if (number > listed[value]) beyond.insert(value);
          above += item.size_class == SizeClass::above && number > timed[value];
        }
      }
      EXPECT_GE(above, 1) << name << ", seed " << seed;
    }
    // Where a domain ends with the largest listed value there is nothing above it.
    const auto domains = domains_of(task).value();
    bool can = false;
    for (const auto& [value, domain] : domains) {
      const auto range = domain.at({});
      can = can || (range.ok() && range->step != 0 && listed.contains(value) &&
                    range->high > listed[value]);
    }
    EXPECT_TRUE(!can || !beyond.empty()) << name;
  }
}

TEST(DrawnSizes, ProductsOfMatricesAreDrawnAtEveryClass) {
  const Task task = suite::load_embedded_task("matmul").value();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto drawn = draw_sizes(task, measured(), seed).value();
    EXPECT_TRUE(drawn.left_out.empty()) << drawn.left_out.front();
    EXPECT_GE(drawn.sizes.size(), 9U);
  }
}

/// What a task demands of its sizes has to hold at those that are drawn, and scalars are drawn
/// like sizes.
TEST(DrawnSizes, LieInTheDomainsOfAllTasks) {
  const std::uint64_t seeds = std::getenv("WARPWRIGHT_SLOW_TESTS") == nullptr ? 4 : 20;
  for (const std::string& name : suite::embedded_task_names()) {
    const Task task = suite::load_embedded_task(name).value();
    const auto domains = domains_of(task).value();
    std::map<std::string, std::set<double>> seen;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const SizeLimits limits = seed % 2 == 0 ? large() : simulated();
      const auto drawn = draw_sizes(task, limits, seed);
      ASSERT_TRUE(drawn.ok()) << name << ": " << drawn.error().message;
      EXPECT_GE(drawn->sizes.size(), 2U) << name;
      Task with = task;
      std::set<std::string> labels;
      for (const DrawnSize& item : drawn->sizes) {
        const auto values = values_at(task, item.size).value();
        const auto status = within_domains(domains, values);
        EXPECT_TRUE(status.ok()) << name << ": " << status.error().message;
        for (const auto& [value_name, value] : item.size.values) seen[value_name].insert(value);
        if (labels.insert(item.size.label).second) with.edge_sizes.push_back(item.size);
      }
      // What a variant sets may lie outside of the domain at a drawn size: it is not used there.
      std::erase_if(with.variants, [](const InputVariant& v) { return !v.values.empty(); });
      const auto problem = find_problem(with);
      EXPECT_FALSE(problem) << name << ": " << problem->where << ": " << problem->what;
    }
    for (const auto& [value_name, text] : task.domain)
      EXPECT_GE(seen[value_name].size(), 3U) << name << ": " << value_name;
  }
}

TEST(DrawnSizes, ManyAreOddOrBesidePowersOfTwo) {
  const Task task = suite::load_embedded_task("relu").value();
  int odd = 0, beside = 0, all = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto drawn = draw_sizes(task, large(), seed).value();
    for (const DrawnSize& item : drawn.sizes) {
      const auto n = static_cast<std::uint64_t>(item.size.values.at("N"));
      ++all;
      odd += n % 2 == 1;
      beside += (n & (n - 1)) == 0 || (n & (n + 1)) == 0 || ((n - 1) & (n - 2)) == 0;
    }
  }
  EXPECT_GT(odd, all / 3);
  EXPECT_GT(beside, all / 10);
}

/// What the SIMT machine is asked for.
SizeLimits spread() {
  return {.max_bytes = 1 << 20,
          .max_work = 3e6,
          .spread = 8,
          .above_bytes = 8 << 20,
          .above_work = 3e7};
}

bool all_draws() { return std::getenv("WARPWRIGHT_SLOW_TESTS") != nullptr; }

/// In how many of six seeds a value that is listed nowhere lies in [low, high].
int met(const std::string& task_name, const std::string& name, double low, double high) {
  const Task task = suite::load_embedded_task(task_name).value();
  std::set<double> listed;
  for (const auto* sizes : {&task.sizes, &task.edge_sizes}) {
    for (const TaskSize& size : *sizes) listed.insert(size.values.at(name));
  }
  int seeds = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    bool found = false;
    for (const DrawnSize& item : draw_sizes(task, spread(), seed).value().sizes) {
      const double value = item.size.values.at(name);
      found = found || (value >= low && value <= high && !listed.contains(value));
    }
    seeds += found ? 1 : 0;
  }
  return seeds;
}

TEST(DrawnSizes, EveryMagnitudeOfANarrowValueIsMet) {
  EXPECT_GE(met("rope", "Dh", 66, 126), 4);
  if (!all_draws()) return;
  EXPECT_GE(met("rope", "Hq", 33, 63), 4);
  EXPECT_GE(met("maxpool3d", "kernel_size", 4, 7), 3);
  EXPECT_GE(met("conv2d", "kernel_rows", 8, 15), 3);
}

TEST(DrawnSizes, WideValuesTakeTurns) {
  EXPECT_GE(met("histogram", "num_bins", 258, 8192), 4);
  if (!all_draws()) return;
  EXPECT_GE(met("matmul", "K", 132, 1 << 17), 3);
}

TEST(DrawnSizes, OneLiesAboveAllJudgedSizes) {
  EXPECT_GE(met("reduce", "N", 1000004, 1 << 28), 4);
  EXPECT_GE(met("reduce", "N", (1 << 20) + 1, 1 << 28), 3);
}

TEST(DrawnSizes, SpreadSizesFitTheirLimits) {
  for (const std::string& name : suite::embedded_task_names()) {
    if (!all_draws() && name != "topk" && name != "mha") continue;
    const Task task = suite::load_embedded_task(name).value();
    for (const DrawnSize& item : draw_sizes(task, spread(), 1).value().sizes) {
      EXPECT_LE(footprint_bytes(task, item.size).value(), spread().above_bytes) << name;
      EXPECT_LE(work(task, item.size).value(), spread().above_work) << name;
    }
  }
}

TEST(DrawnSizes, NoneWithoutDomains) {
  Task task = suite::load_embedded_task("relu").value();
  task.domain.clear();
  EXPECT_TRUE(draw_sizes(task, large(), 1).value().sizes.empty());
}

}  // namespace
}  // namespace warpwright::verify
