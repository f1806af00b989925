// SPDX-License-Identifier: Apache-2.0
// Kernels in the forms of others: texts that must say the same as the task.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/verdict.h"
#include "exchange/expression_text.h"
#include "exchange/kernelbench_results.h"
#include "exchange/operator_of.h"
#include "exchange/torch_package.h"
#include "exchange/trace_solution.h"
#include "suite/load.h"

namespace warpwright::exchange {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kToml = R"toml(
title = "Linear"
description = "D"
rule_set = "free"
argument = [
  { name = "x", type = "f32", role = "input", count = "rows*cols", values = "normal(0, 1)", torch = "input 0: float32[rows, cols]" },
  { name = "mask", type = "u8", role = "input", count = "cols", values = "ints(0, 1)", torch = "input 1: bool[cols]" },
  { name = "weight", type = "f32", role = "input", count = "cols", values = "normal(0, 1)", torch = "parameter linear.weight: float32[cols]" },
  { name = "out", type = "f32", role = "output", count = "rows*floor((cols + 1)/2)", torch = "output: float32[rows, floor((cols + 1)/2)]" },
  { name = "eps", type = "f32", role = "scalar", value = "0.5" },
  { name = "rows", type = "i32", role = "scalar" },
  { name = "cols", type = "i32", role = "scalar" },
]
size = [{ label = "given", rows = 64, cols = 128 }]
[torch]
shapes = "general"
[domain]
rows = "1..64"
cols = "2..128 multiple of 2"
eps = "fixed 0.5"
[check]
rule = "elementwise"
[cost]
bytes = "4*rows*cols"
flops = "rows*cols"
)toml";

constexpr const char* kModule =
    R"(# trace: {"definition": "linear_c128", "inputs": ["x", "mask"], "outputs": ["y"]}
import torch

class Model(torch.nn.Module):
    pass
)";

Task task_of(const std::string& toml = kToml) {
  suite::TaskFolder folder;
  folder.name = "linear";
  folder.where = "task.toml";
  folder.toml = toml;
  folder.torch = kModule;
  const auto task = suite::parse_task(folder);
  EXPECT_TRUE(task.ok()) << (task.ok() ? "" : task.error().message);
  return task.ok() ? *task : Task{};
}

constexpr const char* kKernel =
    "__global__ void k() {}\nextern \"C\" void solve(const float* x) { k<<<1, 1>>>(); }\n";

TEST(ExpressionText, IsWhatProgramsWrite) {
  const auto cpp = [](const char* text) { return *expression_text(text, Language::cpp); };
  const auto python = [](const char* text) { return *expression_text(text, Language::python); };
  EXPECT_EQ(cpp("floor((n + 1)/2)"), "std::floor(((n + 1.0) / 2.0))");
  EXPECT_EQ(python("floor((n + 1)/2)"), "((n + 1) // 2)");
  EXPECT_EQ(cpp("2^n % 3"), "ww_mod(std::pow(2.0, n), 3.0)");
  EXPECT_EQ(python("2^n % 3"), "((2 ** n) % 3)");
  EXPECT_EQ(cpp("-n^2 <= 1e-3"), "((-std::pow(n, 2.0)) <= 1e-3 ? 1.0 : 0.0)");
  EXPECT_EQ(python("max(1, and(n, m))"), "max(1, ww_and(n, m))");
  EXPECT_FALSE(expression_text("1 +", Language::cpp).ok());
}

TEST(Operators, SizesComeFromShapes) {
  const auto op = operator_of(task_of());
  ASSERT_TRUE(op.ok()) << op.error().message;
  ASSERT_EQ(op->numbers.size(), 2U);
  EXPECT_EQ(op->numbers[0].name, "cols");
  EXPECT_EQ(op->numbers[0].tensor, "x");
  EXPECT_EQ(op->numbers[0].dimension, 1U);
  EXPECT_EQ(op->tensors[1].type, "bool");
  EXPECT_EQ(op->call.back(), "int:cols");
  EXPECT_EQ(op->bounds.size(), 5U);
}

TEST(Operators, ATaskThatDoesNotSayItsShapesIsRefused) {
  std::string toml = kToml;
  toml.replace(toml.find(": bool[cols]"), 12, "");
  const auto op = operator_of(task_of(toml));
  ASSERT_FALSE(op.ok());
  EXPECT_THAT(op.error().message, HasSubstr("'mask'"));
  toml = kToml;
  toml.replace(toml.find("bool[cols]"), 10, "bool[rows]");
  EXPECT_THAT(operator_of(task_of(toml)).error().message, HasSubstr("its shape says 64"));
}

TEST(TorchPackage, HasOperatorShapesChecksAndTest) {
  const auto files = torch_package({task_of(), kKernel, "Judged `ok`."}, nullptr);
  ASSERT_TRUE(files.ok()) << files.error().message;
  const std::string& init = files->at("linear/__init__.py");
  EXPECT_THAT(init, HasSubstr("linear(Tensor x, Tensor mask, Tensor weight) -> Tensor"));
  EXPECT_THAT(init, HasSubstr("_part(module, \"linear.weight\")"));
  EXPECT_THAT(init, HasSubstr("_check(mask, \"mask\", torch.bool, (_whole(cols), ))"));
  EXPECT_THAT(init, HasSubstr("if not (cols % 2) == 0"));
  EXPECT_THAT(init, Not(HasSubstr("@")));
  const std::string& binding = files->at("linear/binding.cpp");
  EXPECT_THAT(binding, HasSubstr("TORCH_LIBRARY_IMPL(warpwright_linear, CUDA, m)"));
  EXPECT_THAT(binding, HasSubstr("static_cast<float>(0.5)"));
  EXPECT_THAT(files->at("linear/kernel.cu"), HasSubstr("#define solve linear_solve"));
  EXPECT_THAT(files->at("README.md"), HasSubstr("Judged `ok`."));
  EXPECT_TRUE(files->contains("test_linear.py"));
}

TEST(TorchPackage, GradientsArePairedBySlot) {
  std::string toml = kToml;
  const auto at = toml.find("  { name = \"out\"");
  toml.erase(at, toml.find('\n', at) - at);
  toml.insert(
      at,
      R"toml(  { name = "g", type = "f32", role = "input", count = "rows*floor((cols + 1)/2)", values = "normal(0, 1)", torch = "grad_output: float32[rows, floor((cols + 1)/2)]" },
  { name = "grad_x", type = "f32", role = "output", count = "rows*cols", torch = "grad_input 0: float32[rows, cols]" },)toml");
  toml.replace(toml.find("shapes = "), 0, "backward = true\n");
  Task backward = task_of(toml);
  backward.name = "linear_grad";
  const Winner grad{backward, kKernel, ""};
  const auto files = torch_package({task_of(), kKernel, ""}, &grad);
  ASSERT_TRUE(files.ok()) << files.error().message;
  const std::string& init = files->at("linear/__init__.py");
  EXPECT_THAT(init, HasSubstr("linear_backward(Tensor x, Tensor mask, Tensor weight, Tensor g)"));
  EXPECT_THAT(init, HasSubstr("\"autograd.cpp\""));
  const std::string& autograd = files->at("linear/autograd.cpp");
  EXPECT_THAT(autograd, HasSubstr("context->save_for_backward({t0, t1, t2});"));
  EXPECT_THAT(autograd,
              HasSubstr("backward_operator().call(saved[0], saved[1], saved[2], gradients[0])"));
  EXPECT_THAT(autograd, HasSubstr("return {made[0], at::Tensor(), at::Tensor()};"));
  EXPECT_THAT(autograd, HasSubstr("TORCH_LIBRARY_IMPL(warpwright_linear, Autograd, m)"));
  EXPECT_THAT(autograd, Not(HasSubstr("@")));
  EXPECT_TRUE(files->contains("linear/kernel_backward.cu"));
  EXPECT_FALSE(torch_package(grad, nullptr).ok());
}

TEST(KernelBenchFile, HasModelNewThatIsTheModule) {
  const auto text = kernelbench_file({task_of(), kKernel, ""});
  ASSERT_TRUE(text.ok()) << text.error().message;
  EXPECT_THAT(*text, HasSubstr("class ModelNew(Model):"));
  EXPECT_THAT(*text, HasSubstr("load_inline("));
  EXPECT_THAT(*text, HasSubstr("static_cast<const unsigned char*>(mask.data_ptr())"));
}

TEST(TraceFiles, ASolutionOfOursIsReadBack) {
  Evaluation evaluation;
  evaluation.verdict = Verdict::ok;
  evaluation.device = "a device";
  evaluation.measurements = {{.size = "given", .median_us = 10, .baseline_us = 20}};
  const auto files = trace_files({task_of(), kKernel, ""}, &evaluation);
  ASSERT_TRUE(files.ok()) << files.error().message;
  ASSERT_EQ(files->size(), 3U);
  for (const auto& [name, text] : *files) {
    if (name.starts_with("traces/")) continue;
    const auto json = nlohmann::json::parse(text, nullptr, false);
    ASSERT_TRUE(json.is_object()) << name;
    EXPECT_EQ(json["definition"], "linear_c128");
    EXPECT_FALSE(json["author"].get<std::string>().empty());
    if (name.ends_with("_torch.json")) {
      EXPECT_EQ(json["spec"]["languages"][0], "cuda_cpp");
    } else {
      EXPECT_EQ(json["spec"]["language"], "cuda");
      EXPECT_EQ(json["spec"]["binding"], "tvm-ffi");
    }
    const auto solution = read_solution(text);
    ASSERT_TRUE(solution.ok()) << solution.error().message;
    EXPECT_EQ(solution->entry, "run");
    const auto source = source_of(*solution, task_of());
    ASSERT_TRUE(source.ok()) << source.error().message;
    EXPECT_THAT(*source, Not(HasSubstr("#include <torch/")));
    EXPECT_THAT(*source, Not(HasSubstr("__wrap_")));
    EXPECT_LT(source->find("#define solve "),
              source->find("extern \"C\" void solve(const float* x)"));
    EXPECT_LT(source->find("#undef solve"), source->rfind("extern \"C\" void solve("));
  }
  const auto trace =
      nlohmann::json::parse(trace_lines(task_of(), evaluation, "s", false), nullptr, false);
  ASSERT_TRUE(trace.is_object());
  EXPECT_EQ(trace["evaluation"]["status"], "PASSED");
  EXPECT_EQ(trace["evaluation"]["performance"]["speedup_factor"], 2.0);
  EXPECT_EQ(trace["workload"]["axes"]["cols"], 128);
}

TEST(TraceFiles, ASolutionOfAnEarlierVersionIsReadBack) {
  const auto files = trace_files({task_of(), kKernel, ""}, nullptr);
  ASSERT_TRUE(files.ok()) << files.error().message;
  for (const auto& [name, text] : *files) {
    if (!name.ends_with("_torch.json")) continue;
    auto json = nlohmann::json::parse(text);
    std::string content = json["sources"][0]["content"];
    const auto rule = content.find("must be on");
    ASSERT_NE(rule, std::string::npos);
    const auto line = content.rfind('\n', rule);
    content.erase(line, content.find('\n', rule) - line);  // a check that came later
    content.replace(content.find("ATen/core/Tensor.h"), 18, "ATen/ATen.h");
    json["sources"][0]["content"] = content;
    const auto source = source_of(*read_solution(json.dump()), task_of());
    ASSERT_TRUE(source.ok()) << source.error().message;
    EXPECT_THAT(*source, Not(HasSubstr("__wrap_")));
    EXPECT_THAT(*source, HasSubstr("static cudaStream_t caller_stream"));
    EXPECT_THAT(*source, HasSubstr("k<<<1, 1>>>()"));
  }
}

/// What the data models of both benchmarks demand of a status.
TEST(TraceFiles, EveryVerdictHasAStatusThatLoads) {
  for (int i = 0; i < kVerdictCount; ++i) {
    for (const bool hacks : {false, true}) {
      Evaluation evaluation;
      evaluation.verdict = static_cast<Verdict>(i);
      evaluation.measurements = {{.size = task_of().sizes.front().label, .median_us = 1}};
      const auto trace =
          nlohmann::json::parse(trace_lines(task_of(), evaluation, "s", hacks), nullptr, false);
      const auto& result = trace["evaluation"];
      const std::string status = result["status"];
      EXPECT_EQ(result.contains("correctness"),
                status == "PASSED" || status == "INCORRECT_NUMERICAL");
      EXPECT_EQ(result.contains("performance"), status == "PASSED");
      EXPECT_FALSE(result["environment"]["hardware"].get<std::string>().empty());
      EXPECT_FALSE(result["timestamp"].get<std::string>().empty());
      EXPECT_EQ(status == "PASSED", evaluation.verdict == Verdict::ok);
    }
  }
  Evaluation untimed;
  untimed.verdict = Verdict::ok;
  EXPECT_EQ(trace_lines(task_of(), untimed, "s", true).find("PASSED"), std::string::npos)
      << "a workload without a time has not passed";
  EXPECT_EQ(trace_status(Verdict::cheat, true), "REWARD_HACK");
  EXPECT_EQ(trace_status(Verdict::forbidden, true), "REWARD_HACK");
}

TEST(SuiteResults, SharesAreOfAllProblems) {
  std::vector<SuiteRow> rows = {suite_row("level1_26_GELU_"), suite_row("level1_1_Square"),
                                suite_row("level1_3_None"), suite_row("t_7_x")};
  EXPECT_EQ(rows[0].level, "level1");
  EXPECT_EQ(rows[0].problem, "26");
  EXPECT_EQ(rows[3].level, "suite");
  EXPECT_EQ(rows[3].problem, "7");
  Evaluation evaluation;
  evaluation.verdict = Verdict::ok;
  evaluation.measurements = {{.size = "given", .median_us = 2000}};
  add_judgement(evaluation, rows[0]);
  evaluation.verdict = Verdict::mismatch;
  add_judgement(evaluation, rows[1]);
  const auto times = baseline_times(R"({"level1": {"26_GELU_.py": {"mean": 5.0, "std": 1}}})");
  ASSERT_TRUE(times.ok());
  rows[0].eager_ms = times->at("level1 26");
  rows.pop_back();
  const auto json = nlohmann::json::parse(suite_json(rows), nullptr, false);
  EXPECT_NEAR(json["levels"]["level1"]["correct"].get<double>(), 1. / 3, 1e-12);
  EXPECT_NEAR(json["levels"]["level1"]["eager"]["fast_2"].get<double>(), 1. / 3, 1e-12);
  EXPECT_NEAR(json["levels"]["level1"]["eager"]["speedup"].get<double>(), 2.5, 1e-9);
  const auto results = nlohmann::json::parse(eval_results(rows, "level1"), nullptr, false);
  EXPECT_EQ(results["26"][0]["correctness"], true);
  EXPECT_NEAR(results["26"][0]["runtime"].get<double>(), 2.0, 1e-9);
  EXPECT_EQ(results["1"][0]["runtime"], -1.0);
  EXPECT_FALSE(results.contains("3"));
  EXPECT_FALSE(baseline_times("{}").ok());
}

TEST(Solutions, WhatIsNoneIsRefused) {
  EXPECT_THAT(read_solution("[]").error().message, HasSubstr("JSON object"));
  EXPECT_THAT(read_solution(R"({"name": "a", "definition": "d", "spec": {"language": "triton"}})")
                  .error()
                  .message,
              HasSubstr("triton"));
  EXPECT_THAT(read_solution(R"({"name": "a", "definition": "d", "spec": {"language": "cuda",
      "entry_point": "k.cu::run"}, "sources": [{"path": "../k.cu", "content": "x"}]})")
                  .error()
                  .message,
              HasSubstr("../k.cu"));
}

TEST(Solutions, WhatTheCallerDoesNotWaitForIsLeftBehind) {
  const auto solution = read_solution(R"({"name": "a", "definition": "linear_c128",
    "spec": {"languages": ["cuda_cpp"], "entry_point": "main.cu::run"},
    "sources": [{"path": "main.cu", "content": "void run(at::Tensor x, at::Tensor m, at::Tensor y) {}"}]})");
  ASSERT_TRUE(solution.ok()) << solution.error().message;
  Task task = task_of();
  EXPECT_THAT(*source_of(*solution, task), Not(HasSubstr("ww_behind(stream")));
  task.stream = true;
  const auto source = source_of(*solution, task);
  ASSERT_TRUE(source.ok()) << source.error().message;
  const auto call = source->rfind("  run(");
  EXPECT_LT(source->rfind("ww_behind(stream, nullptr);"), call);
  EXPECT_GT(source->rfind("ww_behind(nullptr, stream);"), call);
  EXPECT_THAT(*source, HasSubstr("cudaStream_t stream) {"));
}

TEST(Solutions, HeadersAreJoinedAndReturnedTensorsAreTheOutputs) {
  const auto solution = read_solution(R"({"name": "a", "definition": "linear_c128",
    "spec": {"languages": ["cuda_cpp"], "entry_point": "main.cpp::go", "destination_passing_style": false},
    "sources": [{"path": "main.cpp", "content": "#include \"k.h\"\ntorch::Tensor go(torch::Tensor x, torch::Tensor m) { return made(x); }\n"},
                {"path": "k.h", "content": "#pragma once\ntorch::Tensor made(torch::Tensor);\n"},
                {"path": "k.cu", "content": "#include \"k.h\"\n#include <torch/extension.h>\n"}]})");
  ASSERT_TRUE(solution.ok()) << solution.error().message;
  const auto source = source_of(*solution, task_of());
  ASSERT_TRUE(source.ok()) << source.error().message;
  EXPECT_THAT(*source, HasSubstr("ww_return_all(go(at::Tensor(ww_x, {"));
  EXPECT_EQ(source->find("torch::Tensor made(torch::Tensor);"),
            source->rfind("torch::Tensor made(torch::Tensor);"));
}

}  // namespace
}  // namespace warpwright::exchange
