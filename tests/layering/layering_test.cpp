// SPDX-License-Identifier: Apache-2.0
#include "layering/layering.h"

#include <unistd.h>

#include <algorithm>
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
    // A file right under src/ counts as a folder of its own, which the table does not know.
    const std::string folder = relative.has_parent_path() ? relative.parent_path().generic_string()
                                                          : relative.generic_string();
    files.push_back({folder, "src/" + relative.generic_string(), read_file(entry.path()).value()});
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

TEST(Layering, rooms_are_folders_of_their_own) {
  const auto table =
      parse_table(
          "| folder | is | may include |\n|---|---|---|\n| `base` | x | - |\n"
          "| `simt/state` | x | base |\n| `simt/ops` | x | simt/state |\n"
          "| `simt` | x | base simt/state simt/ops |\n| `device` | x | base simt |\n")
          .value();
  const std::vector<SourceFile> files = {
      {"simt/ops", "src/simt/ops/a.cpp",
       "#include \"simt/ops/b.h\"\n#include \"simt/state/warp.h\"\n"},
      // Upwards, sideways, past the row of the parent, and past the front door.
      {"simt/state", "src/simt/state/a.h", "#include \"simt/ops/b.h\"\n"},
      {"simt/ops", "src/simt/ops/b.cpp", "#include \"simt/machine.h\"\n"},
      {"simt/ops", "src/simt/ops/c.cpp", "#include \"base/result.h\"\n"},
      {"device", "src/device/a.cpp", "#include \"simt/machine.h\"\n#include \"simt/ops/b.h\"\n"},
      {"simt/new", "src/simt/new/a.h", ""},
      {"simt/ops/deep", "src/simt/ops/deep/a.h", ""}};
  EXPECT_THAT(violations(table, files),
              ElementsAre("src/simt/state/a.h:1: simt/state may not include simt/ops",
                          "src/simt/ops/b.cpp:1: simt/ops may not include simt",
                          "src/simt/ops/c.cpp:1: simt/ops may not include base",
                          "src/device/a.cpp:2: device may not include simt/ops",
                          "src/simt/new: the table has no row for this folder",
                          "src/simt/ops/deep: the table has no row for this folder"));
}

/// The same with files: a copy of two real folders, one of them with an include planted in it.
TEST(Layering, a_planted_include_is_found_in_files) {
  const auto table = parse_table(read_file(kRoot / "ARCHITECTURE.md").value()).value();
  const auto root =
      std::filesystem::temp_directory_path() / ("layering_" + std::to_string(::getpid()));
  std::filesystem::create_directories(root / "simt");
  std::filesystem::copy(kRoot / "src/simt/isa", root / "simt/isa");
  std::filesystem::copy(kRoot / "src/simt/state", root / "simt/state");
  EXPECT_THAT(violations(table, sources_under(root)), IsEmpty());
  const auto victim = root / "simt/state/memory.h";
  const std::string text = read_file(victim).value();
  ASSERT_TRUE(write_file(victim, "#include \"simt/native/native.h\"\n" + text).ok());
  EXPECT_THAT(violations(table, sources_under(root)),
              ElementsAre("src/simt/state/memory.h:1: simt/state may not include simt/native"));
  std::filesystem::remove_all(root);
}

TEST(Layering, texts_belong_to_the_folder_around_them) {
  const auto table = parse_table(
                         "| folder | is | may include |\n|---|---|---|\n| `base` | x | - |\n| "
                         "`build` | x | base |\n"
                         "| `build/recorder` | x | texts |\n| `device` | x | base build |\n")
                         .value();
  const std::vector<SourceFile> files = {
      {"build/recorder", "src/build/recorder/a.cpp", "#include \"cuda/anything.h\"\n"},
      {"build", "src/build/a.cpp", "#include \"build/recorder/wire.h\"\n"},
      {"device", "src/device/a.cpp", "#include \"build/recorder/wire.h\"\n"}};
  EXPECT_EQ(find_cycle(table), "");
  EXPECT_THAT(violations(table, files),
              ElementsAre("src/device/a.cpp:1: device may not include build/recorder"));
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
