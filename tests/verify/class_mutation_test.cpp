// SPDX-License-Identifier: Apache-2.0
// Kernels that are wrong only at sizes of one class, only for one value of a scalar, only for one
// distribution, only in one element or only in the last bits: a judgement's cases meet them, and
// the checks see them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "core/task_domains.h"
#include "suite/load.h"
#include "support/share.h"
#include "verify/class_cases.h"

namespace warpwright::verify {
namespace {

class EveryClass : public ::testing::TestWithParam<std::string> {};

/// One element anywhere, at every case of every class, whatever the distribution.
TEST_P(EveryClass, OneUnwrittenElementIsSeen) {
  const Task task = with_small_sizes(suite::load_embedded_task(GetParam()).value());
  const auto reference = load_reference(task);
  std::map<SizeClass, int> seen;
  int tried = 0, missed = 0;
  const std::uint64_t seed = 4711;
  const auto set = draw_cases(task, seed, class_limits(100)).value();
  SecretDraws draws(seed, "elements");
  for (const Case& item : set.cases) {
    const auto data = make_case(task, reference, item, draws.bits());
    for (std::size_t i = 0; i < task.arguments.size(); ++i) {
      if (!is_output(task.arguments[i])) continue;
      const auto& type = task.arguments[i].type;
      const std::size_t k = draws.below(data.honest[i].size() / bytes_of(type));
      // What the reference leaves open is not compared.
      if (k < data.expected[i].wide.size() && std::isnan(data.expected[i].wide[k])) continue;
      const auto outputs = with_unwritten(data, i, k, draws);
      ++tried;
      ++seen[item.size_class];
      if (rejects(data, outputs)) continue;
      ++missed;
      ADD_FAILURE() << describe(item) << ": '" << task.arguments[i].name << "' at " << k << " is "
                    << element_as_double(type, outputs[i], k) << " instead of "
                    << element_as_double(type, data.honest[i], k);
    }
  }
  EXPECT_EQ(missed, 0) << task.name << ": " << missed << " of " << tried;
  for (const SizeClass size_class : {SizeClass::edge, SizeClass::tiny, SizeClass::small,
                                     SizeClass::between, SizeClass::above, SizeClass::timed})
    EXPECT_GE(seen[size_class], 1) << task.name << ": " << name_of(size_class);
}

/// Values that no size lists: a kernel that knows the listed ones alone meets others in every
/// judgement.
TEST_P(EveryClass, UnlistedValuesAreMet) {
  const Task task = suite::load_embedded_task(GetParam()).value();
  std::map<std::string, std::set<double>> listed;
  for (const auto* sizes : {&task.sizes, &task.scale_sizes, &task.edge_sizes}) {
    for (const TaskSize& size : *sizes) {
      const auto values = values_at(task, size).value();
      for (const auto& [name, text] : task.domain) listed[name].insert(values.at(name));
    }
  }
  std::map<std::string, int> judgements;
  constexpr int kSeeds = 20;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const auto drawn = draw_sizes(task, {.max_bytes = 1 << 26, .max_work = 1e9}, seed).value();
    std::set<std::string> met;
    for (const DrawnSize& item : drawn.sizes) {
      for (const auto& [name, text] : task.domain) {
        if (!listed[name].contains(item.size.values.at(name))) met.insert(name);
      }
    }
    for (const std::string& name : met) ++judgements[name];
  }
  for (const auto& [name, text] : task.domain) {
    // Of maxpool3d's paddings, 0 to 3, all but one are listed.
    const int least = name == "padding" ? 1 : kSeeds / 3;
    EXPECT_GE(judgements[name], least) << task.name << ": " << name;
  }
}

/// A kernel that takes a scalar for the one that all timed sizes have.
TEST_P(EveryClass, AScalarThatIsNotReadIsSeen) {
  const Task task = suite::load_embedded_task(GetParam()).value();
  const auto reference = load_reference(task);
  for (const TaskArgument& argument : task.arguments) {
    if (is_buffer(argument) || !is_floating(argument.type)) continue;
    int rejected = 0;
    constexpr int kSeeds = 12;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      const auto drawn = draw_cases(task, seed,
                                    {.edge = {.max_bytes = 1, .timed_sizes = false},
                                     .drawn = {.max_bytes = 1 << 16, .max_work = 1e6},
                                     .patterns = 0})
                             .value();
      bool seen = false;
      for (const Case& item : drawn.cases) {
        if (item.size->values.empty() || seen) continue;
        const auto data = make_case(task, reference, item, seed);
        TaskSize listed = *item.size;
        const auto timed = values_at(task, task.sizes.front()).value();
        const double factor =
            argument.name == "grad_scale" ? data.instance.values.at("N") / timed.at("N") : 1;
        const auto outputs =
            outputs_with(data, data.inputs, {{argument.name, timed.at(argument.name) * factor}});
        seen = rejects(data, outputs);
      }
      rejected += seen;
    }
    EXPECT_GE(rejected, kSeeds * 3 / 4) << task.name << ": " << argument.name;
  }
}

/// The inputs' last bits count at small sizes and at large ones, where tolerances alone would hide
/// them.
std::vector<Bytes> with_cut_inputs(const CaseData& data, std::uint32_t mask) {
  auto inputs = data.inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (data.instance.task->arguments[i].type != ElementType::f32) continue;
    for (std::size_t k = 0; k + 4 <= inputs[i].size(); k += 4) {
      std::uint32_t bits;
      std::memcpy(&bits, inputs[i].data() + k, 4);
      bits &= mask;
      std::memcpy(inputs[i].data() + k, &bits, 4);
    }
  }
  return outputs_with(data, std::move(inputs));
}

TEST_P(EveryClass, CutInputsAreSeenInEveryJudgement) {
  const Task task = with_small_sizes(suite::load_embedded_task(GetParam()).value());
  const bool floats = std::any_of(task.arguments.begin(), task.arguments.end(), [](const auto& a) {
    return a.role == ArgumentRole::input && a.type == ElementType::f32;
  });
  if (!floats) GTEST_SKIP() << "no float inputs";
  const auto reference = load_reference(task);
  // 16 bits everywhere; 20 where the results alone decide how they were computed.
  const std::set<std::string> exact = {"matmul", "conv2d", "dot",      "reduce",      "scan",
                                       "mse",    "copy",   "relu",     "monte_carlo", "maxpool3d",
                                       "topk",   "sort",   "transpose"};
  // Least squares average over all samples: 16 bits move the answer less than honest arithmetic on
  // inputs that hardly differ. What tensor cores keep of a float is seen.
  const std::uint32_t others = task.name == "ols" ? 0xFFFFE000u : 0xFFFFFF00u;
  const std::uint32_t mask = exact.contains(task.name) ? 0xFFFFFFF0u : others;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto set = draw_cases(task, seed, class_limits(12)).value();
    bool seen = false;
    for (std::size_t i = 0; i < set.cases.size() && !seen; ++i) {
      const auto data = make_case(task, reference, set.cases[i], seed * 100 + i);
      seen = rejects(data, with_cut_inputs(data, mask));
    }
    EXPECT_TRUE(seen) << task.name << ", seed " << seed;
  }
}

/// The share of judgements of one call in which a distribution is met: what a kernel that is wrong
/// for it alone can hope for.
TEST_P(EveryClass, EveryDistributionIsDrawn) {
  const Task task = suite::load_embedded_task(GetParam()).value();
  const InputChoices choices(task);
  const TaskSize& size = task.sizes.front();
  std::map<const InputVariant*, int> counts;
  const auto all = choices.fitting(size).value();
  constexpr int kCalls = 3000;
  int scored = 0;
  for (std::uint64_t call = 0; call < kCalls; ++call) {
    const auto inputs = choices.draw(size, call).value();
    EXPECT_EQ(inputs.scored, inputs.variant == nullptr);
    scored += inputs.scored;
    ++counts[inputs.variant];
  }
  EXPECT_NEAR(scored, kCalls / 2, 150);
  for (const InputVariant* variant : all)
    EXPECT_GE(counts[variant], kCalls / 8 / static_cast<int>(all.size()))
        << task.name << ": " << variant->name;
}

INSTANTIATE_TEST_SUITE_P(Suite, EveryClass,
                         ::testing::ValuesIn(some_of(suite::embedded_task_names(), 3)),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace warpwright::verify
