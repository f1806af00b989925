// SPDX-License-Identifier: Apache-2.0
#include "core/check_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/closest.h"

namespace warpwright {

namespace {

constexpr std::array<CheckParameter, 6> kElementwise = {{
    {"rtol", false, "0"},
    {"atol", false, "0"},
    {"alpha_rms", false, "0"},
    {"rel_rms", false, "inf"},
    {"row", false, "0"},
    {"nonzero", false, "0"},
}};
constexpr std::array<CheckParameter, 3> kScalar = {
    {{"rtol", false, "2e-5"}, {"tau", false, "1e-6"}, {"atol", false, "0"}}};
constexpr std::array<CheckParameter, 3> kDotProducts = {
    {{"rtol", false, "1e-5"}, {"alpha", false, "2e-5"}, {"rel_rms", false, "inf"}}};
constexpr std::array<CheckParameter, 10> kFreivalds = {{
    {"left", true, ""},
    {"right", true, ""},
    {"rows", false, ""},
    {"cols", false, ""},
    {"inner", false, ""},
    {"rtol", false, "1e-5"},
    {"alpha_rms", false, "5e-5"},
    {"rel_rms", false, "1e-5"},
    {"residual", false, "2e-5"},
    {"full", false, "2^27"},
}};
constexpr std::array<CheckParameter, 1> kRounded = {{{"tie", false, "1e-3"}}};
constexpr std::array<CheckParameter, 6> kOls = {{
    {"design", true, ""},
    {"response", true, ""},
    {"rows", false, ""},
    {"cols", false, ""},
    {"forward", false, "1e-4"},
    {"gradient", false, "1e-4"},
}};

constexpr std::array<CheckRuleRow, 12> kRules = {{
    {"elementwise", true, false, kElementwise,
     "|got - expected| <= rtol*|expected| + atol + alpha_rms*RMS(expected), RMS per row when row "
     "is given, of values other than 0 when nonzero is 1; and the relative RMS error at most "
     "rel_rms"},
    {"exact",
     false,
     false,
     {},
     "equal values; +0 equals -0; a NaN in the expected values is not compared"},
    {"bits", false, false, {}, "equal bit patterns"},
    {"exact_int", false, false, {}, "equal integers"},
    {"rounded", true, false, kRounded,
     "integers at most 1/2 + tie from the expected real values: rounded to the nearest, either way "
     "near a tie"},
    {"sorted_exact", false, false, {}, "the expected values in the expected order"},
    {"order_multiset",
     false,
     false,
     {},
     "non-decreasing, and the same values as the input, each as often"},
    {"scalar", true, true, kScalar,
     "|got - expected| <= rtol*|expected| + tau*scale + atol, scale being the sum of the terms' "
     "magnitudes"},
    {"scan", true, true, kScalar, "the same for every prefix"},
    {"dot_products", true, true, kDotProducts,
     "|got - expected| <= rtol*|expected| + alpha*scale, scale being the root of the sum of the "
     "squared products; and their relative RMS error at most rel_rms"},
    {"freivalds_samples", true, false, kFreivalds,
     "matrix product: elementwise up to `full` multiplications, above that random projections of "
     "every "
     "row and sampled entries"},
    {"ols", true, false, kOls,
     "least squares: close to the reference, and residuals orthogonal to every column"},
}};

}  // namespace

std::span<const CheckRuleRow> check_rules() { return kRules; }

Result<const CheckRuleRow*> check_rule_named(std::string_view name) {
  std::vector<std::string_view> known;
  for (const auto& row : kRules) {
    if (row.name == name) return &row;
    known.push_back(row.name);
  }
  return Error{fmt::format("unknown check rule '{}'{}; known: {}", name, did_you_mean(name, known),
                           fmt::join(known, ", "))};
}

Status validate(const CheckRule& check) {
  WW_TRY(const CheckRuleRow* row, check_rule_named(check.rule));
  std::vector<std::string_view> known;
  for (const auto& parameter : row->parameters) {
    known.push_back(parameter.name);
    if (parameter.otherwise.empty() && !check.parameters.contains(std::string(parameter.name))) {
      return Error{fmt::format("check rule '{}' needs '{}'", row->name, parameter.name)};
    }
  }
  for (const auto& [name, text] : check.parameters) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return Error{
        fmt::format("check rule '{}' has no '{}'{}{}", row->name, name, did_you_mean(name, known),
                    known.empty() ? "" : fmt::format("; it takes: {}", fmt::join(known, ", ")))};
  }
  return {};
}

}  // namespace warpwright
