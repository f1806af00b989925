// SPDX-License-Identifier: Apache-2.0
// Definitions that sample, that have many workloads, and robust-kbench's folders.
#include "torch/trace.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "suite/load.h"
#include "torch/check.h"
#include "torch/interpreter.h"
#include "torch/reference.h"

namespace warpwright::torch {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kSampling = R"({"name": "draw", "op_type": "sampling",
 "axes": {"batch_size": {"type": "var"}, "vocab_size": {"type": "const", "value": 50}},
 "inputs": {"probs": {"shape": ["batch_size", "vocab_size"], "dtype": "float32"}},
 "outputs": {"samples": {"shape": ["batch_size"], "dtype": "int64"}},
 "reference": "import torch\ndef run(probs):\n    out = torch.empty(probs.shape[0], dtype=torch.int64)\n    for i in range(probs.shape[0]):\n        out[i] = torch.multinomial(probs[i], 1, replacement=True).squeeze(0)\n    return out\n"})";

constexpr const char* kLines =
    R"({"workload": {"uuid": "aaaaaaaa-1", "axes": {"batch_size": 40}, "inputs": {}}}
{"uuid": "bbbbbbbb-2", "axes": {"batch_size": 7}, "inputs": {}}
{"uuid": "no good!", "axes": {"batch_size": 3}, "inputs": {}}
)";

TEST(TraceDefinitions, WhatIsDrawnIsAnInput) {
  const auto module = module_of({"draw", kSampling, kLines, "draw.json"});
  ASSERT_TRUE(module.ok()) << module.error().message;
  EXPECT_THAT(module->text, HasSubstr("def forward(self, probs, uniforms):"));
  EXPECT_THAT(module->text, HasSubstr("return run(probs)"));
  EXPECT_THAT(module->text, HasSubstr("torch.rand(batch_size)"));
  EXPECT_THAT(module->text, HasSubstr("** max(1, vocab_size // 8 - 1) / 8).to(torch.float32)"));
  EXPECT_THAT(module->text, HasSubstr("batch_size = 40\n_axes = [\"batch_size\"]\n"));
  EXPECT_THAT(module->text, HasSubstr(R"(("bbbbbbbb", {"batch_size": 7}))"));
  EXPECT_THAT(module->text, HasSubstr("return [((batch_size, ), torch.int64), ]"));
}

TEST(TraceDefinitions, PackedRoutesHaveAnExpertAndAWeight) {
  const auto module =
      module_of({"moe",
                 R"({"axes": {"n": {"type": "var"}, "num_experts": {"type": "const", "value": 16}},
 "inputs": {"ids": {"shape": ["n"], "dtype": "int32"}}, "outputs": {"y": {"shape": ["n"], "dtype": "int32"}},
 "reference": "def run(ids):\n    return ids >> 16\n"})",
                 "", "moe.json"});
  ASSERT_TRUE(module.ok()) << module.error().message;
  EXPECT_THAT(module->text, HasSubstr("torch.randint(0, num_experts, (n, )) * 65536 + 16128"));
}

TEST(TraceDefinitions, ASamplingDefinitionIsATaskWithItsWorkloads) {
  if (const auto found = find_interpreter(""); !found.ok()) GTEST_SKIP() << found.error().message;
  const auto sandbox = sandbox::Sandbox::open();
  if (!sandbox.ok()) GTEST_SKIP() << sandbox.error().message;
  auto module = module_of({"draw", kSampling, kLines, "draw.json"});
  ASSERT_TRUE(module.ok()) << module.error().message;
  module->stream = true;
  const auto toml = describe_module(*module, *sandbox, nullptr);
  ASSERT_TRUE(toml.ok()) << toml.error().message;
  const auto task = suite::parse_task(
      {.name = "draw", .where = "task.toml", .toml = *toml, .torch = module->text});
  ASSERT_TRUE(task.ok()) << task.error().message << "\n" << *toml;
  ASSERT_EQ(task->sizes.size(), 2U) << *toml;
  EXPECT_EQ(task->sizes[0].values.at("batch_size"), 40);
  EXPECT_EQ(task->sizes[1].label, "bbbbbbbb");
  EXPECT_THAT(*toml, HasSubstr("skewed(0, 1, 5) | scale(0.125)"))
      << "few of the 50 have the weight";
  EXPECT_TRUE(task->stream);
  EXPECT_THAT(signature_of(*task), HasSubstr("const float* uniforms, long long* out"));
  const auto reference = ModuleReference::open(*task, *sandbox, {});
  ASSERT_TRUE(reference.ok()) << reference.error().message;
  const auto problems = check_reference(*task, **reference);
  ASSERT_TRUE(problems.ok()) << problems.error().message;
  EXPECT_THAT(*problems, IsEmpty());
}

/// What the routes hold decides which experts are asked; half a billion of weights cannot be
/// computed with here.
TEST(TraceDefinitions, ALargeMixtureOfExpertsIsATaskThatNeverRan) {
  if (const auto found = find_interpreter(""); !found.ok()) GTEST_SKIP() << found.error().message;
  const auto sandbox = sandbox::Sandbox::open();
  if (!sandbox.ok()) GTEST_SKIP() << sandbox.error().message;
  const auto described = [&](const char* width) {
    const std::string text = fmt::format(
        R"({{"axes": {{"n": {{"type": "var"}}, "num_experts": {{"type": "const", "value": 8}}, "h": {{"type": "const", "value": {}}}}},
 "inputs": {{"expert": {{"shape": ["n"], "dtype": "int32"}}, "x": {{"shape": ["n", "h"], "dtype": "float32"}},
            "w": {{"shape": ["num_experts", "h", "h"], "dtype": "float32"}}}},
 "outputs": {{"y": {{"shape": ["n", "h"], "dtype": "float32"}}}},
 "reference": "import torch\ndef run(expert, x, w):\n    y = torch.zeros_like(x)\n    for e in range(w.shape[0]):\n        if not (expert == e).any():\n            continue\n        y[expert == e] = x[expert == e] @ w[e]\n    return y\n"}})",
        width);
    const auto module = module_of({"moe", text, "", "moe.json"});
    EXPECT_TRUE(module.ok()) << module.error().message;
    return describe_module(*module, *sandbox, nullptr);
  };
  const auto large = described("8192");
  ASSERT_TRUE(large.ok()) << large.error().message;
  EXPECT_THAT(*large, HasSubstr("float32[8, 8192, 8192]"));
  const auto enormous = described("32768");
  ASSERT_FALSE(enormous.ok());
  EXPECT_THAT(enormous.error().message, HasSubstr("the module is enormous: 8.59e+09 elements"));
}

TEST(RobustKbench, AFolderIsItsForwardOrItsGradients) {
  const auto folder = TemporaryDirectory::create("warpwright-robust-");
  ASSERT_TRUE(folder.ok());
  const auto path = folder->path();
  EXPECT_FALSE(read_module_file(path).ok()) << "an empty one";
  ASSERT_TRUE(write_file(path / "func_forward.py", "forward = 1\n").ok());
  ASSERT_TRUE(
      write_file(
          path / "config_forward.json",
          R"({"single_input_configs": [{"rows": 5}], "single_init_configs": [{"eps": 0.5}]})")
          .ok());
  const auto forward = read_module_file(path);
  ASSERT_TRUE(forward.ok()) << forward.error().message;
  EXPECT_FALSE(forward->backward);
  EXPECT_THAT(forward->text, HasSubstr("rows = 5\n"));
  const auto autograd = read_module_file(path, true);
  ASSERT_TRUE(autograd.ok());
  EXPECT_TRUE(autograd->backward);
  EXPECT_THAT(autograd->text, HasSubstr("forward = 1"));
  ASSERT_TRUE(write_file(path / "func_backward.py", "backward = 1\n").ok());
  const auto gradients = read_module_file(path, true);
  ASSERT_TRUE(gradients.ok());
  EXPECT_TRUE(gradients->backward);
  EXPECT_THAT(gradients->text, HasSubstr("backward = 1"));
}

}  // namespace
}  // namespace warpwright::torch
