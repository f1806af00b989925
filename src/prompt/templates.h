// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace warpwright::prompt {

/// Placeholder name -> text. An absent name is an empty text.
using TemplateValues = std::map<std::string, std::string, std::less<>>;

/// One prompt file, checked. `{{name}}` is replaced by a value; `{{#name}}` ... `{{/name}}` stays
/// only when the value is not empty; `{{! remark }}` is dropped. A section mark or a remark alone
/// on its line takes the line with it. TemplateValues are never read as templates.
class Template {
 public:
  /// Checks text against the placeholders it may name; errors carry `file` and the line.
  static Result<Template> parse(std::string_view text, const std::string& file,
                                std::span<const std::string_view> allowed_names);

  [[nodiscard]] std::string render(const TemplateValues& values) const;

 private:
  enum class Kind { text, value, open, close };
  struct Part {
    Kind kind = Kind::text;
    std::string text;       ///< the literal text, or the placeholder's name
    std::size_t after = 0;  ///< open: index of the part behind the matching close
  };
  friend class TemplateParser;

  std::vector<Part> parts_;
};

/// The prompt files, by name: those of the program, or a user's own.
class TemplateSet {
 public:
  /// The files that travel inside the program.
  static Result<TemplateSet> embedded();

  /// Files of a directory; a file that is not there is taken from the program.
  static Result<TemplateSet> from_directory(const std::filesystem::path& directory);

  /// "initial.txt" and so on; asking for a file that is not in prompt_files() is our bug.
  [[nodiscard]] const Template& get(std::string_view file) const;

 private:
  std::map<std::string, Template, std::less<>> templates_;
};

/// Names of all prompt files.
std::span<const std::string_view> prompt_files();

/// Names that a prompt file may use, sorted; the list of docs/prompts.md.
std::span<const std::string_view> placeholder_names();

}  // namespace warpwright::prompt
