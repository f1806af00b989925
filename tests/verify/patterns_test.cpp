// SPDX-License-Identifier: Apache-2.0
// Generic patterns: what they make lies in the declared ranges, and honest results pass on all of
// them, at listed and at drawn sizes.
#include "verify/patterns.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "core/domain.h"
#include "suite/load.h"
#include "verify/bench_case.h"
#include "verify/draw.h"

namespace warpwright::verify {
namespace {

DrawLimits small_limits() {
  return {.edge = {.max_bytes = 1 << 16, .max_flops = 2e6, .timed_sizes = false},
          .drawn = {.max_bytes = 1 << 16, .max_work = 2e6},
          .patterns = 200};
}

/// Every pattern and every variant at some small size, and all drawn cases.
struct Tried {
  CaseSet set;
  std::vector<Case> cases;
};
Tried tried_cases(const Task& task, std::uint64_t seed) {
  Tried tried{.set = draw_cases(task, seed, small_limits()).value()};
  tried.cases = tried.set.cases;
  return tried;
}

class EveryTasksPatterns : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryTasksPatterns, StayInTheRanges) {
  const auto task = suite::load_embedded_task(GetParam()).value();
  const auto tried = tried_cases(task, 5);
  for (const Case& item : tried.cases) {
    if (item.variant == nullptr) continue;
    const auto instance = make_instance(task, *item.size, item.variant, 99).value();
    const auto inputs = generate_inputs(instance);
    ASSERT_TRUE(inputs.ok()) << describe(item) << ": " << inputs.error().message;
    for (const auto& [name, text] : item.variant->inputs) {
      const std::size_t at = index_of(task, name);
      const TaskArgument& argument = task.arguments[at];
      if (argument.range.empty() || argument.range == "any") continue;
      const auto range = Domain::parse(argument.range)->at(instance.values).value();
      const bool pattern = std::none_of(task.variants.begin(), task.variants.end(),
                                        [&](const auto& v) { return &v == item.variant; });
      if (!pattern) continue;
      for (std::size_t k = 0; k < (*inputs)[at].size() / bytes_of(argument.type); ++k) {
        const double value = element_as_double(argument.type, (*inputs)[at], k);
        // Rounding to the element's type may pass the end.
        const double slack = 1e-3 * std::max(std::fabs(range.low), std::fabs(range.high));
        ASSERT_GE(value, range.low - (range.step == 0 ? slack : 0)) << describe(item);
        ASSERT_LE(value, range.high + (range.step == 0 ? slack : 0)) << describe(item);
      }
    }
  }
}

std::vector<Bytes> narrow_outputs(const Task& task, const Reference& narrow, const CaseData& data) {
  const auto expected = narrow.run(data.instance, data.inputs).value();
  auto outputs = data.honest;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto* values = reinterpret_cast<const float*>(expected[i].wide.data());
    for (std::size_t k = 0; k < expected[i].wide.size(); ++k)
      set_element(task.arguments[i].type, outputs[i], k, values[k]);
    if (expected[i].wide.empty()) outputs[i] = expected[i].native;
  }
  return outputs;
}

TEST_P(EveryTasksPatterns, HonestResultsPass) {
  const auto task = suite::load_embedded_task(GetParam()).value();
  const auto wide = load_reference(task);
  const auto narrow = load_reference(in_single_precision(task));
  std::size_t count = 0;
  const char* rounds = std::getenv("WARPWRIGHT_PATTERN_ROUNDS");
  const std::uint64_t last = rounds == nullptr ? 1 : std::strtoull(rounds, nullptr, 10);
  for (std::uint64_t seed = 1; seed <= last; ++seed) {
    const auto tried = tried_cases(task, seed);
    for (const Case& item : tried.cases) {
      const auto data = make_case(task, wide, item, seed * 1000 + count++);
      const auto rounded = check_outputs(data.instance, data.inputs, data.expected, data.honest);
      ASSERT_TRUE(rounded.ok()) << describe(item) << ": " << rounded.error().message;
      EXPECT_FALSE(*rounded) << "rounded: " << (*rounded)->message;
      // Longer chains of additions into one float are what descriptions warn of.
      if (footprint_bytes(task, *item.size).value() > 16384) continue;
      const auto outputs = narrow_outputs(task, narrow, data);
      const auto single = check_outputs(data.instance, data.inputs, data.expected, outputs).value();
      EXPECT_FALSE(single) << "single: " << single->message;
    }
  }
  fmt::print("{:<22} {} cases\n", task.name, count);
}

// Each addition of the same value is rounded the same way. 3,200 of them per thread made an honest
// layer normalisation of 818,897 elements 25e-6 wrong.
TEST(Patterns, RepeatedValuesMayErrWithTheLengthOfASum) {
  const auto task = suite::load_embedded_task("layernorm").value();
  const TaskSize* size = size_labelled(task, "16x4x256x256");
  ASSERT_NE(size, nullptr);
  const auto values = values_at(task, *size).value();
  const auto tau = [&](const InputVariant* variant) {
    return value_of(check_for(task, variant).parameters.at("tau"), values).value();
  };
  std::set<std::string> wider;
  for (const InputVariant& pattern : generic_patterns(task)) {
    if (tau(&pattern) <= tau(nullptr)) continue;
    wider.insert(pattern.name);
    if (pattern.name == "few_values_in_input") {
      EXPECT_DOUBLE_EQ(tau(&pattern), 8 * tau(nullptr));
    }
  }
  EXPECT_TRUE(wider.contains("few_values_in_input"));
  EXPECT_TRUE(wider.contains("constant_everywhere"));
  EXPECT_FALSE(wider.contains("offset_in_input"));
  EXPECT_FALSE(wider.contains("huge_element_in_input"));
}

INSTANTIATE_TEST_SUITE_P(Suite, EveryTasksPatterns,
                         ::testing::ValuesIn(suite::embedded_task_names()),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace warpwright::verify
