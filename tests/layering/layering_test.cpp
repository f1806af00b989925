// SPDX-License-Identifier: Apache-2.0
#include "layering/layering.h"

#include <array>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "support/places.h"

namespace warpwright::layering {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::filesystem::path kRoot = source_path();

std::vector<SourceFile> sources_under(const std::filesystem::path& root) {
  constexpr std::array<std::string_view, 5> kExtensions = {".h", ".cpp", ".def", ".cu", ".cuh"};
  std::vector<SourceFile> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (std::find(kExtensions.begin(), kExtensions.end(), entry.path().extension()) ==
        kExtensions.end())
      continue;
    const auto relative = entry.path().lexically_relative(root);
    // Deeper folders hold texts that travel inside the program and are compiled beside candidates
    // (src/build/headers, src/build/recorder): no part of it, so the table says nothing of them.
    if (std::distance(relative.begin(), relative.end()) > 2) continue;
    // A file right under src/ counts as a folder of its own, which the table does not know.
    files.push_back(
        {relative.begin()->string(), "src/" + relative.string(), read_file(entry.path()).value()});
  }
  return files;
}

TEST(Layering, sources_keep_to_the_table_of_the_architecture) {
  const auto document = read_file(kRoot / "ARCHITECTURE.md");
  ASSERT_TRUE(document.ok()) << document.error().message;
  const auto table = parse_table(*document);
  ASSERT_TRUE(table.ok()) << "ARCHITECTURE.md: " << table.error().message;
  EXPECT_EQ(find_cycle(*table), "");
  const auto files = sources_under(kRoot / "src");
  EXPECT_GT(files.size(), 10U);
  for (const auto& line : violations(*table, files)) ADD_FAILURE() << line;
}

constexpr std::string_view kDocument =
    "# Title\n\n| other | table |\n|---|---|\n| `x` | y |\n\n"
    "| folder | is | may include |\n|---|:---:|---|\n"
    "| `base` | ground | - |\n"
    "| `core` | nouns | base |\n"
    "| `llm` | text in, text out | base |\n"
    "| `search` | the loop | `base`, `core` llm |\n"
    "| `cli` | wiring | all |\n\nText | with a bar.\n";

TEST(Layering, reads_the_table) {
  const auto table = parse_table(kDocument);
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_THAT(table->at("base"), IsEmpty());
  EXPECT_THAT(table->at("search"), ElementsAre("base", "core", "llm"));
  EXPECT_THAT(table->at("cli"), ElementsAre("base", "cli", "core", "llm", "search"));
  EXPECT_EQ(table->size(), 5U);
  EXPECT_EQ(find_cycle(*table), "");
}

TEST(Layering, wrong_edges_are_found) {
  const auto table = parse_table(kDocument).value();
  const std::vector<SourceFile> files = {
      {"core", "src/core/a.h",
       "#include <map>\n#include \"base/result.h\"\n#include \"core/b.h\"\n"},
      {"llm", "src/llm/a.cpp", "\n  #  include \"core/task.h\"  // why\n"},
      {"base", "src/base/a.cpp", "// #include \"core/task.h\"\n#include \"core/task.h\"\n"},
      {"cli", "src/cli/main.cpp", "#include \"search/engine.h\"\n#include \"gone/x.h\"\n"},
      {"utils", "src/utils/a.h", ""},
      {"utils", "src/utils/b.h", ""}};
  EXPECT_THAT(violations(table, files),
              ElementsAre("src/llm/a.cpp:2: llm may not include core",
                          "src/base/a.cpp:2: base may not include core",
                          "src/cli/main.cpp:2: cli may not include gone",
                          "src/utils: the table has no row for this folder"));
}

TEST(Layering, cycles_are_found) {
  const Table table = {{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}, {"d", {"d"}}};
  EXPECT_EQ(find_cycle(table), "b -> c -> b");
  EXPECT_EQ(find_cycle({{"a", {"b"}}, {"b", {}}, {"c", {"a", "b"}}}), "");
}

TEST(Layering, a_wrong_table_is_an_error) {
  EXPECT_FALSE(parse_table("no table").ok());
  const std::string head = "| folder | is | may include |\n|---|---|---|\n";
  EXPECT_THAT(parse_table(head + "| a | x | b |\n").error().message,
              HasSubstr("no row of its own"));
  EXPECT_THAT(parse_table(head + "| a | x | - |\n| a | y | - |\n").error().message,
              HasSubstr("twice"));
  EXPECT_THAT(parse_table(head + "| a | x |\n").error().message, HasSubstr("too few"));
}

}  // namespace
}  // namespace warpwright::layering
