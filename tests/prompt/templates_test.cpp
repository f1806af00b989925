// SPDX-License-Identifier: Apache-2.0
#include "prompt/templates.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "support/places.h"

namespace warpwright::prompt {
namespace {

using testing::HasSubstr;

constexpr std::array<std::string_view, 2> kAllowed = {"name", "more"};

std::string rendered(std::string_view text, const TemplateValues& values) {
  const auto parsed = Template::parse(text, "f.txt", kAllowed);
  return parsed.ok() ? parsed->render(values) : "error: " + parsed.error().message;
}

TEST(Template, replaces_placeholders_once) {
  EXPECT_EQ(rendered("a {{name}} b {{ more }}.", {{"name", "{{more}}"}, {"more", "2"}}),
            "a {{more}} b 2.");
  EXPECT_EQ(rendered("[{{name}}]", {}), "[]");
}

TEST(Template, sections_disappear_with_their_lines) {
  const auto* text = "one\n{{#name}}\n  two {{name}}\n{{/name}}\nthree\n";
  EXPECT_EQ(rendered(text, {{"name", "x"}}), "one\n  two x\nthree\n");
  EXPECT_EQ(rendered(text, {}), "one\nthree\n");
  EXPECT_EQ(rendered("a{{#name}} and {{name}}{{/name}}.\n", {}), "a.\n");
  EXPECT_EQ(rendered("a\n  {{#name}}  \nb\n\t{{/name}}", {{"name", "x"}}), "a\nb\n");
}

TEST(Template, sections_nest) {
  const auto* text = "{{#name}}n{{#more}}m{{/more}}{{/name}}!";
  EXPECT_EQ(rendered(text, {{"name", "1"}, {"more", "1"}}), "nm!");
  EXPECT_EQ(rendered(text, {{"name", "1"}}), "n!");
  EXPECT_EQ(rendered(text, {{"more", "1"}}), "!");
}

TEST(Template, remarks_are_dropped) {
  EXPECT_EQ(rendered("{{! anything, {{}}\na{{! b }}c\n", {}), "ac\n");
}

TEST(Template, code_braces_stay) {
  EXPECT_EQ(rendered("int a[2][2] = {{1, 2}, {3, 4}};\nf({{}});{{", {}),
            "int a[2][2] = {{1, 2}, {3, 4}};\nf({{}});{{");
}

TEST(Template, mistakes_name_file_and_line) {
  EXPECT_THAT(rendered("a\n{{nmae}}", {}),
              HasSubstr("f.txt:2: unknown placeholder \"nmae\"; known are: name, more"));
  EXPECT_THAT(rendered("a\n\n{{#name}}\nb", {}),
              HasSubstr("f.txt:3: section {{#name}} is not closed"));
  EXPECT_THAT(rendered("{{/name}}", {}), HasSubstr("f.txt:1: {{/name}} closes a section"));
  EXPECT_THAT(rendered("{{#name}}{{#more}}{{/name}}{{/more}}", {}), HasSubstr("f.txt:1:"));
  EXPECT_THAT(rendered("\n{{name", {}), HasSubstr("f.txt:2: a mark is opened"));
}

TEST(TemplateSet, holds_every_file) {
  const auto set = TemplateSet::embedded();
  ASSERT_TRUE(set.ok()) << set.error().message;
  for (const auto file : prompt_files()) {
    EXPECT_FALSE(set->get(file).render({}).empty()) << file;
  }
  EXPECT_TRUE(std::is_sorted(placeholder_names().begin(), placeholder_names().end()));
}

TEST(TemplateSet, the_document_lists_every_placeholder_and_file) {
  const auto text = read_file(std::filesystem::path(source_path()) / "docs/prompts.md");
  ASSERT_TRUE(text.ok()) << text.error().message;
  for (const auto name : placeholder_names()) {
    const bool flag = name.starts_with("verdict_");
    EXPECT_THAT(*text, HasSubstr("`" + std::string(flag ? name.substr(8) : name) + "`"));
  }
  for (const auto file : prompt_files())
    EXPECT_THAT(*text, HasSubstr("`" + std::string(file) + "`"));
}

TEST(TemplateSet, a_directory_replaces_single_files) {
  const auto folder = TemporaryDirectory::create("prompts");
  ASSERT_TRUE(folder.ok());
  ASSERT_TRUE(write_file(folder->path() / "initial.txt", "Mine: {{title}}\r\n").ok());
  const auto set = TemplateSet::from_directory(folder->path());
  ASSERT_TRUE(set.ok()) << set.error().message;
  EXPECT_EQ(set->get("initial.txt").render({{"title", "T"}}), "Mine: T\n");
  EXPECT_EQ(set->get("optimise.txt").render({}),
            TemplateSet::embedded()->get("optimise.txt").render({}));
}

TEST(TemplateSet, a_wrong_file_or_folder_is_named) {
  const auto folder = TemporaryDirectory::create("prompts");
  ASSERT_TRUE(folder.ok());
  ASSERT_TRUE(write_file(folder->path() / "optimise.txt", "one\n{{seed}}\n").ok());
  const auto set = TemplateSet::from_directory(folder->path());
  ASSERT_FALSE(set.ok());
  EXPECT_THAT(set.error().message, HasSubstr("optimise.txt:2: unknown placeholder \"seed\""));
  EXPECT_THAT(TemplateSet::from_directory(folder->path() / "none").error().message,
              HasSubstr("not a directory"));
}

}  // namespace
}  // namespace warpwright::prompt
