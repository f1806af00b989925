// SPDX-License-Identifier: Apache-2.0
// Rules that compare numbers within a bound: elementwise, rounded, scalar and scan.
#include <cmath>

#include "verify/rules.h"

namespace warpwright::verify {

namespace {

// Root mean square of the finite expected values in [first, last).
double rms(const RuleInput& input, std::size_t first, std::size_t last) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = first; i < last; ++i) {
    const double value = representable(input.argument.type, input.expected_at(i));
    if (!std::isfinite(value)) continue;
    sum += value * value;
    ++count;
  }
  return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
}

}  // namespace

RuleResult check_elementwise(const RuleInput& input) {
  WW_TRY(const double rtol, input.number("rtol"));
  WW_TRY(const double atol, input.number("atol"));
  WW_TRY(const double alpha, input.number("alpha_rms"));
  WW_TRY(const double rel_rms, input.number("rel_rms"));
  WW_TRY(const double row, input.number("row"));
  const std::size_t count = input.count;
  const std::size_t width = row >= 1 ? static_cast<std::size_t>(row) : count;
  WrongElements wrong(input);
  double error_squares = 0;
  double squares = 0;
  for (std::size_t first = 0; first < count; first += width) {
    const std::size_t last = std::min(count, first + width);
    const double scale = rms(input, first, last);
    for (std::size_t i = first; i < last; ++i) {
      const double expected = input.expected_at(i);
      const double got = input.got_at(i);
      if (std::isnan(expected)) continue;
      const double bound = rtol * std::fabs(expected) + atol + alpha * scale;
      if (!accepted(input.argument.type, got, expected, bound))
        wrong.add(i, expected, got, std::max(std::fabs(expected), scale), bound);
      if (!std::isfinite(expected) || !std::isfinite(got)) continue;
      error_squares += (got - expected) * (got - expected);
      squares += expected * expected;
    }
  }
  if (!wrong.none()) return wrong.result();
  if (squares > 0 && std::sqrt(error_squares / squares) > rel_rms) {
    return std::optional<Mismatch>(whole_mismatch(input, Verdict::precision, kInaccurate));
  }
  return std::optional<Mismatch>{};
}

RuleResult check_rounded(const RuleInput& input) {
  WW_TRY(const double tie, input.number("tie"));
  WrongElements wrong(input);
  for (std::size_t i = 0; i < input.count; ++i) {
    const double expected = input.expected_at(i);
    const double got = input.got_at(i);
    if (std::isnan(expected)) continue;
    if (!within(got, expected, 0.5 + tie))
      wrong.add(i, expected, got, std::fabs(expected), 0.5 + tie);
  }
  return wrong.result();
}

// Without a scale from the reference, the expected value's own magnitude has to do.
RuleResult check_scalar(const RuleInput& input) {
  WW_TRY(const double rtol, input.number("rtol"));
  WW_TRY(const double tau, input.number("tau"));
  WW_TRY(const double atol, input.number("atol"));
  WrongElements wrong(input);
  for (std::size_t i = 0; i < input.count; ++i) {
    const double expected = input.expected_at(i);
    const double scale =
        i < input.expected.scale.size() ? input.expected.scale[i] : std::fabs(expected);
    const double got = input.got_at(i);
    if (std::isnan(expected)) continue;
    const double bound = rtol * std::fabs(expected) + tau * scale + atol;
    if (!accepted(input.argument.type, got, expected, bound))
      wrong.add(i, expected, got, std::max(std::fabs(expected), scale), bound);
  }
  return wrong.result();
}

RuleResult check_dot_products(const RuleInput& input) {
  WW_TRY(const double rtol, input.number("rtol"));
  WW_TRY(const double alpha, input.number("alpha"));
  WW_TRY(const double rel_rms, input.number("rel_rms"));
  WrongElements wrong(input);
  double errors = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < input.count; ++i) {
    const double expected = input.expected_at(i);
    const double got = input.got_at(i);
    const double scale =
        i < input.expected.scale.size() ? input.expected.scale[i] : std::fabs(expected);
    const double size = std::max(std::fabs(expected), scale);
    if (std::isnan(expected)) continue;
    const double bound = rtol * std::fabs(expected) + alpha * scale;
    if (!accepted(input.argument.type, got, expected, bound))
      wrong.add(i, expected, got, size, bound);
    if (!std::isfinite(expected) || !std::isfinite(got) || size <= 0) continue;
    const double error = error_beyond_step(input.argument.type, got, expected) / size;
    errors += error * error;
    ++count;
  }
  if (!wrong.none() || count == 0) return wrong.result();
  if (std::sqrt(errors / static_cast<double>(count)) <= rel_rms) return std::optional<Mismatch>{};
  return std::optional<Mismatch>(whole_mismatch(input, Verdict::precision, kInaccurate));
}

}  // namespace warpwright::verify
