// SPDX-License-Identifier: Apache-2.0
// PyTorch modules as tasks. Where torch is missing the cases that run a module skip and say so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "suite/load.h"
#include "suite/scaffold.h"
#include "torch/check.h"
#include "torch/import.h"
#include "torch/interpreter.h"
#include "torch/reference.h"
#include "torch/trace.h"
#include "verify/check.h"
#include "verify/generate.h"

namespace warpwright::torch {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A folder that is gone after the test.
class TorchModules : public testing::Test {
 protected:
  void SetUp() override {
    static const auto found = find_interpreter("");  // asked once
    if (!found.ok()) GTEST_SKIP() << found.error().message;
    const auto opened = sandbox::Sandbox::open();
    if (!opened.ok()) GTEST_SKIP() << opened.error().message;
    sandbox_.emplace(*opened);
    auto folder = TemporaryDirectory::create("warpwright-torch-test");
    ASSERT_TRUE(folder.ok());
    folder_.emplace(std::move(*folder));
  }

  Result<std::string> described(const std::string& text, bool backward = false) {
    return describe_module({.path = "module.py", .text = text, .backward = backward}, *sandbox_,
                           nullptr);
  }

  /// The task of a module, written and loaded.
  Result<Task> task_of(const std::string& text, bool backward = false) {
    WW_TRY(const auto toml, described(text, backward));
    const std::string name = "task" + std::to_string(++made_);
    WW_TRY(const auto written, suite::write_torch_task(name, folder_->path(), toml, text));
    return suite::load_task_folder(written);
  }

  Result<std::vector<std::string>> problems_of(const Task& task) {
    WW_TRY(const auto reference, ModuleReference::open(task, *sandbox_, {}));
    return check_reference(task, *reference);
  }

  std::optional<sandbox::Sandbox> sandbox_;
  std::optional<TemporaryDirectory> folder_;
  int made_ = 0;
};

constexpr const char* kLinear = R"(
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, features, out_features):
        super().__init__()
        self.linear = nn.Linear(features, out_features)

    def forward(self, x):
        return torch.relu(self.linear(x))

batch_size = 64
features = 128
out_features = 32

def get_inputs():
    return [torch.rand(batch_size, features)]

def get_init_inputs():
    return [features, out_features]
)";

const TaskArgument* argument_of(const Task& task, std::string_view slot) {
  for (const auto& argument : task.arguments)
    if (argument.torch == slot) return &argument;
  return nullptr;
}

TEST_F(TorchModules, AModuleBecomesATaskOfGeneralShapes) {
  const auto task = task_of(kLinear);
  ASSERT_TRUE(task.ok()) << task.error().message;
  EXPECT_EQ(task->torch.shapes, "general");
  ASSERT_NE(argument_of(*task, "input 0"), nullptr);
  EXPECT_EQ(argument_of(*task, "input 0")->expression, "batch_size*features");
  ASSERT_NE(argument_of(*task, "parameter linear.weight"), nullptr);
  EXPECT_EQ(argument_of(*task, "parameter linear.weight")->expression, "out_features*features");
  ASSERT_NE(argument_of(*task, "output"), nullptr);
  EXPECT_EQ(argument_of(*task, "output")->expression, "batch_size*out_features");
  EXPECT_EQ(task->domain.at("features"), "1..128");
  const auto problems = problems_of(*task);
  ASSERT_TRUE(problems.ok()) << problems.error().message;
  EXPECT_THAT(*problems, IsEmpty());
}

TEST_F(TorchModules, TheReferenceComputesInDoublesOnOurInputs) {
  const auto task = task_of(kLinear);
  ASSERT_TRUE(task.ok()) << task.error().message;
  const auto reference = ModuleReference::open(*task, *sandbox_, {});
  ASSERT_TRUE(reference.ok()) << reference.error().message;
  const auto trial = verify::make_trial(*task, task->edge_sizes.front(), nullptr, 7);
  ASSERT_TRUE(trial.ok());
  const auto inputs = verify::generate_inputs(*trial);
  ASSERT_TRUE(inputs.ok());
  const auto expected = (*reference)->run(*trial, *inputs);
  ASSERT_TRUE(expected.ok()) << expected.error().message;
  const auto rows = static_cast<std::size_t>(trial->values.at("batch_size"));
  const auto inner = static_cast<std::size_t>(trial->values.at("features"));
  const auto cols = static_cast<std::size_t>(trial->values.at("out_features"));
  const auto at = [&](std::size_t argument, std::size_t i) {
    return verify::element_as_double(ElementType::f32, (*inputs)[argument], i);
  };
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < cols; ++c) {
      double sum = at(2, c);
      for (std::size_t k = 0; k < inner; ++k) sum += at(0, r * inner + k) * at(1, c * inner + k);
      EXPECT_NEAR((*expected)[3].wide[r * cols + c], std::max(0.0, sum), 1e-12);
    }
  }
}

TEST_F(TorchModules, GradientsAreATaskOfTheirOwn) {
  const auto task = task_of(kLinear, true);
  ASSERT_TRUE(task.ok()) << task.error().message;
  EXPECT_TRUE(task->torch.backward);
  EXPECT_NE(argument_of(*task, "grad_output"), nullptr);
  EXPECT_NE(argument_of(*task, "grad_input 0"), nullptr);
  EXPECT_NE(argument_of(*task, "grad_parameter linear.bias"), nullptr);
  const auto problems = problems_of(*task);
  ASSERT_TRUE(problems.ok()) << problems.error().message;
  EXPECT_THAT(*problems, IsEmpty());
}

TEST_F(TorchModules, AnOutputThatIgnoresAnInputIsNoted) {
  const auto task = task_of(R"(
import torch
n = 32

def get_inputs():
    return [torch.rand(n), torch.rand(n)]

def forward(x, y):
    return x * 2 + 0 * y
)");
  ASSERT_TRUE(task.ok()) << task.error().message;
  const auto problems = problems_of(*task);
  ASSERT_TRUE(problems.ok()) << problems.error().message;
  EXPECT_THAT(*problems, testing::ElementsAre(HasSubstr("do not depend on the input 'y'")));
}

struct BadModule {
  const char* name;
  const char* text;
  const char* said;
};

TEST_F(TorchModules, WhatIsNoModuleIsRefusedWithItsLine) {
  const BadModule bad[] = {
      {"syntax", "import torch\ndef f(:\n", "module.py:2: "},
      {"import", "import torch\nimport no_such_library\n", "module.py:2: ModuleNotFoundError"},
      {"raises", "import torch\nx = 1\nraise ValueError('so it is')\n",
       "module.py:3: ValueError: so it is"},
      {"no module", "import torch\n", "module.py:1: there is no class Model"},
      {"no tensor",
       "import torch\n\ndef forward(x):\n    return 'text'\n\ndef get_inputs():\n    return "
       "[torch.rand(4)]\n",
       "module.py:3: forward returns no tensor"},
      {"network",
       "import torch\nimport urllib.request\nurllib.request.urlopen('http://example.com')\n",
       "module.py:3: "},
      {"exit", "import torch\nimport os\nos._exit(3)\n", "exit code 3"},
      {"random",
       "import torch\n\ndef forward(x):\n    return x + torch.rand(4)\n\ndef get_inputs():\n    "
       "return [torch.rand(4)]\n",
       "random"},
  };
  for (const BadModule& item : bad) {
    const auto toml = described(item.text);
    ASSERT_FALSE(toml.ok()) << item.name;
    EXPECT_THAT(toml.error().message, HasSubstr(item.said)) << item.name;
  }
}

TEST_F(TorchModules, AModuleThatLoopsForEverIsStopped) {
  if (std::getenv("WARPWRIGHT_SLOW_TESTS") == nullptr)
    GTEST_SKIP() << "needs WARPWRIGHT_SLOW_TESTS";
  const auto toml = described("import torch\nwhile True:\n    pass\n");
  ASSERT_FALSE(toml.ok());
  EXPECT_THAT(toml.error().message, HasSubstr("takes too long"));
  EXPECT_THAT(toml.error().message, HasSubstr("module.py:"));
}

TEST_F(TorchModules, IntegersBoolsAndSeveralOutputsAreArguments) {
  const auto task = task_of(R"(
import torch
rows = 16
cols = 24

def get_inputs():
    return [torch.randn(rows, cols), torch.randint(0, 2, (rows, cols)).bool(), 0.5]

def forward(x, mask, factor):
    y = torch.where(mask, x, x * factor)
    return y, y.argmax(dim=1)
)");
  ASSERT_TRUE(task.ok()) << task.error().message;
  EXPECT_EQ(argument_of(*task, "input 1")->type, ElementType::u8);
  EXPECT_EQ(argument_of(*task, "output 1")->type, ElementType::i64);
  EXPECT_EQ(argument_of(*task, "output 1")->check.rule, "exact_int");
  const auto problems = problems_of(*task);
  ASSERT_TRUE(problems.ok()) << problems.error().message;
  EXPECT_THAT(*problems, IsEmpty());
}

constexpr const char* kDefinition = R"json({"name": "norm_h16", "op_type": "rmsnorm",
  "axes": {"batch": {"type": "var"}, "hidden": {"type": "const", "value": 16}},
  "inputs": {"x": {"shape": ["batch", "hidden"], "dtype": "bfloat16"},
             "weight": {"shape": ["hidden"], "dtype": "bfloat16"}},
  "outputs": {"y": {"shape": ["batch", "hidden"], "dtype": "bfloat16"}},
  "reference": "import torch\n\ndef run(x, weight):\n    f = x.to(torch.float32)\n    r = torch.rsqrt(f.pow(2).mean(-1, keepdim=True) + 1e-6)\n    return (f * r * weight.to(torch.float32)).to(x.dtype)\n"})json";

TEST_F(TorchModules, ADefinitionOfATraceIsATask) {
  const auto module =
      module_of({.name = "norm_h16",
                 .text = kDefinition,
                 .workload = R"({"workload": {"uuid": "1", "axes": {"batch": 40}}})",
                 .path = "norm.json"});
  ASSERT_TRUE(module.ok()) << module.error().message;
  const auto task = task_of(module->text);
  ASSERT_TRUE(task.ok()) << task.error().message;
  EXPECT_EQ(argument_of(*task, "input 0")->type, ElementType::bf16);
  EXPECT_EQ(task->sizes.front().values.at("batch"), 40);
  const auto problems = problems_of(*task);
  ASSERT_TRUE(problems.ok()) << problems.error().message;
  EXPECT_THAT(*problems, IsEmpty());
}

TEST(TraceDefinitions, TypesThatTasksLackAreRefusedByName) {
  std::string text = kDefinition;
  text.replace(text.find("bfloat16"), 8, "float8_e4m3fn");
  const auto module = module_of({.name = "x", .text = text, .workload = "", .path = "x.json"});
  ASSERT_FALSE(module.ok());
  EXPECT_THAT(module.error().message, HasSubstr("float8_e4m3fn"));
}

constexpr const char* kPaged = R"json({"name": "paged",
    "axes": {"batch_size": {"type": "var"}, "num_pages": {"type": "var"}, "len_indptr": {"type": "var"},
             "num_kv_indices": {"type": "var"}, "d": {"type": "const", "value": 4}},
    "constraints": ["len_indptr == batch_size + 1", "num_kv_indices == kv_indptr[-1].item()"],
    "inputs": {"k": {"shape": ["num_pages", "d"], "dtype": "float32"},
               "kv_indptr": {"shape": ["len_indptr"], "dtype": "int32"},
               "kv_indices": {"shape": ["num_kv_indices"], "dtype": "int32"}},
    "outputs": {"o": {"shape": ["batch_size", "d"], "dtype": "float32"}},
    "reference": "def run(k, kv_indptr, kv_indices):\n    return k\n"})json";

TEST(TraceDefinitions, IndicesFollowFromConstraints) {
  const auto module =
      module_of({.name = "paged", .text = kPaged, .workload = "", .path = "paged.json"});
  ASSERT_TRUE(module.ok()) << module.error().message;
  EXPECT_THAT(module->text, HasSubstr("len_indptr = int(batch_size + 1)"));
  EXPECT_THAT(module->text, HasSubstr("torch.arange(len_indptr) * (num_kv_indices)"));
  EXPECT_THAT(module->text, HasSubstr("torch.randint(0, num_pages, (num_kv_indices, ))"));
  EXPECT_THAT(module->text, Not(HasSubstr("\nlen_indptr =")));
}

constexpr const char* kFixedTask = R"toml(
title = "T"
description = "D"
argument = [
  { name = "x", type = "f32", role = "input", count = "n", values = "normal(0, 1)", torch = "input 0" },
  { name = "y", type = "f32", role = "output", count = "n", torch = "output" },
  { name = "n", type = "i32", role = "scalar" },
]
size = [{ label = "given", n = 1000 }]
edge = [{ n = 3 }]
[torch]
shapes = "fixed"
[domain]
n = "1..1000"
[check]
rule = "elementwise"
[cost]
bytes = "8*n"
flops = "n"
)toml";

TEST(TorchTasks, AFixedShapeIsTheOnlySize) {
  suite::TaskFolder folder;
  folder.name = "t";
  folder.where = "task.toml";
  folder.toml = kFixedTask;
  folder.torch = "def forward(x): return x";
  const auto task = suite::parse_task(folder);
  ASSERT_TRUE(task.ok()) << task.error().message;
  EXPECT_TRUE(task->edge_sizes.empty());
  EXPECT_EQ(task->domain.at("n"), "fixed 1000");
}

}  // namespace
}  // namespace warpwright::torch
