// SPDX-License-Identifier: Apache-2.0
// Inputs made on a device have the bits of those made on the host.
#include "core/distribution.h"
#include "oracle/oracle_bed.h"

namespace warpwright::verify {
namespace {

constexpr std::uint64_t kCount = 700;  // several blocks, and no multiple of anything

/// One input per distribution; rule "order_multiset" needs no reference.
Task task_with(const std::vector<std::string>& distributions, ElementType type) {
  Task task;
  task.name = "generated";
  task.arguments.push_back({"a", ElementType::f32, ArgumentRole::input, "n", "normal(1, 2)"});
  for (const auto& distribution : distributions)
    task.arguments.push_back({"x" + std::to_string(task.arguments.size()), type,
                              ArgumentRole::input, "n", distribution});
  task.arguments.push_back({"s", ElementType::f32, ArgumentRole::inout, "n", "uniform(0, 1)"});
  task.check.rule = "order_multiset";
  return task;
}

void compare(const Task& task, std::uint64_t seed) {
  const TaskSize size{"s", {{"n", static_cast<double>(kCount)}}};
  const auto instance = must(make_instance(task, size, nullptr, seed));
  OracleBed bed(task);
  const auto oracle = bed.open(instance);
  const auto buffers = bed.buffers(instance);
  ASSERT_TRUE(oracle->fresh_inputs(buffers, seed).ok());
  const auto expected = must(generate_inputs(instance));
  for (std::size_t i = 0; i < buffers.size(); ++i)
    EXPECT_EQ(bed.content(buffers[i], expected[i].size()), expected[i])
        << task.arguments[i].distribution << " as " << name_of(task.arguments[i].type);
}

/// Usages with numbers for their names, so that a new stage without a line here is seen.
const std::vector<std::string> kEveryStage = {
    "uniform(-2, 3)",
    "normal(0.5, 2)",
    "const(-7.25)",
    "const(inf)",
    "ints(-5, 250)",
    "odd_ints(2049, 4095)",
    "choice(1, 2.5, -3)",
    "bits()",
    "index()",
    "ramp(-1, 1)",
    "organ_pipe()",
    "permutation()",
    "skewed(0, 256, 4)",
    "skewed(0, 1, 16159)",
    "onehot(9, 3)",
    "like(a)",
    "linear(a, 1, 2, 0.5)",
    "normal(0, 1) | scale(3)",
    "normal(0, 1) | offset(-1.5)",
    "uniform(0, 1) | drift(0.5, 1.5)",
    "uniform(0, 1) | trend(-3, 3)",
    "normal(0, 1) | rows(31, -2, 2, 0.5, 3, 0.5)",
    "normal(0, 1) | row_drift(31, 0.5, 4)",
    "normal(0, 1) | row_powers(31, 10, -3, 3)",
    "normal(0, 1) | column_powers(31, 4, -1, 1)",
    "normal(0, 1) | row_needle(31, 2, 50)",
    "uniform(1, 2) | sign()",
    "uniform(-10, 10) | mix(0.2, inf) | mix(0.2, -inf)",
    "normal(0, 1) | needle(n-1, 1e6)",
    "const(8) | every(3, 1)",
    "index() | noise(0.1)",
    "index() | plus_ints(-64, 64)",
    "index() | mod(7)",
    "index() | div(7)",
    "uniform(0, 99) | floor()",
    "uniform(0, 1) | sine()",
    "uniform(-2, 1) | poly(1, 2, 1.5, 0.5)",
};

TEST(DeviceGenerator, EveryStageIsTried) {
  for (const auto& row : distribution_stages()) {
    const std::string call = std::string(row.name) + "(";
    const bool tried = std::any_of(kEveryStage.begin(), kEveryStage.end(), [&](const auto& text) {
      return text.find(call) != std::string::npos;
    });
    EXPECT_TRUE(tried) << "no distribution here uses " << row.usage;
  }
}

class EveryType : public ::testing::TestWithParam<int> {};

TEST_P(EveryType, HasTheBitsOfTheHost) {
  compare(task_with(kEveryStage, static_cast<ElementType>(GetParam())), 77);
}

INSTANTIATE_TEST_SUITE_P(Types, EveryType, ::testing::Range(0, kElementTypeCount),
                         [](const auto& type) {
                           return std::string(name_of(static_cast<ElementType>(type.param)));
                         });

TEST(DeviceGenerator, SeedsDiffer) {
  const auto task = task_with({"normal(0, 1)"}, ElementType::f32);
  const TaskSize size{"s", {{"n", static_cast<double>(kCount)}}};
  const auto instance = must(make_instance(task, size, nullptr, 1));
  OracleBed bed(task);
  const auto oracle = bed.open(instance);
  const auto buffers = bed.buffers(instance);
  ASSERT_TRUE(oracle->fresh_inputs(buffers, 1).ok());
  const auto first = bed.content(buffers[1], 4 * kCount);
  ASSERT_TRUE(oracle->fresh_inputs(buffers, 2).ok());
  EXPECT_NE(bed.content(buffers[1], 4 * kCount), first);
}

// A kernel that writes to its inputs is seen, whatever its outputs are.
TEST(DeviceGenerator, ChangedInputsAreSeen) {
  const auto task = task_with({"normal(0, 1)"}, ElementType::f16);
  const TaskSize size{"s", {{"n", static_cast<double>(kCount)}}};
  const auto instance = must(make_instance(task, size, nullptr, 5));
  OracleBed bed(task);
  const auto oracle = bed.open(instance);
  const auto buffers = bed.buffers(instance);
  auto sorted = must(generate_inputs(instance));
  auto* values = reinterpret_cast<float*>(sorted[2].data());
  std::sort(values, values + kCount);
  for (const bool changed : {false, true}) {
    ASSERT_TRUE(oracle->fresh_inputs(buffers, 5).ok());
    auto input = bed.content(buffers[1], 2 * kCount);
    if (changed) input[2 * kCount - 1] ^= std::byte{1};
    ASSERT_TRUE(bed.device().upload(buffers[1], input).ok());
    ASSERT_TRUE(bed.device().upload(buffers[2], sorted[2]).ok());
    ASSERT_TRUE(oracle->check(buffers, 5, {.secret = 99}).ok());
    const auto failures = must(oracle->collect());
    ASSERT_EQ(failures.size(), changed ? 1u : 0u);
    if (!changed) continue;
    EXPECT_TRUE(failures[0].changed_input);
    EXPECT_EQ(failures[0].argument, 1u);
  }
}

}  // namespace
}  // namespace warpwright::verify
