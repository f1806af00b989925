// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace warpwright::build {

/// A rule on the source text, before any compiler sees it. Lanes and task rules are decided on what
/// the compiler makes of it: device_rules.h.
struct LintRule {
  std::string_view name;
  std::string_view what;     ///< for people: what it looks for
  std::string_view message;  ///< for the model
  /// Gets the source without comments, strings emptied; returns the first offending line, or 0.
  int (*check)(std::string_view stripped, std::string_view original);
};

std::span<const LintRule> lint_rules();

/// The first broken rule. Its verdict is `forbidden`.
struct LintFinding {
  std::string rule;
  int line = 0;
  std::string message;
};

std::optional<LintFinding> lint(std::string_view source);

/// The source with comments blanked and string and character literals emptied ("abc" -> "   ");
/// lines keep their numbers and columns. Include operands stay as they are.
std::string strip_source(std::string_view source);

}  // namespace warpwright::build
