// SPDX-License-Identifier: Apache-2.0
// Least squares: near the reference where the problem is well posed, and optimal everywhere.
#include <fmt/format.h>

#include <cmath>

#include "verify/rules.h"

namespace warpwright::verify {

namespace {

double largest(std::span<const double> values) {
  double result = 0;
  for (const double value : values) result = std::max(result, std::fabs(value));
  return result;
}

std::optional<Mismatch> check_forward(const RuleInput& input, double forward) {
  WrongElements wrong(input);
  const double scale = largest(input.expected.wide);
  for (std::size_t j = 0; j < input.count; ++j) {
    const double expected = input.expected_at(j);
    if (!within(input.got_at(j), expected, forward * scale))
      wrong.add(j, expected, input.got_at(j), scale, forward * scale);
  }
  return wrong.result();
}

}  // namespace

RuleResult check_ols(const RuleInput& input) {
  WW_TRY(const Floats design_floats, input.floats("design"));
  WW_TRY(const Floats response_floats, input.floats("response"));
  const auto design = design_floats.values, response = response_floats.values;
  WW_TRY(const double row_count, input.number("rows"));
  WW_TRY(const double column_count, input.number("cols"));
  WW_TRY(const double forward, input.number("forward"));
  WW_TRY(const double gradient, input.number("gradient"));
  const auto rows = static_cast<std::size_t>(row_count);
  const auto cols = static_cast<std::size_t>(column_count);
  if (design.size() != rows * cols || response.size() != rows || input.count != cols)
    return Error{"ols: rows and cols do not fit the buffers"};
  if (auto mismatch = check_forward(input, forward)) return mismatch;
  std::vector<double> beta(cols);
  for (std::size_t j = 0; j < cols; ++j) {
    beta[j] = input.got_at(j);
    if (!std::isfinite(beta[j]))
      return std::optional<Mismatch>(
          whole_mismatch(input, Verdict::mismatch, fmt::format("is not finite at index {}.", j)));
  }
  std::vector<double> products(cols);
  std::vector<double> squares(cols);
  double residual_squares = 0;
  double response_squares = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    double residual = response[i];
    for (std::size_t j = 0; j < cols; ++j) residual -= design[i * cols + j] * beta[j];
    residual_squares += residual * residual;
    response_squares += double{response[i]} * response[i];
    for (std::size_t j = 0; j < cols; ++j) {
      products[j] += design[i * cols + j] * residual;
      squares[j] += double{design[i * cols + j]} * design[i * cols + j];
    }
  }
  // The response's length counts too: with as many columns as rows there is no residual to speak
  // of.
  const double scale = std::sqrt(residual_squares) + std::sqrt(response_squares);
  for (std::size_t j = 0; j < cols; ++j) {
    if (std::fabs(products[j]) <= gradient * std::sqrt(squares[j]) * scale) continue;
    return std::optional<Mismatch>(whole_mismatch(
        input, Verdict::mismatch,
        fmt::format(
            "is not the least-squares solution: the residual is not orthogonal to column {}.", j)));
  }
  return std::optional<Mismatch>{};
}

}  // namespace warpwright::verify
