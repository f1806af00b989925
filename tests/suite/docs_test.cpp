// SPDX-License-Identifier: Apache-2.0
// docs/tasks.md cannot lie: its example loads, and its tables name all there is.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>

#include "base/files.h"
#include "core/distribution.h"
#include "suite/load.h"
#include "support/places.h"

namespace warpwright::suite {
namespace {

using ::testing::HasSubstr;

std::string page() {
  return read_file(std::filesystem::path(source_path()) / "docs" / "tasks.md").value();
}

TEST(TasksPage, ItsExampleLoads) {
  const auto text = page();
  const auto begin = text.find("```toml\n") + 8;
  const auto end = text.find("```", begin);
  const auto task = parse_task({.name = "example",
                                .where = "docs",
                                .toml = text.substr(begin, end - begin),
                                .baseline = "x"});
  ASSERT_TRUE(task.ok()) << task.error().message;
  EXPECT_EQ(task->variants.size(), 3u);
}

TEST(TasksPage, NamesEverything) {
  const auto text = page();
  for (const auto& row : distribution_stages())
    EXPECT_THAT(text, HasSubstr(fmt::format("`{}`", row.usage)));
  for (const auto& row : check_rules()) {
    EXPECT_THAT(text, HasSubstr(fmt::format("| `{}` |", row.name)));
    for (const auto& parameter : row.parameters)
      EXPECT_THAT(text, HasSubstr(fmt::format("`{}`", parameter.name)));
  }
  for (const auto& function : expression_functions())
    EXPECT_THAT(text, HasSubstr(fmt::format("`{}(a", function.name)));
  for (const auto& rule : known_task_rules())
    EXPECT_THAT(text, HasSubstr(fmt::format("`{}`", rule.name)));
  for (const auto& name : embedded_task_names()) EXPECT_THAT(text, HasSubstr(name));
}

}  // namespace
}  // namespace warpwright::suite
