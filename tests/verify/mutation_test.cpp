// SPDX-License-Identifier: Apache-2.0
// For every built-in task: right answers pass all cases, and every mutation is rejected by one.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/files.h"
#include "suite/load.h"
#include "support/places.h"
#include "support/share.h"
#include "verify/bench_case.h"

namespace warpwright::verify {
namespace {

// Fixed, so that the test is repeatable; a soak run sets others.
std::uint64_t seed() {
  const char* given = std::getenv("WARPWRIGHT_TEST_SEED");
  return given == nullptr ? 20240607 : std::strtoull(given, nullptr, 10);
}

CaseLimits small_cases() {
  return {.max_bytes = 1 << 20, .max_flops = 6e6, .timed_sizes = false, .sizes_per_variant = 4};
}

std::vector<CaseData> cases_for(const Task& task, const Reference& reference,
                                const CaseLimits& limits) {
  std::vector<CaseData> list;
  const auto items = cases_of(task, limits).value();
  for (const auto& item : items)
    list.push_back(make_case(task, reference, item, seed() + list.size()));
  return list;
}

std::optional<Mismatch> verdict_on(const CaseData& data, const std::vector<Bytes>& outputs) {
  auto result = check_outputs(data.instance, data.inputs, data.expected, outputs);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
  return result.ok() ? *result : std::nullopt;
}

// Equal as values: the sign of a zero is nobody's mistake.
bool same_values(const CaseData& data, const std::vector<Bytes>& outputs) {
  const auto& arguments = data.instance.task->arguments;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] == data.honest[i]) continue;
    if (outputs[i].size() != data.honest[i].size()) return false;
    for (std::size_t k = 0; k < outputs[i].size() / bytes_of(arguments[i].type); ++k) {
      if (element_as_double(arguments[i].type, outputs[i], k) !=
          element_as_double(arguments[i].type, data.honest[i], k))
        return false;
    }
  }
  return true;
}

enum class Fate { killed, survived, not_applicable };

Fate fate_of(const Mutation& mutation, const std::vector<CaseData>& cases) {
  bool differs = false;
  for (const auto& data : cases) {
    const auto outputs = mutation.mutate(data);
    if (!outputs || same_values(data, *outputs)) continue;
    differs = true;
    if (verdict_on(data, *outputs)) return Fate::killed;
  }
  return differs ? Fate::survived : Fate::not_applicable;
}

class EveryTask : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryTask, RejectsEveryMutation) {
  const auto task = suite::load_embedded_task(GetParam()).value();
  const auto reference = load_reference(task);
  const auto cases = cases_for(task, reference, small_cases());
  auto mutations = general_mutations(task);
  for (auto& special : special_mutations(task)) mutations.push_back(std::move(special));
  int killed = 0;
  int applicable = 0;
  for (const auto& mutation : mutations) {
    const Fate fate = fate_of(mutation, cases);
    applicable += fate != Fate::not_applicable;
    killed += fate == Fate::killed;
    EXPECT_NE(fate, Fate::survived)
        << task.name << ": '" << mutation.name << "' passed all " << cases.size() << " cases";
  }
  EXPECT_GE(applicable, 15);
  fmt::print("{:<14} {:>3} of {:>3} mutations rejected over {} cases\n", task.name, killed,
             applicable, cases.size());
}

TEST_P(EveryTask, AcceptsRoundedReference) {
  const auto task = suite::load_embedded_task(GetParam()).value();
  const auto reference = load_reference(task);
  for (const auto& data : cases_for(task, reference, small_cases())) {
    const auto mismatch = verdict_on(data, data.honest);
    EXPECT_FALSE(mismatch) << mismatch->message;
  }
}

// From the last #include on, double means float.
// The reference's own text with float for double: an honest single-precision kernel that adds one
// by one, the least accurate order. Sizes are small enough for that to be honest.
TEST_P(EveryTask, AcceptsSinglePrecision) {
  const auto task = suite::load_embedded_task(GetParam()).value();
  const auto wide = load_reference(task);
  const auto narrow = load_reference(in_single_precision(task));
  auto limits = small_cases();
  limits.max_bytes = 1 << 16;
  limits.sizes_per_variant = 20;
  for (const auto& data : cases_for(task, wide, limits)) {
    const auto expected = narrow.run(data.instance, data.inputs).value();
    auto outputs = data.honest;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      // The narrow library has filled the doubles' storage with floats.
      const auto* narrow_values = reinterpret_cast<const float*>(expected[i].wide.data());
      for (std::size_t k = 0; k < expected[i].wide.size(); ++k)
        set_element(task.arguments[i].type, outputs[i], k, narrow_values[k]);
      if (expected[i].wide.empty()) outputs[i] = expected[i].native;
    }
    const auto mismatch = verdict_on(data, outputs);
    EXPECT_FALSE(mismatch) << mismatch->message;
  }
}

// The verdict steers the next prompt: a TF32 product is not a wrong product.
TEST(Verdicts, LowerPrecisionIsCalledSo) {
  for (const char* name : {"matmul", "conv2d", "mha", "sigmoid", "layernorm"}) {
    const auto task = suite::load_embedded_task(name).value();
    const auto reference = load_reference(task);
    const auto all = general_mutations(task);
    const auto mutation = std::find_if(
        all.begin(), all.end(), [](const Mutation& m) { return m.name == "inputs in TF32"; });
    ASSERT_NE(mutation, all.end());
    const auto data = make_case(task, reference, {&task.edge_sizes[3], nullptr}, seed());
    const auto mismatch = verdict_on(data, mutation->mutate(data).value());
    ASSERT_TRUE(mismatch) << name;
    EXPECT_EQ(mismatch->verdict, Verdict::precision) << mismatch->message;
  }
}

// The example of docs/tasks.md, with its reference, as a reader would copy it.
TEST(TasksPage, ItsReferenceWorks) {
  const auto page = read_file(std::filesystem::path(source_path()) / "docs" / "tasks.md").value();
  const auto block = [&](std::string_view fence) {
    const auto begin = page.find(fence) + fence.size();
    return page.substr(begin, page.find("```", begin) - begin);
  };
  const auto task = suite::parse_task({.name = "example",
                                       .where = "docs",
                                       .toml = block("```toml\n"),
                                       .baseline = "x",
                                       .slow = "",
                                       .reference = block("```cpp\n")});
  ASSERT_TRUE(task.ok()) << task.error().message;
  const auto reference = load_reference(*task);
  const auto cases = cases_for(*task, reference, small_cases());
  EXPECT_GE(cases.size(), 8u);
  const auto mutations = general_mutations(*task);
  for (const auto& data : cases) EXPECT_FALSE(verdict_on(data, data.honest));
  for (const auto& mutation : mutations)
    EXPECT_NE(fate_of(mutation, cases), Fate::survived) << mutation.name;
}

INSTANTIATE_TEST_SUITE_P(Suite, EveryTask,
                         ::testing::ValuesIn(some_of(suite::embedded_task_names(), 3)),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace warpwright::verify
