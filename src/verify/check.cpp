// SPDX-License-Identifier: Apache-2.0
#include "verify/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "verify/rules.h"

namespace warpwright::verify {

namespace {

constexpr std::size_t kShown = 5;

struct RuleRow {
  std::string_view name;
  Rule rule;
};

// The names are those of core/check_rule.cpp.
constexpr std::array<RuleRow, 12> kRules = {{
    {"elementwise", check_elementwise},
    {"exact", check_exact},
    {"bits", check_bits},
    {"exact_int", check_exact},
    {"rounded", check_rounded},
    {"sorted_exact", check_sorted_exact},
    {"order_multiset", check_order_multiset},
    {"scalar", check_scalar},
    {"scan", check_scalar},
    {"dot_products", check_dot_products},
    {"freivalds_samples", check_freivalds},
    {"ols", check_ols},
}};

Result<const RuleRow*> rule_named(std::string_view name) {
  for (const auto& row : kRules) {
    if (row.name == name) return &row;
  }
  return Error{fmt::format("no check rule is called '{}'", name)};
}

std::string case_words(const Instance& instance) {
  return instance.variant == nullptr
             ? fmt::format("size {}", instance.size->label)
             : fmt::format("size {}, inputs '{}'", instance.size->label, instance.variant->name);
}

std::string shown(const RuleInput& input, double value) {
  if (!is_floating(input.argument.type)) return fmt::format("{}", value);
  return fmt::format("{:.9g}", value);
}

Status check_sizes(const RuleInput& input, bool with_expected) {
  const auto bytes = input.count * bytes_of(input.argument.type);
  if (input.got.size() != bytes) {
    return Error{fmt::format("output '{}' has {} bytes instead of {}", input.argument.name,
                             input.got.size(), bytes)};
  }
  const bool there =
      input.expected.wide.size() == input.count || input.expected.native.size() == bytes;
  if (with_expected && !there)
    return Error{fmt::format("no expected values for '{}'", input.argument.name)};
  return {};
}

}  // namespace

Result<double> rule_number(const Instance& instance, const CheckRule& check,
                           std::string_view name) {
  const auto found = check.parameters.find(std::string(name));
  if (found != check.parameters.end()) return value_of(found->second, instance.values);
  WW_TRY(const CheckRuleRow* row, check_rule_named(check.rule));
  for (const auto& parameter : row->parameters) {
    if (parameter.name == name && !parameter.otherwise.empty())
      return value_of(parameter.otherwise, instance.values);
  }
  return Error{fmt::format("check rule '{}' needs '{}'", check.rule, name)};
}

Result<double> RuleInput::number(std::string_view name) const {
  return rule_number(instance, check, name);
}

Result<Floats> as_floats(ElementType type, std::span<const std::byte> buffer) {
  Floats floats;
  if (type == ElementType::f32) {
    floats.values = {reinterpret_cast<const float*>(buffer.data()), buffer.size() / sizeof(float)};
    return floats;
  }
  if (type != ElementType::f16) return Error{"the rule works on f32 and f16 only"};
  floats.made.resize(buffer.size() / 2);
  for (std::size_t i = 0; i < floats.made.size(); ++i) {
    floats.made[i] = static_cast<float>(element_as_double(type, buffer, i));
  }
  floats.values = floats.made;
  return floats;
}

Result<Floats> RuleInput::floats(std::string_view name) const {
  const auto found = check.parameters.find(std::string(name));
  if (found == check.parameters.end())
    return Error{fmt::format("check rule '{}' needs '{}'", check.rule, name)};
  const auto& arguments = instance.task->arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].name != found->second) continue;
    auto floats = as_floats(arguments[i].type, inputs[i]);
    if (!floats.ok())
      return Error{fmt::format("check '{}': {}", check.rule, floats.error().message)};
    return floats;
  }
  return Error{fmt::format("no argument '{}'", found->second)};
}

void WrongElements::add(std::uint64_t index, double expected, double got, double size,
                        double allowed) {
  ++wrong_;
  if (first_.size() < kShown) first_.push_back({index, expected, got, allowed});
  // 2^-7: the error of a BF16 detour, the coarsest that a kernel might take.
  const bool small =
      std::isfinite(got) && std::isfinite(expected) && std::fabs(got - expected) <= size * 0x1p-7;
  all_small_ = all_small_ && small;
}

std::optional<Mismatch> WrongElements::result(std::string_view remark) const {
  if (wrong_ == 0) return std::nullopt;
  Mismatch mismatch{.verdict = all_small_ ? Verdict::precision : Verdict::mismatch,
                    .argument = input_.argument.name,
                    .wrong = wrong_,
                    .total = input_.count,
                    .first = first_,
                    .message = {}};
  std::vector<std::string> elements;
  for (const auto& element : first_) {
    elements.push_back(fmt::format("index {}: expected {}, got {}", element.index,
                                   shown(input_, element.expected), shown(input_, element.got)));
  }
  mismatch.message = fmt::format("{}: {} of {} elements of '{}' are {}; first at {}.{}",
                                 case_words(input_.instance), wrong_, input_.count,
                                 input_.argument.name, all_small_ ? "not accurate enough" : "wrong",
                                 fmt::join(elements, "; at "), remark);
  return mismatch;
}

Mismatch whole_mismatch(const RuleInput& input, Verdict verdict, std::string_view what) {
  return {
      .verdict = verdict,
      .argument = input.argument.name,
      .wrong = 0,
      .total = input.count,
      .first = {},
      .message = fmt::format("{}: '{}' {}", case_words(input.instance), input.argument.name, what)};
}

bool within(double got, double expected, double bound) {
  if (std::isnan(got)) return false;
  if (!std::isfinite(expected) || !std::isfinite(got)) return got == expected;
  return std::fabs(got - expected) <= bound;
}

namespace {

/// Between denormal numbers of the type, whatever their relative error; half of it for f16, whose
/// denormals are not small.
double smallest_step(ElementType type) {
  if (type == ElementType::f32) return 0x1p-149;
  if (type == ElementType::bf16) return 0x1p-133;
  return type == ElementType::f16 ? 0x1p-25 : 0;
}

}  // namespace

bool accepted(ElementType type, double got, double expected, double least_bound) {
  const double bound = least_bound + smallest_step(type);
  // Halfway between the largest number and what would be the next.
  const double limit = type == ElementType::f16                                ? 65520.0
                       : type == ElementType::f32 || type == ElementType::bf16 ? 0x1.ffffffp127
                                                                               : 0;
  if (limit == 0 || !std::isinf(got) || std::isnan(expected)) return within(got, expected, bound);
  return std::signbit(got) == std::signbit(expected) && std::fabs(expected) + bound >= limit;
}

double error_beyond_step(ElementType type, double got, double expected) {
  return std::max(0.0, std::fabs(got - expected) - smallest_step(type));
}

double representable(ElementType type, double value) {
  const double largest = type == ElementType::f32 || type == ElementType::bf16
                             ? static_cast<double>(std::numeric_limits<float>::max())
                         : type == ElementType::f16 ? 65504.0
                                                    : std::numeric_limits<double>::max();
  return std::fabs(value) > largest * (1 + 1e-4)
             ? std::copysign(std::numeric_limits<double>::infinity(), value)
             : value;
}

namespace {

bool is_output(const TaskArgument& argument) {
  return argument.role == ArgumentRole::output || argument.role == ArgumentRole::inout;
}

Result<bool> rule_needs_expected(const Instance& instance, const CheckRule& check) {
  return check.rule == "freivalds_samples" ? freivalds_is_full(instance, check)
                                           : Result<bool>(true);
}

}  // namespace

Result<bool> needs_expected(const Instance& instance) {
  for (const auto& argument : instance.task->arguments) {
    if (!is_output(argument)) continue;
    WW_TRY(const bool needed,
           rule_needs_expected(instance, check_for(*instance.task, instance.variant, argument)));
    if (needed) return true;
  }
  return false;
}

Result<std::optional<Mismatch>> check_entries(const Instance& instance,
                                              std::span<const Bytes> inputs, std::size_t argument,
                                              std::span<const std::byte> got,
                                              std::span<const std::uint64_t> elements) {
  const TaskArgument& output = instance.task->arguments[argument];
  const CheckRule check = check_for(*instance.task, instance.variant, output);
  WW_TRY(const auto count, element_count(output, instance.values));
  const Expected nothing;
  return check_freivalds_entries({instance, check, inputs, nothing, output, argument, got, count},
                                 elements);
}

Result<std::optional<Mismatch>> check_outputs(const Instance& instance,
                                              std::span<const Bytes> inputs,
                                              std::span<const Expected> expected,
                                              std::span<const Bytes> outputs) {
  WW_TRY(const bool with_expected, needs_expected(instance));
  const auto& arguments = instance.task->arguments;
  const bool complete = inputs.size() == arguments.size() && outputs.size() == arguments.size() &&
                        (!with_expected || expected.size() == arguments.size());
  if (!complete) return Error{"checking needs one entry per argument"};
  const Expected nothing;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!is_output(arguments[i])) continue;
    const CheckRule check = check_for(*instance.task, instance.variant, arguments[i]);
    WW_TRY(const RuleRow* row, rule_named(check.rule));
    WW_TRY(const auto count, element_count(arguments[i], instance.values));
    const RuleInput input{instance,     check, inputs,     with_expected ? expected[i] : nothing,
                          arguments[i], i,     outputs[i], count};
    WW_CHECK(check_sizes(input, with_expected));
    WW_TRY(auto mismatch, row->rule(input));
    if (mismatch) return mismatch;
  }
  return std::optional<Mismatch>{};
}

namespace {

// How much worse than another computation of the same. Sums in another order differ by less.
constexpr double kTimesWorse = 4;
constexpr std::uint64_t kTimesMore = 4;
// Of a computation that is itself beyond the bound in more than a few elements and more than this
// share of them, nothing follows: it draws random numbers, or adds in a type that is too short.
constexpr std::uint64_t kFew = 16;
constexpr std::uint64_t kOneIn = 16;
// Unless all of that is small beside the result: what is left of large terms that cancel (the
// gradient of a norm over one number) is off everywhere, and by little.
constexpr double kSmallShare = 3e-2;

/// Of one output that its rule refuses.
bool is_off_alike(const Spread& ours, const Spread& theirs, std::uint64_t count) {
  const bool many = theirs.beyond > std::max(kFew, count / kOneIn);
  if (many && !(theirs.share <= kSmallShare)) return false;
  return std::isfinite(theirs.worst) && ours.worst <= kTimesWorse * theirs.worst &&
         ours.beyond <= kTimesMore * (theirs.beyond + 1);
}

/// Calls visit(argument's number, input of its rule) for each output, until it says no.
template <class Visit>
Status for_outputs(const Instance& instance, std::span<const Bytes> inputs,
                   std::span<const Expected> expected, std::span<const Bytes> outputs,
                   const Visit& visit) {
  const auto& arguments = instance.task->arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!is_output(arguments[i])) continue;
    const CheckRule check = check_for(*instance.task, instance.variant, arguments[i]);
    WW_TRY(const auto count, element_count(arguments[i], instance.values));
    const RuleInput input{instance, check, inputs, expected[i], arguments[i], i, outputs[i], count};
    WW_CHECK(check_sizes(input, true));
    WW_TRY(const bool go_on, visit(i, input));
    if (!go_on) break;
  }
  return {};
}

}  // namespace

Result<std::vector<std::optional<Spread>>> spreads_of(const Instance& instance,
                                                      std::span<const Bytes> inputs,
                                                      std::span<const Expected> expected,
                                                      std::span<const Bytes> outputs) {
  std::vector<std::optional<Spread>> spreads(instance.task->arguments.size());
  if (expected.size() != spreads.size() || outputs.size() != spreads.size()) return spreads;
  WW_CHECK(for_outputs(instance, inputs, expected, outputs,
                       [&](std::size_t i, const RuleInput& input) -> Result<bool> {
                         if (input.check.rule != "elementwise") return true;
                         WW_TRY(spreads[i], spread_elementwise(input));
                         return true;
                       }));
  return spreads;
}

Result<bool> is_rounding(const Instance& instance, std::span<const Bytes> inputs,
                         std::span<const Expected> expected, std::span<const Bytes> outputs,
                         std::span<const std::optional<Spread>> theirs) {
  if (theirs.size() != instance.task->arguments.size() || expected.size() != theirs.size())
    return false;
  bool alike = true;
  WW_CHECK(for_outputs(instance, inputs, expected, outputs,
                       [&](std::size_t i, const RuleInput& input) -> Result<bool> {
                         WW_TRY(const RuleRow* row, rule_named(input.check.rule));
                         WW_TRY(const auto mismatch, row->rule(input));
                         if (!mismatch || is_nothing(input)) return true;
                         alike = theirs[i].has_value();
                         if (!alike) return false;
                         WW_TRY(const Spread ours, spread_elementwise(input));
                         alike = is_off_alike(ours, *theirs[i], input.count);
                         return alike;
                       }));
  return alike;
}

}  // namespace warpwright::verify
