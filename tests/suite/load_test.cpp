// SPDX-License-Identifier: Apache-2.0
#include "suite/load.h"

#include <gmock/gmock.h>

#include "base/files.h"
#include "core/task_json.h"
#include "suite/scaffold.h"

namespace warpwright::suite {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kGood = R"toml(title = "Double"
description = "y = 2x"
argument = [
  { name = "x", type = "f32", role = "input", count = "n", values = "normal(0, 1)" },
  { name = "y", type = "f32", role = "output", count = "n" },
  { name = "n", type = "i32", role = "scalar" },
]
size = [{ label = "big", n = 1024 }]
edge = [{ n = 1 }]
[check]
rule = "elementwise"
rtol = 1e-6
[cost]
bytes = "8*n"
flops = "n"
[domain]
n = "1..2^20"
)toml";

std::string replaced(std::string_view from, std::string_view to) {
  std::string text(kGood);
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string failure(const std::string& toml) {
  const auto task = parse_task(
      {.name = "double_it", .where = "double_it/task.toml", .toml = toml, .baseline = "x"});
  return task.ok() ? "none" : task.error().message;
}

TEST(LoadTask, ReadsAGoodOne) {
  const auto task = parse_task(
      {.name = "double_it", .where = "t", .toml = std::string(kGood), .baseline = "code"});
  ASSERT_TRUE(task.ok()) << task.error().message;
  EXPECT_EQ(task->name, "double_it");
  EXPECT_EQ(task->arguments.size(), 3u);
  EXPECT_EQ(task->arguments[2].expression, "n");
  EXPECT_EQ(task->edge_sizes[0].label, "n=1");
  EXPECT_EQ(task->baseline_source, "code");
  EXPECT_EQ(task->check.parameters.at("rtol"), "1e-06");
}

TEST(LoadTask, ErrorsNameFileLineAndRemedy) {
  EXPECT_THAT(failure(replaced("title =", "titel =")),
              StartsWith("double_it/task.toml:1: unknown key 'titel'; did you mean 'title'?"));
  EXPECT_THAT(
      failure(replaced("normal(0, 1)", "normal(0)")),
      StartsWith("double_it/task.toml:4: distribution 'normal(0)': usage normal(mean, sd)"));
  EXPECT_THAT(failure(replaced("role = \"output\"", "role = \"out\"")),
              StartsWith("double_it/task.toml:5: unknown role 'out'; known: input"));
  EXPECT_THAT(failure(replaced("type = \"i32\"", "typ = \"i32\"")),
              StartsWith("double_it/task.toml:6: 'type' is missing"));
  EXPECT_THAT(failure(replaced("n = 1024", "m = 1024")),
              HasSubstr("unknown name 'n'; known here: m"));
  EXPECT_THAT(failure(replaced("rtol = 1e-6", "rtol = \"1e-6 +\"")),
              StartsWith("double_it/task.toml:12: expression"));
  EXPECT_THAT(failure(replaced("bytes = \"8*n\"", "bytes = \"8*k\"")),
              StartsWith("double_it/task.toml:14: at size 'big'"));
  EXPECT_THAT(failure(replaced("[cost]", "[costs]")), StartsWith("double_it/task.toml"));
  EXPECT_THAT(failure(replaced("argument = [", "argument = ")), StartsWith("double_it/task.toml:"));
  EXPECT_THAT(failure(replaced("[check]", "[check")), StartsWith("double_it/task.toml:10:"));
  EXPECT_THAT(failure(replaced("n = 1024", "n = inf")),
              StartsWith("double_it/task.toml:8: must be a number"));
  EXPECT_THAT(failure(""), HasSubstr("[check] is missing"));
}

TEST(LoadTask, OutputsMayHaveRulesOfTheirOwn) {
  const std::string own =
      replaced("role = \"output\", count = \"n\"",
               "role = \"output\", count = \"n\", check = { rule = \"exact\" }");
  const auto task =
      parse_task({.name = "double_it", .where = "t", .toml = own, .baseline = "code"});
  ASSERT_TRUE(task.ok()) << task.error().message;
  EXPECT_EQ(check_for(*task, nullptr, task->arguments[1]).rule, "exact");
  EXPECT_EQ(check_for(*task, nullptr, task->arguments[0]).rule, "elementwise");
  EXPECT_EQ(task_from_json(task_to_json(*task)).value(), *task);
  EXPECT_THAT(
      failure(replaced("count = \"n\" }", "count = \"n\", check = { rule = \"exct\" } }")),
      StartsWith("double_it/task.toml:5: unknown check rule 'exct'; did you mean 'exact'?"));
  EXPECT_THAT(failure(replaced("count = \"n\" }", "count = \"n\", check = { rtol = 1 } }")),
              StartsWith("double_it/task.toml:5: unknown check rule ''"));
  EXPECT_THAT(
      failure(replaced("role = \"scalar\" }", "role = \"scalar\", check = { rule = \"exact\" } }")),
      StartsWith("double_it/task.toml:6: 'n' is no output"));
}

TEST(LoadTask, DomainsAreInsistedOn) {
  const std::string none = replaced("[domain]\nn = \"1..2^20\"\n", "");
  EXPECT_THAT(failure(none), HasSubstr("'n' has no domain"));
  EXPECT_THAT(failure("drawn = [\"n\"]\n" + none),
              StartsWith("double_it/task.toml:1: 'drawn' has given way to domains"));
  EXPECT_THAT(failure(none), HasSubstr("[domain]\nn = \"1..1024\"\n"));
  EXPECT_THAT(failure(replaced("n = \"1..2^20\"", "n = \"1..\"")),
              StartsWith("double_it/task.toml:17: domain '1..'"));
  EXPECT_THAT(failure(replaced("n = \"1..2^20\"", "n = \"2..2^20\"")),
              StartsWith("double_it/task.toml:9: size 'n=1': n = 1 lies outside its domain"));
  EXPECT_THAT(failure(replaced("n = \"1..2^20\"", "n = \"0..2^20\"")),
              HasSubstr("at the least of each domain: 'x' would have 0 elements"));
  EXPECT_THAT(failure(replaced("n = \"1..2^20\"", "n = \"1..2^20 real\"")),
              HasSubstr("'n' is an integer"));
  EXPECT_THAT(failure(replaced("n = \"1..2^20\"", "n = \"1..2^20\"\nm = \"1..2\"")),
              HasSubstr("'m' is neither a value of the sizes nor a scalar"));
  EXPECT_THAT(failure(replaced("normal(0, 1)\"", "normal(0, 1)\", range = \"0..m real\"")),
              StartsWith("double_it/task.toml:4: at size 'big'"));
  // A scalar that no size decides needs one, too.
  EXPECT_THAT(failure(replaced("[check]", "[check]\n")), "none");
  EXPECT_THAT(failure(replaced("  { name = \"n\", type = \"i32\", role = \"scalar\" },",
                               "  { name = \"n\", type = \"i32\", role = \"scalar\" },\n"
                               "  { name = \"eps\", type = \"f32\", role = \"scalar\", value = "
                               "\"1e-5\" },")),
              HasSubstr("eps = \"fixed 1e-05\""));
}

TEST(LoadTask, TheModelIsToldTheRanges) {
  const auto task = parse_task(
      {.name = "double_it", .where = "t", .toml = std::string(kGood), .baseline = "code"});
  EXPECT_THAT(description_for_model(*task), HasSubstr("* n: any whole number from 1 to 2^20.\n"));
}

TEST(LoadTask, StoredTasksWithoutDomainsAreRead) {
  auto task = parse_task(
      {.name = "double_it", .where = "t", .toml = std::string(kGood), .baseline = "code"});
  task->domain.clear();
  const std::string text = task_to_json(*task);
  EXPECT_EQ(task_from_json(text).value(), *task);
  std::string former = text;
  former.insert(former.find("\"variant\""), "\"drawn\": [\"n\"],\n ");
  EXPECT_EQ(task_from_json(former).value(), *task);
}

TEST(LoadTask, FoldersOnDisk) {
  auto directory = TemporaryDirectory::create("ww-suite");
  ASSERT_TRUE(directory.ok());
  const auto folder = directory->path() / "mine";
  EXPECT_THAT(load_task_folder(folder).error().message, HasSubstr("no such folder"));
  ASSERT_TRUE(make_directories(folder).ok());
  EXPECT_THAT(load_task_folder(folder).error().message, HasSubstr("task.toml"));
  ASSERT_TRUE(write_file(folder / "task.toml", kGood).ok());
  EXPECT_THAT(load_task_folder(folder).error().message, HasSubstr("baseline.cu is missing"));
  ASSERT_TRUE(write_file(folder / "baseline.cu", "code").ok());
  const auto task = load_task((folder / "").string());
  ASSERT_TRUE(task.ok()) << task.error().message;
  EXPECT_EQ(task->name, "mine");
}

TEST(LoadTask, ScaffoldLoadsAndIsNeverOverwritten) {
  auto directory = TemporaryDirectory::create("ww-suite");
  ASSERT_TRUE(directory.ok());
  const auto folder = write_new_task("my_axpy", directory->path());
  ASSERT_TRUE(folder.ok()) << folder.error().message;
  const auto task = load_task_folder(*folder);
  ASSERT_TRUE(task.ok()) << task.error().message;
  EXPECT_EQ(task->title, "my_axpy");
  EXPECT_THAT(task->baseline_source, HasSubstr(signature_of(*task)));
  EXPECT_THAT(write_new_task("my_axpy", directory->path()).error().message,
              HasSubstr("already there"));
  EXPECT_FALSE(write_new_task("../up", directory->path()).ok());
}

TEST(EmbeddedTasks, LoadAndSurviveJson) {
  const auto names = embedded_task_names();
  EXPECT_EQ(embedded_task_names("").size(), 20u);
  EXPECT_GE(embedded_task_names("extension").size(), 6u);
  EXPECT_EQ(embedded_task_names("").size() + embedded_task_names("extension").size(), names.size());
  for (const auto& name : names) {
    const auto task = load_task(name);
    ASSERT_TRUE(task.ok()) << task.error().message;
    EXPECT_EQ(task->name, name);
    EXPECT_THAT(task->baseline_source, HasSubstr(signature_of(*task)));
    EXPECT_THAT(task->slow_source, HasSubstr(signature_of(*task)));
    EXPECT_THAT(task->reference_source, HasSubstr("extern \"C\" void reference("));
    EXPECT_GE(task->edge_sizes.size(), 5u);
    EXPECT_EQ(task->sizes.size(), 5u) << name;
    const auto back = task_from_json(task_to_json(*task));
    ASSERT_TRUE(back.ok()) << name << ": " << back.error().message;
    EXPECT_EQ(*back, *task) << name;
  }
}

TEST(EmbeddedTasks, SuggestTheNearestName) {
  EXPECT_THAT(load_task("transpoze").error().message, HasSubstr("did you mean 'transpose'?"));
}

}  // namespace
}  // namespace warpwright::suite
