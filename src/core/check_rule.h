// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace warpwright {

/// How outputs are compared with the reference: a rule of the table below and its parameters,
/// which are expressions over the size's values or names of arguments.
struct CheckRule {
  std::string rule;
  std::map<std::string, std::string> parameters;

  bool operator==(const CheckRule&) const = default;
};

/// What a rule may be told.
struct CheckParameter {
  std::string_view name;
  bool names_argument;         ///< else an expression
  std::string_view otherwise;  ///< default; empty = required
};

/// What there is to know of a rule without running it.
struct CheckRuleRow {
  std::string_view name;
  bool wide;         ///< the reference writes float outputs as double; "rounded": also integers
  bool wants_scale;  ///< and, behind each, `double* NAME_scale`: the size of the terms
  std::span<const CheckParameter> parameters;
  std::string_view meaning;
};
std::span<const CheckRuleRow> check_rules();

/// The row, or an error that lists the rules.
Result<const CheckRuleRow*> check_rule_named(std::string_view name);

/// Known rule, known parameters, none missing.
Status validate(const CheckRule& check);

}  // namespace warpwright
