// SPDX-License-Identifier: Apache-2.0
#pragma once

// Inside verify only: what the rules share, and the rules themselves.

#include <map>
#include <string>
#include <string_view>

#include "verify/check.h"

namespace warpwright::verify {

/// Numbers as floats, whatever they were.
struct Floats {
  std::span<const float> values;
  std::vector<float> made;  ///< what `values` shows where the buffer holds halves
};
Result<Floats> as_floats(ElementType type, std::span<const std::byte> buffer);

/// One output under one rule.
struct RuleInput {
  const Instance& instance;
  const CheckRule& check;
  std::span<const Bytes> inputs;
  const Expected& expected;
  const TaskArgument& argument;
  std::size_t argument_index;
  std::span<const std::byte> got;
  std::uint64_t count;  ///< elements

  [[nodiscard]] double got_at(std::size_t i) const {
    return element_as_double(argument.type, got, i);
  }
  [[nodiscard]] double expected_at(std::size_t i) const {
    return expected.wide.empty() ? element_as_double(argument.type, expected.native, i)
                                 : expected.wide[i];
  }
  /// The value of a numeric parameter, or its default.
  [[nodiscard]] Result<double> number(std::string_view name) const;
  /// The input buffer that a parameter names.
  [[nodiscard]] Result<Floats> floats(std::string_view name) const;
};

using RuleResult = Result<std::optional<Mismatch>>;
using Rule = RuleResult (*)(const RuleInput&);

/// Gathers wrong elements and decides what to call the failure.
class WrongElements {
 public:
  explicit WrongElements(const RuleInput& input) : input_(input) {}
  /// `size` is the magnitude that the error is to be seen against, `allowed` what it may be.
  void add(std::uint64_t index, double expected, double got, double size, double allowed = -1);
  [[nodiscard]] bool none() const { return wrong_ == 0; }
  /// Absent when nothing was wrong. Errors that are all small look like a lower precision.
  [[nodiscard]] std::optional<Mismatch> result(std::string_view remark = {}) const;

 private:
  const RuleInput& input_;
  std::uint64_t wrong_ = 0;
  std::vector<WrongElement> first_;
  bool all_small_ = true;
};

/// What is said when the relative RMS error alone is too large.
inline constexpr std::string_view kInaccurate =
    "is close, but less accurate than single-precision arithmetic gives.";

/// A failure of the whole output.
Mismatch whole_mismatch(const RuleInput& input, Verdict verdict, std::string_view what);

/// |got - expected| within the bound, infinities equal, NaN never.
bool within(double got, double expected, double bound);

/// The same for an output of this type, which is infinite beyond its largest number: near that one
/// either is right. A denormal number may be one step off, whatever the bound.
bool accepted(ElementType type, double got, double expected, double bound);

/// The part of |got - expected| that rounding to a denormal number does not explain: what counts in
/// a mean of relative errors.
double error_beyond_step(ElementType type, double got, double expected);

/// The expected value as the output's type would hold it when it is out of range: infinite.
double representable(ElementType type, double value);

RuleResult check_elementwise(const RuleInput& input);
/// What check_elementwise would say of each element.
Result<Spread> spread_elementwise(const RuleInput& input);

/// Whether nothing is expected but what rounding leaves where all terms cancel (the gradient of a
/// norm over one number), and nothing more was found: both are small beside the inputs.
bool is_nothing(const RuleInput& input);
RuleResult check_exact(const RuleInput& input);
RuleResult check_bits(const RuleInput& input);
RuleResult check_rounded(const RuleInput& input);
RuleResult check_sorted_exact(const RuleInput& input);
RuleResult check_order_multiset(const RuleInput& input);
RuleResult check_scalar(const RuleInput& input);
RuleResult check_dot_products(const RuleInput& input);
RuleResult check_freivalds(const RuleInput& input);
/// Some of these elements alone.
RuleResult check_freivalds_entries(const RuleInput& input, std::span<const std::uint64_t> elements);
RuleResult check_ols(const RuleInput& input);

/// Whether check_freivalds compares with expected values at this size.
Result<bool> freivalds_is_full(const Instance& instance, const CheckRule& check);

/// The value of a rule's numeric parameter at this instance.
Result<double> rule_number(const Instance& instance, const CheckRule& check, std::string_view name);

}  // namespace warpwright::verify
