// SPDX-License-Identifier: Apache-2.0
#include "core/task.h"

#include <gmock/gmock.h>

#include "core/distribution.h"
#include "core/task_json.h"

namespace warpwright {
namespace {

using ::testing::HasSubstr;

Task small_task() {
  Task task;
  task.name = "double_it";
  task.title = "Double";
  task.description = "y = 2x";
  task.arguments = {
      {"x", ElementType::f32, ArgumentRole::input, "n", "normal(0, 1)"},
      {"y", ElementType::f32, ArgumentRole::output, "n", ""},
      {"n", ElementType::i32, ArgumentRole::scalar, "n", ""},
  };
  task.sizes = {{"big", {{"n", 1024}}}};
  task.edge_sizes = {{"one", {{"n", 1}}}};
  task.domain = {{"n", "1..2^28"}};
  task.variants = {{.name = "zeros", .inputs = {{"x", "const(0)"}}}};
  task.check = {"elementwise", {{"rtol", "1e-6"}}};
  task.bytes_expression = "8*n";
  task.flops_expression = "n";
  task.baseline_source = "extern \"C\" void solve(const float*, float*, int) {}";
  return task;
}

std::string problem_of(const Task& task) {
  const auto problem = find_problem(task);
  return problem ? problem->where + " | " + problem->what : "none";
}

TEST(Task, HasTheSignatureOfItsArguments) {
  EXPECT_EQ(signature_of(small_task()), "extern \"C\" void solve(const float* x, float* y, int n)");
}

TEST(Task, CountsBytesAndFlops) {
  const auto task = small_task();
  EXPECT_EQ(least_bytes(task, task.sizes[0]).value(), 8192);
  EXPECT_EQ(flops(task, task.sizes[0]).value(), 1024);
  EXPECT_EQ(footprint_bytes(task, task.sizes[0]).value(), 8192u);
}

TEST(Task, CostsThatAreToBeCountedAreNoNumbersYet) {
  auto task = small_task();
  task.bytes_expression = task.flops_expression = "auto";
  EXPECT_EQ(problem_of(task), "none");
  EXPECT_TRUE(has_counted_costs(task));
  const auto unknown = flops(task, task.sizes[0]);
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().message.find("cost.flops is \"auto\""), std::string::npos);
  EXPECT_FALSE(least_bytes(task, task.sizes[0]).ok());
  EXPECT_FALSE(work(task, task.sizes[0]).ok());
}

TEST(Task, DerivedValuesAreVisibleToExpressions) {
  auto task = small_task();
  task.derived["half"] = "floor(n/2) + 1";
  task.arguments[1].expression = "half";
  EXPECT_EQ(problem_of(task), "none");
  EXPECT_EQ(values_at(task, task.sizes[0]).value().at("half"), 513);
}

TEST(Task, VariantsReplaceValuesAndAdjustTheCheck) {
  auto task = small_task();
  task.variants[0].values["n"] = 7;
  task.variants[0].check.parameters["rtol"] = "1e-3";
  EXPECT_EQ(values_at(task, task.sizes[0], &task.variants[0]).value().at("n"), 7);
  EXPECT_EQ(check_for(task, &task.variants[0]).parameters.at("rtol"), "1e-3");
  EXPECT_EQ(check_for(task, nullptr).parameters.at("rtol"), "1e-6");
  task.variants[0].check = {"exact", {}};
  EXPECT_EQ(check_for(task, &task.variants[0]).rule, "exact");
  EXPECT_TRUE(check_for(task, &task.variants[0]).parameters.empty());
}

TEST(Task, ProblemsHaveAPlaceAndARemedy) {
  EXPECT_EQ(problem_of(small_task()), "none");
  auto task = small_task();
  task.arguments[0].distribution = "norml(0, 1)";
  EXPECT_THAT(
      problem_of(task),
      HasSubstr("argument[0].values | unknown distribution 'norml'; did you mean 'normal'?"));
  task = small_task();
  task.arguments[1].expression = "m";
  EXPECT_THAT(
      problem_of(task),
      HasSubstr(
          "argument[1].count | at size 'big': expression 'm': unknown name 'm'; known here: n"));
  task = small_task();
  task.check.rule = "elementwize";
  EXPECT_THAT(problem_of(task), HasSubstr("did you mean 'elementwise'"));
  task = small_task();
  task.check.parameters["rtoll"] = "1";
  EXPECT_THAT(problem_of(task), HasSubstr("did you mean 'rtol'"));
  task = small_task();
  task.check = {"ols", {}};
  EXPECT_THAT(problem_of(task), HasSubstr("needs 'design'"));
  task = small_task();
  task.variants[0].inputs["z"] = "const(0)";
  EXPECT_THAT(problem_of(task), HasSubstr("variant[0].inputs.z | 'z' is no input"));
  task = small_task();
  task.variants[0].when = "n > 1e9";
  EXPECT_THAT(problem_of(task), HasSubstr("applies to no size"));
  task = small_task();
  task.arguments[0].name = "float";
  EXPECT_THAT(problem_of(task), HasSubstr("cannot be a parameter's name"));
  task = small_task();
  task.sizes[0].values["n"] = 0;
  EXPECT_THAT(problem_of(task), HasSubstr("would have 0 elements"));
  task = small_task();
  task.rule_set = "fast";
  EXPECT_THAT(problem_of(task), HasSubstr("known: strict"));
  task = small_task();
  task.baseline_source.clear();
  EXPECT_THAT(problem_of(task), HasSubstr("baseline.cu"));
}

TEST(Task, JsonRoundTrip) {
  auto task = small_task();
  task.derived["half"] = "n/2";
  task.scale_sizes = {{"huge", {{"n", 1 << 28}}}};
  task.rules = {"no_copy_call"};
  task.rule_set = "free";
  task.variants[0].values["n"] = 3;
  task.variants[0].check = {"", {{"rtol", "1e-2*n"}}};
  const auto back = task_from_json(task_to_json(task));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(*back, task);
}

TEST(Task, JsonIsTotal) {
  for (const char* text : {"", "null", "[]", "{}", "{\"name\": 1}", "{\"argument\": {}}",
                           "{\"argument\": [1]}", "{\"check\": 3}", "{\"size\": [[]]}",
                           "{\"variant\": [{\"name\": \"a\", \"inputs\": 1}]}"}) {
    EXPECT_FALSE(task_from_json(text).ok()) << text;
  }
  std::string text = task_to_json(small_task());
  EXPECT_TRUE(task_from_json(text).ok());
  for (std::size_t i = 0; i < text.size(); i += 7) {
    std::string damaged = text;
    damaged[i] = '9';
    static_cast<void>(task_from_json(damaged));
    static_cast<void>(task_from_json(std::string_view(text).substr(0, i)));
  }
}

TEST(Task, DescriptionForModelHasTheContract) {
  auto task = small_task();
  task.rules = {"no_copy_call"};
  const auto text = description_for_model(task);
  EXPECT_THAT(text, HasSubstr("y = 2x"));
  EXPECT_THAT(text, HasSubstr("arbitrary bits on entry"));
  EXPECT_THAT(text, HasSubstr("Exactly one `__global__`"));
  EXPECT_THAT(text, HasSubstr("cudaMemcpy"));
}

TEST(Distribution, TableIsInTheOrderOfItsEnum) {
  int i = 0;
  for (const auto& row : distribution_stages())
    EXPECT_EQ(static_cast<int>(row.op), i++) << row.name;
}

TEST(Distribution, ParsesStagesAndRefusesNonsense) {
  const auto good = Distribution::parse("uniform(0, max(1, n)) | drift(0.5, 1.5)| sign()");
  ASSERT_TRUE(good.ok()) << good.error().message;
  ASSERT_EQ(good->stages.size(), 3u);
  EXPECT_EQ(good->stages[0].numbers[1].text(), "max(1, n)");
  const auto message = [](std::string_view text) {
    const auto result = Distribution::parse(text);
    return result.ok() ? "none" : result.error().message;
  };
  EXPECT_THAT(message("uniform(0)"), HasSubstr("usage uniform(low, high)"));
  EXPECT_THAT(message("drift(0, 1)"), HasSubstr("begin with one that makes them"));
  EXPECT_THAT(message("index() | index()"), HasSubstr("can only come first"));
  EXPECT_THAT(message("uniform"), HasSubstr("expected NAME(numbers)"));
  EXPECT_THAT(message(""), HasSubstr("expected NAME"));
  EXPECT_THAT(message("like(1)"), HasSubstr("usage like"));
  EXPECT_THAT(message("bits() | sign()"), HasSubstr("no modifiers"));
  EXPECT_THAT(message("gaussian(0,1)"), HasSubstr("known: uniform, normal"));
}

}  // namespace
}  // namespace warpwright
