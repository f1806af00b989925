// SPDX-License-Identifier: Apache-2.0
#include "core/distribution.h"

#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "core/closest.h"

namespace warpwright {

namespace {

using Op = StageOp;

// Columns: name, op, source, names an argument, fewest and most numbers, usage, meaning.
constexpr std::array<StageRow, 35> kStages = {{
    {"uniform", Op::uniform, true, false, 2, 2, "uniform(low, high)",
     "evenly spread reals in [low, high)"},
    {"normal", Op::normal, true, false, 2, 2, "normal(mean, sd)",
     "bell-shaped reals, cut off near five standard deviations"},
    {"const", Op::constant, true, false, 1, 1, "const(value)",
     "the same value everywhere; inf and -inf are allowed"},
    {"ints", Op::ints, true, false, 2, 2, "ints(low, high)",
     "evenly spread integers, both ends included"},
    {"odd_ints", Op::odd_ints, true, false, 2, 2, "odd_ints(low, high)",
     "evenly spread odd integers, both ends included"},
    {"choice", Op::choice, true, false, 1, 8, "choice(v1, ..., v8)",
     "one of up to eight listed values"},
    {"bits", Op::bits, true, false, 0, 0, "bits()",
     "random bit patterns, NaN and denormals included; takes no modifiers"},
    {"index", Op::index, true, false, 0, 0, "index()", "the element's own index"},
    {"ramp", Op::ramp, true, false, 2, 2, "ramp(first, last)",
     "a straight line over the buffer: sorted or reversed data"},
    {"organ_pipe", Op::organ_pipe, true, false, 0, 0, "organ_pipe()",
     "rises to the middle and falls again: min(i, n-1-i)"},
    {"permutation", Op::permutation, true, false, 0, 0, "permutation()",
     "0 .. n-1 in random order, each once"},
    {"skewed", Op::skewed, true, false, 3, 3, "skewed(low, high, power)",
     "low + (high-low)*u^power: most values near low"},
    {"onehot", Op::onehot, true, false, 2, 2, "onehot(width, value)",
     "rows of the given width: value where column = row mod width, else 0; the identity when "
     "square"},
    {"like", Op::like, true, true, 0, 0, "like(ARGUMENT)", "the very values of another input"},
    {"linear", Op::linear, true, true, 3, 3, "linear(ARGUMENT, width, sd_weights, sd_noise)",
     "row i of another input times hidden normal weights, plus noise"},
    {"scale", Op::scale, false, false, 1, 1, "scale(factor)", "multiplies"},
    {"offset", Op::offset, false, false, 1, 1, "offset(amount)", "adds"},
    {"drift", Op::drift, false, false, 2, 2, "drift(first, last)",
     "multiplies by a factor that moves from first to last over the buffer"},
    {"trend", Op::trend, false, false, 2, 2, "trend(first, last)",
     "adds an amount that moves from first to last over the buffer"},
    {"rows", Op::rows, false, false, 6, 6,
     "rows(width, mean_low, mean_high, sd_low, sd_high, late)",
     "each row gets its own mean and scale; its second half is shifted by late scales"},
    {"row_drift", Op::row_drift, false, false, 3, 3, "row_drift(width, first, last)",
     "like drift, constant within a row"},
    {"row_powers", Op::row_powers, false, false, 4, 4, "row_powers(width, base, low, high)",
     "multiplies row r by base^(low + r mod (high-low+1))"},
    {"column_powers", Op::column_powers, false, false, 4, 4,
     "column_powers(width, base, low, high)", "the same by column"},
    {"row_needle", Op::row_needle, false, false, 3, 3, "row_needle(width, row, value)",
     "sets one whole row"},
    {"sign", Op::sign, false, false, 0, 0, "sign()", "random sign"},
    {"mix", Op::mix, false, false, 2, 2, "mix(probability, value)",
     "replaces some elements, at random"},
    {"needle", Op::needle, false, false, 2, 2, "needle(index, value)",
     "replaces one element; no effect outside the buffer"},
    {"every", Op::every, false, false, 2, 2, "every(step, phase)",
     "keeps elements whose index is phase modulo step, others become 0"},
    {"noise", Op::noise, false, false, 1, 1, "noise(sd)", "adds normal noise"},
    {"plus_ints", Op::plus_ints, false, false, 2, 2, "plus_ints(low, high)",
     "adds random integers"},
    {"mod", Op::mod, false, false, 1, 1, "mod(divisor)", "remainder, never negative"},
    {"div", Op::div, false, false, 1, 1, "div(divisor)", "quotient rounded down"},
    {"floor", Op::floor, false, false, 0, 0, "floor()", "rounds down"},
    {"sine", Op::sine, false, false, 0, 0, "sine()", "sin(2 pi v)"},
    {"poly", Op::poly, false, false, 1, 8, "poly(c0, c1, ...)", "c0 + c1 v + c2 v^2 + ..."},
}};

// Splits at a separator outside parentheses.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] == separator && depth == 0) {
      parts.push_back(trimmed(text.substr(start, i - start)));
      start = i + 1;
    }
  }
  parts.push_back(trimmed(text.substr(start)));
  return parts;
}

Result<const StageRow*> row_named(std::string_view name) {
  std::vector<std::string_view> known;
  for (const auto& row : kStages) {
    if (row.name == name) return &row;
    known.push_back(row.name);
  }
  return Error{fmt::format("unknown distribution '{}'{}; known: {}", name,
                           did_you_mean(name, known), fmt::join(known, ", "))};
}

Result<Distribution::Stage> parse_stage(std::string_view text, bool first) {
  const auto open = text.find('(');
  if (open == std::string_view::npos || text.back() != ')') {
    return Error{
        fmt::format("distribution '{}': expected NAME(numbers), e.g. uniform(0, 1)", text)};
  }
  WW_TRY(const StageRow* row, row_named(trimmed(text.substr(0, open))));
  if (row->is_source != first) {
    return Error{
        fmt::format("distribution '{}': '{}' {}", text, row->name,
                    first ? "changes values; begin with one that makes them, e.g. uniform(0, 1)"
                          : "makes values and can only come first")};
  }
  const auto inner = trimmed(text.substr(open + 1, text.size() - open - 2));
  auto parts = inner.empty() ? std::vector<std::string_view>{} : split(inner, ',');
  Distribution::Stage stage{.op = row->op, .argument = {}, .numbers = {}};
  if (row->takes_argument) {
    if (parts.empty() || !is_identifier(parts[0]))
      return Error{fmt::format("distribution '{}': usage {}", text, row->usage)};
    stage.argument = std::string(parts[0]);
    parts.erase(parts.begin());
  }
  const int count = static_cast<int>(parts.size());
  if (count < row->min_numbers || count > row->max_numbers) {
    return Error{fmt::format("distribution '{}': usage {}", text, row->usage)};
  }
  for (const auto part : parts) {
    WW_TRY(auto number, Expression::parse(part));
    stage.numbers.push_back(std::move(number));
  }
  return stage;
}

}  // namespace

std::span<const StageRow> distribution_stages() { return kStages; }

Result<Distribution> Distribution::parse(std::string_view text) {
  Distribution result;
  for (const auto part : split(text, '|')) {
    WW_TRY(auto stage, parse_stage(part, result.stages.empty()));
    result.stages.push_back(std::move(stage));
  }
  if (result.stages.size() > kMaxStages) {
    return Error{fmt::format("distribution '{}' has more than {} stages", text, kMaxStages)};
  }
  if (result.stages.front().op == StageOp::bits && result.stages.size() > 1) {
    return Error{"bits() takes no modifiers: it fills buffers with raw bit patterns"};
  }
  return result;
}

}  // namespace warpwright
