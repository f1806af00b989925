// SPDX-License-Identifier: Apache-2.0
// Tasks without a PyTorch module as operators: what the texts say, and that they are programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "base/files.h"
#include "base/process.h"
#include "exchange/beside_baseline.h"
#include "exchange/plain_operator.h"
#include "exchange/plain_package.h"
#include "exchange/torch_binding.h"
#include "suite/load.h"
#include "support/places.h"

namespace warpwright::exchange {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

Task built_in(const std::string& name) {
  const auto task = suite::load_task(source_path("/tasks/" + name));
  EXPECT_TRUE(task.ok()) << (task.ok() ? "" : task.error().message);
  return task.ok() ? *task : Task{};
}

Task plain_task(const std::string& toml) {
  suite::TaskFolder folder;
  folder.name = "mine";
  folder.where = "task.toml";
  folder.toml = toml;
  folder.baseline = "#include <cuda_fp16.h>\nextern \"C\" void solve() {}\n";
  const auto task = suite::parse_task(folder);
  EXPECT_TRUE(task.ok()) << (task.ok() ? "" : task.error().message);
  return task.ok() ? *task : Task{};
}

/// A made-up task: its second output and its last input have counts that no argument gives.
constexpr const char* kPlainToml = R"toml(
title = "Mine"
description = "D"
argument = [
  { name = "x", type = "u32", role = "input", count = "n*wide", values = "ints(0, 9)" },
  { name = "y", type = "f64", role = "output", count = "n*wide" },
  { name = "hits", type = "i64", role = "output", count = "n*kept" },
  { name = "list", type = "i32", role = "input", count = "n*kept + 1", values = "ints(0, 9)" },
  { name = "odd", type = "i32", role = "input", count = "max(n, kept)", values = "ints(0, 9)" },
  { name = "n", type = "i64", role = "scalar" },
  { name = "mode", type = "i32", role = "scalar" },
  { name = "rate", type = "f64", role = "scalar" },
]
size = [{ label = "given", n = 64, kept = 3, mode = 1, rate = 0.5, width = 8 }]
[domain]
n = "4..1024 multiple of 4"
kept = "2..16"
mode = "{1, 2, 4}"
rate = "0..n real"
width = "fixed 8"
[derived]
wide = "width + 2*mode"
[check]
rule = "elementwise"
[cost]
bytes = "4*n"
flops = "n"
)toml";

TEST(PlainOperators, HalvesAndWholeNumbersAreTakenAsTheTaskSays) {
  const auto op = plain_operator_of(built_in("decode_attention"));
  ASSERT_TRUE(op.ok()) << op.error().message;
  EXPECT_EQ(schema_of(*op),
            "(Tensor q, Tensor k_cache, Tensor v_cache, Tensor seq_lens, int B, int H, int Dh, int "
            "L_max) -> Tensor");
  const auto binding = plain_binding(*op, "fast", "fast_solve");
  ASSERT_TRUE(binding.ok()) << binding.error().message;
  EXPECT_THAT(
      *binding,
      AllOf(HasSubstr("extern \"C\" void fast_solve(void*, void*, void*, void*, void*, int"),
            HasSubstr("at::Tensor call_fast(const at::Tensor& ww_given_q"),
            HasSubstr("ww_tensor(ww_given_q, \"q\", ww_given_q.device(), at::kHalf);"),
            HasSubstr("ww_elements(ww_given_q, \"q\", ((B * H) * Dh), \"B*H*Dh\");"),
            HasSubstr("\"B is \" + ww_words(static_cast<double>(ww_given_B)) +\n"),
            HasSubstr("\"; the kernel was judged for any whole"),
            HasSubstr("ww_fits<int>(ww_given_L_max, \"L_max\")"),
            HasSubstr("getCurrentCUDAStream()"), HasSubstr("return ww_tensor_out;")));
}

TEST(PlainOperators, WhatIsChangedInPlaceIsMarkedAndMustBeContiguous) {
  const auto op = plain_operator_of(built_in("ems_verify_attention"));
  ASSERT_TRUE(op.ok()) << op.error().message;
  // T follows from what token_nums hold: here it is the caller's.
  EXPECT_EQ(schema_of(*op),
            "(Tensor q, Tensor k_new, Tensor v_new, Tensor(a!) k_cache, Tensor(b!) v_cache, Tensor "
            "seq_lens, Tensor token_nums, int B, int T, int H, int Dh, int L_max) -> Tensor");
  const auto binding = plain_binding(*op, "fast", "fast_solve");
  ASSERT_TRUE(binding.ok()) << binding.error().message;
  EXPECT_THAT(*binding,
              AllOf(HasSubstr("ww_in_place(ww_given_k_cache, \"k_cache\");"),
                    HasSubstr("ww_given_k_cache.copy_(ww_tensor_k_cache);"),
                    Not(HasSubstr("ww_in_place(ww_given_q,")), Not(HasSubstr("double drafts"))));
  const auto alone = plain_operator_of(built_in("reverse"));
  ASSERT_TRUE(alone.ok());
  EXPECT_EQ(schema_of(*alone), "(Tensor(a!) input, int N) -> ()");
}

TEST(PlainOperators, CountsThatNoArgumentGivesAreTheCallers) {
  const auto op = plain_operator_of(plain_task(kPlainToml));
  ASSERT_TRUE(op.ok()) << op.error().message;
  EXPECT_EQ(schema_of(*op),
            "(Tensor x, Tensor list, Tensor odd, int n, int mode, float rate, int hits_count) -> "
            "(Tensor, Tensor)");
  EXPECT_EQ(parameter_names(*op), "x, list, odd, n, mode, rate, hits_count");
  EXPECT_THAT(op->computed, ElementsAre(Pair("width", "8"), Pair("wide", "width + 2*mode")));
  const auto binding = plain_binding(*op, "mine", "mine_solve");
  ASSERT_TRUE(binding.ok()) << binding.error().message;
  EXPECT_THAT(
      *binding,
      AllOf(HasSubstr("(void*, void*, void*, void*, void*, long long, int, double)"),
            HasSubstr("const double kept = 2.0;\n    ww_at_least(ww_given_list, \"list\""),
            HasSubstr("ww_length(static_cast<double>(ww_given_hits_count), \"hits\")"),
            HasSubstr("(mode == 1.0 ? 1.0 : 0.0) != 0 || (mode == 2.0"),
            HasSubstr("(rate <= n ? 1.0 : 0.0) != 0"), Not(HasSubstr("ww_given_odd, \"odd\", std")),
            HasSubstr("return std::make_tuple(ww_tensor_y, ww_tensor_hits);")));
  const auto shapes = plain_shape_function(*op, "_shapes");
  ASSERT_TRUE(shapes.ok()) << shapes.error().message;
  EXPECT_THAT(*shapes,
              AllOf(HasSubstr("_at_least(list, \"list\", (lambda kept: ((n * kept) + 1))(2)"),
                    HasSubstr("(n % 4) == 0"),
                    HasSubstr("[((_whole((n * wide)),), torch.float64), ((_whole(hits_count),), "
                              "torch.int64), ]")));
}

TEST(PlainOperators, NamesThatPythonKeepsAreRefused) {
  std::string toml = kPlainToml;
  for (auto at = toml.find("rate"); at != std::string::npos; at = toml.find("rate", at))
    toml.replace(at, 4, "lambda");
  const auto op = plain_operator_of(plain_task(toml));
  ASSERT_FALSE(op.ok());
  EXPECT_THAT(op.error().message, HasSubstr("'lambda'"));
}

TEST(PlainPackages, TheTestHoldsItAgainstTheBaseline) {
  const Task task = plain_task(kPlainToml);
  TestCase test;
  test.values = *values_at(task, task.sizes.front());
  test.inputs = {{"test_input_x.bin", "1234"}};
  const auto files =
      plain_package({task, "// asm(\n", "Judged."}, "mine_free", &test, InputsAt::here);
  ASSERT_TRUE(files.ok()) << files.error().message;
  EXPECT_EQ(files->at("test_input_x.bin"), "1234");
  const std::string& text = files->at("test_mine_free.py");
  EXPECT_THAT(text, AllOf(HasSubstr("NUMBERS = [64, 1, float(0.5), 192]"),
                          HasSubstr("(\"y\", 640, torch.float64), (\"hits\", 192, torch.int64)"),
                          HasSubstr("torch.ops.warpwright_mine_free.mine_free_baseline.default"),
                          Not(HasSubstr("@"))));
  const std::string& init = files->at("warpwright_mine_free/__init__.py");
  EXPECT_THAT(init, AllOf(HasSubstr("(\"a\" if True and major >= 9"), Not(HasSubstr("@")),
                          HasSubstr("\"binding.cpp\", \"kernel.cu\", \"baseline.cu\"")));
  const std::string& baseline = files->at("warpwright_mine_free/baseline.cu");
  EXPECT_LT(baseline.find("#include <cuda_fp16.h>"), baseline.find("namespace mine_free_baseline"));
  EXPECT_THAT(files->at("README.md"), HasSubstr("Judged."));
  const auto above = plain_package({task, "", ""}, "mine", &test, InputsAt::above);
  ASSERT_TRUE(above.ok());
  EXPECT_FALSE(above->contains("test_input_x.bin"));
  EXPECT_FALSE(
      plain_package({task, "", ""}, "mine", nullptr, InputsAt::here)->contains("test_mine.py"));
}

TEST(PlainPackages, AssemblyIsAWord) {
  EXPECT_TRUE(has_assembly("asm volatile(\"\")"));
  EXPECT_TRUE(has_assembly("x;__asm__(\"\")"));
  EXPECT_FALSE(has_assembly("int plasma, asmall; // asm_"));
}

/// Every built-in task as a package, in a folder.
class EveryTask : public testing::Test {
 protected:
  void SetUp() override {
    for (const auto& entry : std::filesystem::directory_iterator(source_path("/tasks"))) {
      const Task task = built_in(entry.path().filename().string());
      const auto files =
          plain_package({task, task.baseline_source, ""}, task.name, nullptr, InputsAt::here);
      ASSERT_TRUE(files.ok()) << task.name << ": " << files.error().message;
      for (const auto& [name, content] : *files) {
        const auto path = home_.path() / task.name / name;
        ASSERT_TRUE(make_directories(path.parent_path()).ok());
        ASSERT_TRUE(write_file(path, content).ok());
      }
      names_.insert(task.name);
    }
    ASSERT_GE(names_.size(), 30U);
  }

  ProcessExit run(std::vector<std::string> argv) {
    Command command;
    command.argv = std::move(argv);
    command.env = minimal_environment();
    command.cwd = home_.path();
    command.limits.wall = std::chrono::minutes(5);
    return run_process(command).value();
  }

  TemporaryDirectory home_ = std::move(TemporaryDirectory::create("ww-plain-")).value();
  std::set<std::string> names_;
};

TEST_F(EveryTask, IsPython) {
  const auto python = find_program("python3");
  if (!python.ok()) GTEST_SKIP() << "python3 is not installed";
  std::vector<std::string> argv = {python->string(), "-m", "py_compile"};
  for (const auto& name : names_) argv.push_back(name + "/warpwright_" + name + "/__init__.py");
  const auto exit = run(argv);
  EXPECT_EQ(exit.exit_code, 0) << exit.err;
}

/// The C++ against the headers of the distribution's torch, which has those of CUDA, too.
TEST_F(EveryTask, IsCppOfTorch) {
  constexpr const char* kTorch = "/usr/include/c10/cuda/CUDAGuard.h";
  constexpr const char* kCuda = "/usr/local/cuda/include/cuda_runtime.h";
  const auto compiler = find_program("g++");
  if (!compiler.ok() || !std::filesystem::exists(kTorch) || !std::filesystem::exists(kCuda))
    GTEST_SKIP() << "needs g++, libtorch-dev and the headers of CUDA";
  // The headers take seconds: all bindings are one unit, each in a namespace of its own.
  std::string unit;
  bool first = true;
  for (const auto& name : names_) {
    auto text = *read_file(home_.path() / name / ("warpwright_" + name) / "binding.cpp");
    const auto begin = text.find("\nextern \"C\" void " + name + "_solve");
    ASSERT_NE(begin, std::string::npos) << name;
    unit += first ? text : text.substr(begin);
    first = false;
  }
  ASSERT_TRUE(write_file(home_.path() / "all.cpp", unit).ok());
  const auto exit = run({compiler->string(), "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra",
                         "-Wno-unused-function", "-DC10_CUDA_NO_CMAKE_CONFIGURE_FILE",
                         "-isystem/usr/local/cuda/include", "all.cpp"});
  EXPECT_EQ(exit.exit_code, 0) << exit.err.substr(0, 4000);
  EXPECT_EQ(exit.err.find("all.cpp:"), std::string::npos) << exit.err.substr(0, 4000);
}

/// Printing a double to a stream of PyTorch's ended the process on a host whose compiler brings a
/// part of the C++ library along: messages are put together from strings.
TEST(PlainOperators, MessagesAreStringsAndNoStreams) {
  const std::string text = binding_head() + plain_binding_head();
  const std::regex streamed(R"(TORCH_CHECK\([^;]*, *(name|")[^;]*;)");
  std::smatch found;
  EXPECT_FALSE(std::regex_search(text, found, streamed)) << found.str();
  const std::string old = "  TORCH_CHECK(n == count, name, \" must have \", count);";
  EXPECT_TRUE(std::regex_search(old, streamed));
}

}  // namespace
}  // namespace warpwright::exchange
