// SPDX-License-Identifier: Apache-2.0
// PyTorch modules as tasks. Where torch is missing the cases that run a module skip and say so.
#include <gmock/gmock.h>

#include <gtest/gtest.h>
#include <future>
#include <set>

#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "suite/load.h"
#include "suite/scaffold.h"
#include "support/torch_task.h"
#include "torch/check.h"
#include "torch/gpu_mode.h"
#include "torch/import.h"
#include "torch/interpreter.h"
#include "torch/large_files.h"
#include "torch/lint.h"
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
    if (argument.torch.substr(0, argument.torch.find(": ")) == slot) return &argument;
  return nullptr;
}

TEST_F(TorchModules, RulesThatWereAskedForAreTheTasks) {
  const auto toml = describe_module(
      {.path = "module.py", .text = kLinear, .rules = {"mixed_precision"}}, *sandbox_, nullptr);
  ASSERT_TRUE(toml.ok()) << toml.error().message;
  EXPECT_THAT(*toml, testing::HasSubstr("\nrules = [\"mixed_precision\"]\n"));
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
  EXPECT_EQ(task->derived.at("terms"), "max(1, min(65536, features))");
  const auto problems = problems_of(*task);
  ASSERT_TRUE(problems.ok()) << problems.error().message;
  EXPECT_THAT(*problems, IsEmpty());
}

constexpr const char* kWideWindow = R"(
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, window):
        super().__init__()
        self.pool = nn.AvgPool2d(window)

    def forward(self, x):
        return self.pool(x)

rows = 256
columns = 256
window = 11

def get_inputs():
    return [torch.rand(1, 2, rows, columns)]

def get_init_inputs():
    return [window]
)";

/// Up to 21 rows and columns the window fits but once, and one number could stand for the other.
TEST_F(TorchModules, NumbersAreToldApartWhereAWindowIsWide) {
  const auto task = task_of(kWideWindow);
  ASSERT_TRUE(task.ok()) << task.error().message;
  EXPECT_EQ(task->torch.shapes, "general");
  ASSERT_NE(argument_of(*task, "output"), nullptr);
  EXPECT_EQ(argument_of(*task, "output")->expression, "2*floor((rows)/11)*floor((columns)/11)");
}

TEST_F(TorchModules, TheReferenceComputesInDoublesOnOurInputs) {
  const auto task = task_of(kLinear);
  ASSERT_TRUE(task.ok()) << task.error().message;
  const auto reference = ModuleReference::open(*task, *sandbox_, {});
  ASSERT_TRUE(reference.ok()) << reference.error().message;
  const auto instance = verify::make_instance(*task, task->edge_sizes.front(), nullptr, 7);
  ASSERT_TRUE(instance.ok());
  const auto inputs = verify::generate_inputs(*instance);
  ASSERT_TRUE(inputs.ok());
  const auto expected = (*reference)->run(*instance, *inputs);
  ASSERT_TRUE(expected.ok()) << expected.error().message;
  const auto rows = static_cast<std::size_t>(instance->values.at("batch_size"));
  const auto inner = static_cast<std::size_t>(instance->values.at("features"));
  const auto cols = static_cast<std::size_t>(instance->values.at("out_features"));
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

TEST_F(TorchModules, QuestionsFromSeveralThreadsGetTheirOwnAnswers) {
  const auto task = task_of(kLinear);
  ASSERT_TRUE(task.ok()) << task.error().message;
  const auto reference = ModuleReference::open(*task, *sandbox_, {});
  ASSERT_TRUE(reference.ok()) << reference.error().message;
  const auto ask = [&](std::uint64_t seed) -> Result<std::vector<double>> {
    WW_TRY(const auto instance,
           verify::make_instance(*task, task->edge_sizes.front(), nullptr, seed));
    WW_TRY(const auto inputs, verify::generate_inputs(instance));
    WW_TRY(const auto expected, (*reference)->run(instance, inputs));
    return std::vector<double>(expected[3].wide.begin(), expected[3].wide.end());
  };
  std::vector<std::future<Result<std::vector<double>>>> together;
  for (std::uint64_t seed = 0; seed < 6; ++seed)
    together.push_back(std::async(std::launch::async, ask, seed));
  std::set<std::vector<double>> answers;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const auto answer = together[seed].get();
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    const auto alone = ask(seed);
    ASSERT_TRUE(alone.ok()) << alone.error().message;
    EXPECT_EQ(*answer, *alone);
    answers.insert(*answer);
  }
  EXPECT_EQ(answers.size(), 6U);
}

// Two rows: their variance is what is left of two sums, and all that follows hangs on its rounding.
constexpr const char* kNormalised = R"(
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, features, out_features):
        super().__init__()
        self.linear = nn.Linear(features, out_features)
        self.norm = nn.BatchNorm1d(out_features)

    def forward(self, x):
        return self.norm(self.linear(x))

batch_size = 2
features = 512
out_features = 64

def get_inputs():
    return [torch.rand(batch_size, features)]

def get_init_inputs():
    return [features, out_features]
)";

TEST_F(TorchModules, TheModuleItselfSaysWhatRoundingDoes) {
  const auto task = task_of(kNormalised);
  ASSERT_TRUE(task.ok()) << task.error().message;
  const auto reference = ModuleReference::open(*task, *sandbox_, {});
  ASSERT_TRUE(reference.ok()) << reference.error().message;
  const auto instance = verify::make_instance(*task, task->sizes.front(), nullptr, 7);
  ASSERT_TRUE(instance.ok());
  const auto inputs = verify::generate_inputs(*instance);
  ASSERT_TRUE(inputs.ok());
  const auto expected = (*reference)->run(*instance, *inputs);
  ASSERT_TRUE(expected.ok()) << expected.error().message;
  const auto rounded = (*reference)->in_own_types(*instance, *inputs);
  ASSERT_TRUE(rounded.ok()) << rounded.error().message;
  double worst = 0;
  for (std::size_t argument = 0; argument < task->arguments.size(); ++argument) {
    const auto& exact = (*expected)[argument].wide;
    const auto& other = (*rounded)[argument];
    for (std::size_t i = 0; i < exact.size(); ++i) {
      ASSERT_EQ(other.size(), 4 * exact.size());
      const double got = verify::element_as_double(ElementType::f32, other, i);
      worst = std::max(worst, std::abs(got - exact[i]));
    }
  }
  EXPECT_GT(worst, 1e-7);  // it is no copy of what is expected
  EXPECT_LT(worst, 1e-2);
}

constexpr const char* kNegate = R"(
import torch

def forward(x):
    return -x

rows = 3
cols = 2097152

def get_inputs():
    return [torch.randn(rows, cols)]
)";

TEST_F(TorchModules, ALargeCallIsComputedInFullAndSaidWhere) {
  const auto task = task_of(kNegate);
  ASSERT_TRUE(task.ok()) << task.error().message;
  const auto reference = ModuleReference::open(*task, *sandbox_, {});
  ASSERT_TRUE(reference.ok()) << reference.error().message;
  const auto instance = verify::make_instance(*task, task->sizes.front(), nullptr, 7);
  ASSERT_TRUE(instance.ok());
  const auto inputs = verify::generate_inputs(*instance);
  ASSERT_TRUE(inputs.ok());
  EXPECT_THAT((*reference)->remark(), IsEmpty());
  const auto expected = (*reference)->run(*instance, *inputs);
  ASSERT_TRUE(expected.ok()) << expected.error().message;
  const auto& found = (*expected)[1].wide;
  ASSERT_EQ(found.size(), (*inputs)[0].size() / sizeof(float));
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    wrong += found[i] != -verify::element_as_double(ElementType::f32, (*inputs)[0], i) ? 1 : 0;
  EXPECT_EQ(wrong, 0u);
  EXPECT_THAT((*reference)->remark(), HasSubstr("in float64 on the "));
}

constexpr const char* kStructure = R"(
import torch

class Model(torch.nn.Module):
    def __init__(self, inner, outer):
        super().__init__()
        self.first = torch.nn.Parameter(torch.randn(inner, outer))
        self.second = torch.nn.Parameter(torch.randn(outer)) if inner != outer else None

    def forward(self, x):
        y = x @ self.first
        return y if self.second is None else y + self.second

batch_size = 8
inner = 64
outer = 64

def get_inputs():
    return [torch.randn(batch_size, inner)]

def get_init_inputs():
    return [inner, outer]
)";

TEST_F(TorchModules, ShapesWithOtherParametersAreNotTried) {
  const auto task = task_of(kStructure);
  ASSERT_TRUE(task.ok()) << task.error().message;
  EXPECT_EQ(argument_of(*task, "parameter second"), nullptr);
  const auto problems = problems_of(*task);
  ASSERT_TRUE(problems.ok()) << problems.error().message;
  EXPECT_THAT(*problems, IsEmpty());
}

TEST(LargeFiles, WhatAKilledProcessLeftIsRemoved) {
  const auto parent = TemporaryDirectory::create("warpwright-large-test").value();
  const auto make = [&](const char* name, int age_s) {
    const auto lock = parent.path() / (std::string(name) + ".lock");
    EXPECT_TRUE(make_directories(parent.path() / name).ok());
    EXPECT_TRUE(write_file(parent.path() / name / "data", "x").ok());
    EXPECT_TRUE(write_file(lock, "").ok());
    std::filesystem::last_write_time(
        lock, std::filesystem::file_time_type::clock::now() - std::chrono::seconds(age_s));
    return lock;
  };
  make("large-dead", 100);
  make("large-young", 0);
  make("other-dead", 100);
  const auto held = FileLock::acquire(make("large-alive", 100));
  ASSERT_TRUE(held.ok() && *held);
  sweep_folders(parent.path(), "large-");
  const auto is_there = [&](const char* name) {
    return std::filesystem::exists(parent.path() / name / "data");
  };
  EXPECT_FALSE(is_there("large-dead"));
  EXPECT_FALSE(std::filesystem::exists(parent.path() / "large-dead.lock"));
  EXPECT_TRUE(is_there("large-young"));
  EXPECT_TRUE(is_there("other-dead"));
  EXPECT_TRUE(is_there("large-alive"));
}

TEST(LargeFiles, WhatWasPutIsTaken) {
  const auto folder = folder_for("warpwright-large-test", std::uint64_t{1} << 40);
  ASSERT_TRUE(folder.ok()) << folder.error().message;
  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, (std::size_t{64} << 20) + 3}) {
    std::vector<std::byte> content(size);
    for (std::size_t i = 0; i < size; i += 4099) content[i] = static_cast<std::byte>(i % 251);
    const auto path = folder->path() / "file";
    ASSERT_TRUE(put_file(path, folder->path() / "beside", content).ok());
    EXPECT_FALSE(std::filesystem::exists(folder->path() / "beside"));
    std::vector<std::byte> back(size);
    ASSERT_TRUE(take_file(path, back).ok());
    EXPECT_TRUE(back == content);
    back.resize(size + 1);
    EXPECT_FALSE(take_file(path, back).ok());
  }
  EXPECT_FALSE(take_file(folder->path() / "missing", {}).ok());
}

constexpr const char* kTransposed = R"(
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.convolution = nn.ConvTranspose2d(channels, 5, 4, stride=4, bias=False)

    def forward(self, x):
        return self.convolution(x)

batch_size = 2
channels = 3

def get_inputs():
    return [torch.rand(batch_size, channels, 8, 8)]

def get_init_inputs():
    return [channels]
)";

// Sixteen times as many outputs as inputs, and each product once.
TEST_F(TorchModules, AStrideOfATransposedConvolutionIsNoWork) {
  const double forward = 2 * (2.0 * 3 * 64) * (5 * 16);
  const auto once = task_of(kTransposed);
  ASSERT_TRUE(once.ok()) << once.error().message;
  const double counted = flops(*once, once->sizes.front()).value();
  EXPECT_GE(counted, forward);
  EXPECT_LE(counted, 1.1 * forward);
  // The forward, two gradients, and what is done to each output beside them.
  const auto gradients = task_of(kTransposed, true);
  ASSERT_TRUE(gradients.ok()) << gradients.error().message;
  const double all = flops(*gradients, gradients->sizes.front()).value();
  EXPECT_GE(all, 3 * forward);
  EXPECT_LE(all, 5 * forward);
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

TEST_F(TorchModules, WhatForwardChangesInPlaceIsAnInout) {
  const auto task = task_of(R"(
import torch
n, m = 24, 5

def get_inputs():
    return [torch.randn(n, m), torch.randn(n, m).t().contiguous().t(), torch.randn(n, m), None]

def forward(state, update, log, extra=None):
    log.copy_(update)
    state.mul_(0.5).add_(update)
    return state.sum(dim=1)
)");
  ASSERT_TRUE(task.ok()) << task.error().message;
  ASSERT_NE(argument_of(*task, "input 0"), nullptr);
  EXPECT_EQ(argument_of(*task, "input 0")->role, ArgumentRole::inout);
  EXPECT_EQ(argument_of(*task, "input 1")->role, ArgumentRole::input);
  EXPECT_EQ(argument_of(*task, "input 2")->role, ArgumentRole::inout) << "it is only written";
  EXPECT_EQ(argument_of(*task, "input 0")->torch, "input 0: float32[n, m]");
  EXPECT_THAT(task->description, HasSubstr("strided in the file"));
  EXPECT_THAT(task->description, HasSubstr("None: `extra`"));
  const auto problems = problems_of(*task);
  ASSERT_TRUE(problems.ok()) << problems.error().message;
  EXPECT_THAT(*problems, IsEmpty());
}

/// y = x for lint: outputs follow from a function of the inputs.
class Made final : public verify::ExpectedSource {
 public:
  explicit Made(double (*function)(double, std::size_t)) : function_(function) {}
  [[nodiscard]] Result<std::vector<verify::Expected>> run(const verify::Instance&,
                                                          std::span<const verify::Bytes> inputs,
                                                          verify::DeviceTurn*) const override {
    std::vector<verify::Expected> all(2);
    for (std::size_t i = 0; i < inputs[0].size() / 4; ++i)
      all[1].wide.push_back(
          function_(verify::element_as_double(ElementType::f32, inputs[0], i), i));
    return all;
  }

 private:
  double (*function_)(double, std::size_t);
};

TEST(TaskLint, WhatHardlyDependsOnAnythingIsTold) {
  suite::TaskFolder folder;
  folder.name = "t";
  folder.where = "task.toml";
  folder.toml = R"toml(
title = "T"
description = "D"
argument = [
  { name = "x", type = "f32", role = "input", count = "8*n", values = "normal(0, 1)", torch = "input 0: float32[8, n]" },
  { name = "y", type = "f32", role = "output", count = "8*n", torch = "output: float32[8, n]" },
  { name = "n", type = "i32", role = "scalar" },
]
size = [{ label = "given", n = 16 }]
[torch]
shapes = "general"
[domain]
n = "1..16"
[check]
rule = "elementwise"
[cost]
bytes = "64*n"
flops = "n"
)toml";
  folder.torch = "def forward(x): return x";
  const auto task = suite::parse_task(folder);
  ASSERT_TRUE(task.ok()) << task.error().message;
  const auto problems = [&](double (*function)(double, std::size_t)) {
    const auto report = lint_task(*task, Made(function));
    EXPECT_TRUE(report.ok());
    return report.ok() ? report->problems : std::vector<std::string>{};
  };
  EXPECT_THAT(problems([](double x, std::size_t) { return x; }), IsEmpty());
  EXPECT_THAT(problems([](double x, std::size_t) { return 1e-4 * x; }),
              testing::Contains(HasSubstr("near zero")));
  EXPECT_THAT(problems([](double, std::size_t i) { return static_cast<double>(i); }),
              testing::Contains(HasSubstr("hardly depend on what is drawn")));
  EXPECT_THAT(problems([](double, std::size_t i) { return static_cast<double>(i); }),
              testing::Contains(HasSubstr("do not depend on 'x'")));
  EXPECT_THAT(
      problems([](double x, std::size_t i) { return 1e-6 * x + static_cast<double>(i % 16); }),
      testing::Contains(HasSubstr("the same along axis 0 of y")));
}

TEST_F(TorchModules, AnInputThatIsAlwaysTheSameIsNotNoted) {
  auto task = task_of(R"(
import torch
n = 32

def get_inputs():
    return [torch.rand(n), torch.rand(n)]

def forward(x, y):
    return x * 2 + y
)");
  ASSERT_TRUE(task.ok()) << task.error().message;
  task->arguments[1].distribution = "uniform(1, 1)";
  task->variants.clear();
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

TEST(GpuMode, CasesAreReadInBothForms) {
  constexpr const char* kYaml =
      "files:\n  - {\"name\": \"x\"}\nlang: \"py\"\ntests:\n  - {\"size\": 127, \"seed\": 4242}\n"
      "  - {\"size\": 64, \"seed\": 1}\nbenchmarks:\n- size: 1024\n  kind: \"causal\"\n  seed: 3\n";
  const auto tests = gpu_mode_cases(kYaml, "tests");
  ASSERT_EQ(tests.size(), 2U);
  EXPECT_EQ(tests[0], (GpuModeCase{{"size", "127"}, {"seed", "4242"}}));
  const auto benchmarks = gpu_mode_cases(kYaml, "benchmarks");
  ASSERT_EQ(benchmarks.size(), 1U);
  EXPECT_EQ(benchmarks[0], (GpuModeCase{{"size", "1024"}, {"kind", "\"causal\""}, {"seed", "3"}}));
  EXPECT_THAT(gpu_mode_cases("benchmarks", "benchmarks"), IsEmpty());
}

TEST_F(TorchModules, AProblemOfGpuModeIsATask) {
  const auto folder = folder_->path() / "scale";
  ASSERT_TRUE(make_directories(folder).ok());
  ASSERT_TRUE(
      write_file(folder / "task.yml", "lang: py\nbenchmarks:\n  - {\"size\": 24, \"seed\": 4242}\n")
          .ok());
  ASSERT_TRUE(write_file(folder / "reference.py", R"(import torch
from task import input_t, output_t
from utils import make_match_reference

def generate_input(size: int, seed: int) -> input_t:
    gen = torch.Generator(device="cuda")
    gen.manual_seed(seed)
    return torch.randn(size, size, device="cuda", generator=gen)

def ref_kernel(data: input_t) -> output_t:
    return data * 2

check_implementation = make_match_reference(ref_kernel)
)")
                  .ok());
  const auto found = find_problems_of_gpu_mode(folder_->path());
  ASSERT_EQ(found.size(), 1U);
  const auto module = module_of_gpu_mode(found[0]);
  ASSERT_TRUE(module.ok()) << module.error().message;
  const auto task = task_of(module->text);
  ASSERT_TRUE(task.ok()) << task.error().message;
  ASSERT_NE(argument_of(*task, "input 0"), nullptr);
  EXPECT_EQ(argument_of(*task, "input 0")->expression, "size*size");
}

TEST(TraceDefinitions, AFunctionOfTheDefinitionMakesInputs) {
  std::string text = kDefinition;
  text.insert(1, R"("custom_inputs_entrypoint": "make", )");
  const auto module = module_of({.name = "x", .text = text, .workload = "", .path = "x.json"});
  ASSERT_TRUE(module.ok()) << module.error().message;
  EXPECT_THAT(module->text, HasSubstr("custom = make(dict(hidden=hidden, batch=batch, )"));
  EXPECT_THAT(module->text, HasSubstr("custom[\"x\"] if \"x\" in custom else torch.randn"));
  EXPECT_THAT(module->text, HasSubstr(R"(# trace: {"definition":"x","inputs":["x","weight"])"));
}

TEST(TorchTasks, AFixedShapeIsTheOnlySize) {
  suite::TaskFolder folder;
  folder.name = "t";
  folder.where = "task.toml";
  folder.toml = kFixedTorchTask;
  folder.torch = "def forward(x): return x";
  const auto task = suite::parse_task(folder);
  ASSERT_TRUE(task.ok()) << task.error().message;
  EXPECT_TRUE(task->edge_sizes.empty());
  EXPECT_EQ(task->domain.at("n"), "fixed 1000");
}

}  // namespace
}  // namespace warpwright::torch
