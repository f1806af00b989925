// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace warpwright {

/// What the names of an expression stand for.
using Values = std::map<std::string, double, std::less<>>;

/// A small arithmetic expression over named values, parsed once: numbers, names, + - * / % ^,
/// comparisons (1 or 0), parentheses, and the functions listed by expression_functions(). Exact
/// for integers up to 2^53. No side effects, no loops, bounded in length and depth.
class Expression {
 public:
  /// An error names the column (from 1) and what was expected there.
  static Result<Expression> parse(std::string_view text);

  /// Total: an unknown name, a division by zero or any other undefined or infinite result is an
  /// error. The literal inf is the one way to an infinite value.
  [[nodiscard]] Result<double> evaluate(const Values& values) const;

  /// The same, when the value must be an integer of at most 2^53 in size.
  [[nodiscard]] Result<std::int64_t> evaluate_integer(const Values& values) const;

  /// The names it reads.
  [[nodiscard]] std::set<std::string> names() const;
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  friend class ExpressionParser;
  struct Step {
    int op = 0;  ///< an Op of expression.cpp
    double number = 0;
    std::string name;
  };
  std::string text_;
  std::vector<Step> steps_;  ///< postfix
};

/// Parses and evaluates in one go, for expressions used once.
Result<double> value_of(std::string_view text, const Values& values);

struct ExpressionFunction {
  std::string_view name;
  int arity;
  std::string_view meaning;
};
const std::vector<ExpressionFunction>& expression_functions();

/// Letters, digits and underscores, not starting with a digit, at most 64 characters.
bool is_identifier(std::string_view text);

}  // namespace warpwright
