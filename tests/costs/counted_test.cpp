// SPDX-License-Identifier: Apache-2.0
// Costs of small tasks, counted from their baselines and held against what is worked out by hand.
#include "costs/counted.h"

#include <gmock/gmock.h>

#include "support/places.h"

namespace warpwright::costs {
namespace {

Task task_of(std::string baseline) {
  Task task;
  task.name = "small";
  task.arguments = {
      {"x", ElementType::f32, ArgumentRole::input, "rows*cols", "normal(0, 1)"},
      {"y", ElementType::f32, ArgumentRole::output, "rows", ""},
      {"rows", ElementType::i32, ArgumentRole::scalar, "rows", ""},
      {"cols", ElementType::i32, ArgumentRole::scalar, "cols", ""},
  };
  task.sizes = {{"timed", {{"rows", 256}, {"cols", 512}}}};
  task.edge_sizes = {{"one", {{"rows", 1}, {"cols", 1}}}, {"odd", {{"rows", 33}, {"cols", 65}}}};
  task.domain = {{"rows", "1..4096"}, {"cols", "1..4096"}};
  task.check = {"elementwise", {{"rtol", "1e-6"}}};
  task.bytes_expression = task.flops_expression = std::string(kCountedCost);
  task.baseline_source = std::move(baseline);
  return task;
}

std::unique_ptr<build::Builder> builder() {
  const build::Toolchain tools = build::find_toolchain();
  if (!tools.supports(build::FrontEnd::clang)) return nullptr;
  auto sandbox = sandbox::Sandbox::open();
  if (!sandbox.ok()) return nullptr;
  auto made = build::Builder::create(*sandbox, tools, {.cache = build_path("/tests/costs_cache")});
  return made.ok() ? std::make_unique<build::Builder>(std::move(*made)) : nullptr;
}

double at(const std::string& expression, double rows, double cols) {
  return value_of(expression, {{"rows", rows}, {"cols", cols}}).value();
}

// Every element is multiplied and added: a fused multiply-add, 2 each. One addition per row.
constexpr const char* kSums = R"(
__global__ void sums(const float* x, float* y, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int c = 0; c < cols; ++c) sum += 3.0f * x[(size_t)row * cols + c];
  y[row] = sum + 1.0f;
}
extern "C" void solve(const float* x, float* y, int rows, int cols) {
  sums<<<(rows + 127) / 128, 128>>>(x, y, rows, cols);
})";

TEST(Counted, CostsOfABaseline) {
  const auto tools = builder();
  if (tools == nullptr) GTEST_SKIP() << "there is no clang";
  const Task task = task_of(kSums);
  const auto costs = count_costs(*tools, task);
  ASSERT_TRUE(costs.ok()) << costs.error().message;
  EXPECT_GE(costs->sizes, 4U);
  EXPECT_NEAR(at(costs->flops, 256, 512), 256 * (2 * 512 + 1), 2600) << costs->flops;
  EXPECT_NEAR(at(costs->flops, 4096, 4096) / (4096.0 * 2 * 4096), 1, 0.01) << costs->flops;
  EXPECT_EQ(at(costs->bytes, 256, 512), 4 * 256 * 512 + 4 * 256) << costs->bytes;
  const Task settled = with_costs(task, *costs);
  EXPECT_FALSE(has_counted_costs(settled));
  EXPECT_NEAR(flops(settled, settled.sizes[0]).value(), 256 * (2 * 512 + 1), 2600);
}

// Only the first element of a row is read: 4 bytes in, 4 out; nothing is computed.
constexpr const char* kFirst = R"(
__global__ void first(const float* x, float* y, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) y[row] = x[(size_t)row * cols];
}
extern "C" void solve(const float* x, float* y, int rows, int cols) {
  first<<<(rows + 127) / 128, 128>>>(x, y, rows, cols);
})";

TEST(Counted, BytesThatNobodyAsksForAreNotMoved) {
  const auto tools = builder();
  if (tools == nullptr) GTEST_SKIP() << "there is no clang";
  Task task = task_of(kFirst);
  // Rows of one element would be read whole.
  task.edge_sizes = {{"odd", {{"rows", 33}, {"cols", 65}}}};
  task.domain["cols"] = "8..4096";
  const auto costs = count_costs(*tools, task);
  ASSERT_TRUE(costs.ok()) << costs.error().message;
  EXPECT_EQ(costs->flops, "0");
  EXPECT_EQ(at(costs->bytes, 256, 512), 8 * 256) << costs->bytes;
}

TEST(Counted, SaysWhatIsWrong) {
  const auto tools = builder();
  if (tools == nullptr) GTEST_SKIP() << "there is no clang";
  const auto unbuilt = count_costs(*tools, task_of("this is no kernel"));
  ASSERT_FALSE(unbuilt.ok());
  EXPECT_THAT(unbuilt.error().message, testing::HasSubstr("cannot be built"));
  const auto none = count_costs(*tools, task_of(""));
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().message, testing::HasSubstr("baseline.cu"));
}

}  // namespace
}  // namespace warpwright::costs
