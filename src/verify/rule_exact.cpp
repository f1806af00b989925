// SPDX-License-Identifier: Apache-2.0
// Rules without tolerance: exact, bits, sorted_exact and order_multiset.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "verify/random.h"
#include "verify/rules.h"

namespace warpwright::verify {

namespace {

// The expected value rounded to the output's type, when a wide reference is compared exactly.
double rounded(const RuleInput& input, double value) {
  if (input.expected.wide.empty()) return value;
  const float single = static_cast<float>(value);
  if (input.argument.type == ElementType::f32) return single;
  if (input.argument.type == ElementType::f16) return from_half_bits(to_half_bits(single));
  if (input.argument.type == ElementType::bf16) return from_bfloat_bits(to_bfloat_bits(single));
  return value;
}

WrongElements compared(const RuleInput& input) {
  WrongElements wrong(input);
  for (std::size_t i = 0; i < input.count; ++i) {
    const double expected = rounded(input, input.expected_at(i));
    const double got = input.got_at(i);
    if (!std::isnan(expected) && got != expected) {
      wrong.add(i, expected, got, std::fabs(expected), 0);
    }
  }
  return wrong;
}

bool is_sorted_with(const std::vector<double>& values, bool ascending) {
  return ascending ? std::is_sorted(values.begin(), values.end())
                   : std::is_sorted(values.rbegin(), values.rend());
}

std::vector<double> values_of(ElementType type, std::span<const std::byte> bytes) {
  std::vector<double> values(bytes.size() / bytes_of(type));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = element_as_double(type, bytes, i);
  return values;
}

}  // namespace

RuleResult check_exact(const RuleInput& input) { return compared(input).result(); }

RuleResult check_bits(const RuleInput& input) {
  const std::size_t width = bytes_of(input.argument.type);
  if (input.expected.native.size() != input.got.size())
    return Error{"bits need expected values of the output's own type"};
  std::uint64_t wrong = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < input.count; ++i) {
    if (std::memcmp(input.got.data() + i * width, input.expected.native.data() + i * width,
                    width) == 0)
      continue;
    if (wrong++ == 0) first = i;
  }
  if (wrong == 0) return std::optional<Mismatch>{};
  const auto hex = [&](const std::byte* at) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, at, width);
    return fmt::format("0x{:0{}x}", bits, 2 * width);
  };
  auto mismatch = whole_mismatch(
      input, Verdict::mismatch,
      fmt::format("differs in {} of {} elements; first at index {}: expected the bits {}, got {}.",
                  wrong, input.count, first, hex(input.expected.native.data() + first * width),
                  hex(input.got.data() + first * width)));
  mismatch.wrong = wrong;
  mismatch.first.push_back({first, input.expected_at(first), input.got_at(first)});
  return std::optional<Mismatch>(std::move(mismatch));
}

RuleResult check_sorted_exact(const RuleInput& input) {
  const auto wrong = compared(input);
  if (wrong.none()) return std::optional<Mismatch>{};
  const auto got = values_of(input.argument.type, input.got);
  const auto expected = values_of(input.argument.type, input.expected.native);
  const bool ascending = is_sorted_with(expected, true);
  std::string_view remark;
  if (std::none_of(got.begin(), got.end(), [](double v) { return std::isnan(v); })) {
    auto sorted_got = got;
    auto sorted_expected = expected;
    std::sort(sorted_got.begin(), sorted_got.end());
    std::sort(sorted_expected.begin(), sorted_expected.end());
    if (sorted_got == sorted_expected)
      remark = " The values are right, their order is not.";
    else if (!is_sorted_with(got, ascending))
      remark = " The output is not in order.";
  }
  return wrong.result(remark);
}

RuleResult check_order_multiset(const RuleInput& input) {
  const auto got = values_of(input.argument.type, input.got);
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(got[i]))
      return std::optional<Mismatch>(whole_mismatch(
          input, Verdict::mismatch,
          fmt::format("holds NaN at index {}, which is not among the input values.", i)));
    if (i == 0 || got[i - 1] <= got[i]) continue;
    return std::optional<Mismatch>(whole_mismatch(
        input, Verdict::mismatch,
        fmt::format("is not in order: index {} holds {:.9g} and index {} holds {:.9g}.", i - 1,
                    got[i - 1], i, got[i])));
  }
  auto before = values_of(input.argument.type, input.inputs[input.argument_index]);
  std::sort(before.begin(), before.end());
  const auto [a, b] = std::mismatch(got.begin(), got.end(), before.begin(), before.end());
  if (a == got.end() && b == before.end()) return std::optional<Mismatch>{};
  return std::optional<Mismatch>(
      whole_mismatch(input, Verdict::mismatch,
                     fmt::format("is in order but does not hold the input's values: at index {} "
                                 "the sorted input has {:.9g}, the output {:.9g}.",
                                 a - got.begin(), *b, *a)));
}

}  // namespace warpwright::verify
