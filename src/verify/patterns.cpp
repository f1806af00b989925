// SPDX-License-Identifier: Apache-2.0
#include "verify/patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/distribution.h"
#include "core/domain.h"

namespace warpwright::verify {

namespace {

/// What a pattern's text is made from: expressions, in parentheses where they are put together.
struct Ingredients {
  std::string low, high;  ///< of the range
  std::string count;      ///< elements
  std::string own;        ///< the declared distribution
  std::string value;      ///< a drawn positive number of few bits, so that sums of it are exact
  std::string tiny;       ///< a drawn small positive number

  /// An expression, cut to the range.
  [[nodiscard]] std::string cut(std::string_view text) const {
    return fmt::format("max({}, min({}, {}))", low, high, text);
  }
};

using Maker = std::string (*)(const Ingredients&);

struct PatternRow {
  std::string_view name;
  Maker make;
  bool of_all = false;       ///< also for all arguments at once
  bool adds_to_own = false;  ///< is the declared distribution with one more stage
  bool of_copies = false;    ///< only where outputs are copies of inputs
  bool repeats = false;      ///< few values: roundings of a long sum add up instead of cancelling
  bool drifts = false;       ///< neighbours are alike: so are the roundings of sums of neighbours
};

constexpr std::array<PatternRow, 12> kRealPatterns = {{
    {.name = "huge_element",
     .make =
         [](const Ingredients& i) {
           return fmt::format("{} | needle(floor(u1*{}), {} + (u2 < 0.5)*({} - {}))", i.own,
                              i.count, i.low, i.high, i.low);
         },
     .adds_to_own = true},
    {.name = "lone_element",
     .make =
         [](const Ingredients& i) {
           return fmt::format("const({}) | needle(floor(u1*{}), {})", i.cut("0"), i.count,
                              i.cut(i.value));
         }},
    {.name = "offset",
     .make =
         [](const Ingredients& i) {
           return fmt::format("uniform(0, 1) | scale({0}/256) | offset({1})", i.value,
                              i.cut(i.value + "*0.99"));
         }},
    {.name = "alternating",
     .make =
         [](const Ingredients& i) {
           const auto a = i.cut("-" + i.value), b = i.cut(i.value);
           return fmt::format("index() | mod(2) | scale({} - {}) | offset({})", a, b, b);
         },
     .of_all = true,
     .repeats = true},
    {.name = "constant",
     .make =
         [](const Ingredients& i) {
           return fmt::format("const({})", i.cut(fmt::format("(1 - 2*(u3 < 0.5))*{}", i.value)));
         },
     .of_all = true,
     .repeats = true},
    {.name = "tiny",
     .make =
         [](const Ingredients& i) {
           return fmt::format("uniform({}, {})", i.cut("-" + i.tiny), i.cut(i.tiny));
         },
     .of_all = true},
    {.name = "rising",
     .make =
         [](const Ingredients& i) {
           return fmt::format("ramp({}, {})", i.cut("-" + i.value), i.cut(i.value));
         },
     .drifts = true},
    {.name = "falling",
     .make =
         [](const Ingredients& i) {
           return fmt::format("ramp({}, {})", i.cut(i.value), i.cut("-" + i.value));
         },
     .drifts = true},
    {.name = "few_values",
     .make =
         [](const Ingredients& i) {
           return fmt::format("choice({}, {}, {})", i.cut("-" + i.value), i.cut("0"),
                              i.cut(i.value));
         },
     .of_all = true,
     .repeats = true},
    {.name = "skewed",
     .make =
         [](const Ingredients& i) {
           return fmt::format("skewed({}, {}, 8)", i.cut("0"), i.cut(i.value));
         }},
    {.name = "integers",
     .make =
         [](const Ingredients& i) {
           return fmt::format("ints(ceil({0}), max(ceil({0}), floor({1})))", i.cut("-8"),
                              i.cut("8"));
         },
     .of_all = true,
     .repeats = true},
    {.name = "denormals",
     .make =
         [](const Ingredients& i) {
           return fmt::format("uniform({}, {})", i.cut("-1e-39"), i.cut("1e-39"));
         },
     .of_copies = true},
}};

constexpr std::array<PatternRow, 8> kWholePatterns = {{
    {.name = "extreme_element",
     .make =
         [](const Ingredients& i) {
           return fmt::format("{} | needle(floor(u1*{}), {} + (u2 < 0.5)*({} - {}))", i.own,
                              i.count, i.low, i.high, i.low);
         },
     .adds_to_own = true},
    {.name = "constant",
     .make =
         [](const Ingredients& i) {
           return fmt::format("const({} + floor(u1*({} - {} + 1)))", i.low, i.high, i.low);
         }},
    {.name = "two_values",
     .make =
         [](const Ingredients& i) {
           return fmt::format(
               "choice({0} + floor(u1*({1} - {0} + 1)), {0} + floor(u2*({1} - {0} + "
               "1)))",
               i.low, i.high);
         }},
    {.name = "evenly",
     .make = [](const Ingredients& i) { return fmt::format("ints({}, {})", i.low, i.high); }},
    {.name = "few_values",
     .make =
         [](const Ingredients& i) {
           return fmt::format("ints({0}, min({1}, {0} + 2))", i.low, i.high);
         }},
    {.name = "skewed_low",
     .make =
         [](const Ingredients& i) {
           return fmt::format("skewed({}, {}, 8) | floor()", i.low, i.high);
         }},
    {.name = "skewed_high",
     .make =
         [](const Ingredients& i) {
           return fmt::format("skewed({}, {}, 8) | floor()", i.high, i.low);
         }},
    {.name = "falling",
     .make =
         [](const Ingredients& i) { return fmt::format("ramp({}, {}) | floor()", i.high, i.low); }},
}};

constexpr std::array<PatternRow, 3> kAnyPatterns = {{
    {.name = "numbered", .make = [](const Ingredients&) { return std::string("index()"); }},
    {.name = "constant",
     .make = [](const Ingredients&) { return std::string("const(floor(u1*1000) - 500)"); }},
    {.name = "two_values", .make = [](const Ingredients&) { return std::string("choice(0, 1)"); }},
}};

Ingredients ingredients_of(const TaskArgument& argument, const Domain* range) {
  Ingredients i;
  i.count = fmt::format("({})", argument.expression);
  i.own = argument.distribution;
  if (range == nullptr) return i;
  i.low = fmt::format("({})", range->low());
  i.high = fmt::format("({})", range->high());
  // From the range's magnitude down to a 65,536th of it; halves have not much below.
  i.value = fmt::format(
      "2^(floor(log2(max(1e-30, max(abs({}), abs({})))) - {}*u1) - 1)*(1 + "
      "floor(4*u2)/4)",
      i.low, i.high, is_half(argument.type) ? 8 : 16);
  i.tiny = is_half(argument.type) ? "0.1^(1 + 2*u1)" : "0.1^(2 + 8*u1)";
  return i;
}

/// One more stage must fit, and random bits take none.
bool can_be_added_to(const std::string& distribution) {
  const auto parsed = Distribution::parse(distribution);
  return parsed.ok() && parsed->stages.size() < kMaxStages &&
         parsed->stages.front().op != StageOp::bits;
}

bool makes_copies(const Task& task) {
  constexpr std::array<std::string_view, 4> kCopying = {"exact", "bits", "sorted_exact",
                                                        "order_multiset"};
  return std::find(kCopying.begin(), kCopying.end(), task.check.rule) != kCopying.end();
}

/// A row of a table for one argument.
struct Usable {
  const TaskArgument* argument;
  const PatternRow* row;
  std::string distribution;
};

template <class Table>
void add_usable(const Task& task, const TaskArgument& argument, const Domain* range,
                const Table& table, std::vector<Usable>& list) {
  const Ingredients ingredients = ingredients_of(argument, range);
  for (const PatternRow& row : table) {
    if (row.of_copies && !makes_copies(task)) continue;
    if (row.adds_to_own && !can_be_added_to(argument.distribution)) continue;
    list.push_back({&argument, &row, row.make(ingredients)});
  }
}

/// How much more of the terms (tau, which grows with the root of a sum's length) a sum may be off.
/// The same rounding at each of many equal terms: the error grows with the length. Blocks that add
/// up neighbours of a ramp and add their sums to one number round all of them the same way:
/// 154 eps were seen with 1,024 blocks, 19 with 128; more blocks have no place on a device.
std::string_view slack_of(const PatternRow& row) {
  if (row.repeats) return "max(1, sqrt(({0})/2^16))";
  if (row.drifts) return "min(16, max(1, ({0})/2^14))";
  return {};
}

CheckRule check_of(const Task& task, const PatternRow& row, const TaskArgument& argument) {
  const auto tau = task.check.parameters.find("tau");
  const std::string_view slack = slack_of(row);
  if (slack.empty() || tau == task.check.parameters.end()) return {};
  const std::string factor = fmt::format(fmt::runtime(slack), argument.expression);
  return {.rule = {}, .parameters = {{"tau", fmt::format("({})*{}", tau->second, factor)}}};
}

std::vector<Usable> usable_patterns(const Task& task) {
  std::vector<Usable> list;
  for (const TaskArgument& argument : task.arguments) {
    if (argument.range.empty() || argument.distribution.empty()) continue;
    if (argument.range == "any") {
      add_usable(task, argument, nullptr, kAnyPatterns, list);
      continue;
    }
    const auto range = Domain::parse(argument.range);
    if (!range.ok()) continue;
    switch (range->kind()) {
      case Domain::Kind::whole:
        add_usable(task, argument, &*range, kWholePatterns, list);
        break;
      case Domain::Kind::real:
      case Domain::Kind::log:
        add_usable(task, argument, &*range, kRealPatterns, list);
        break;
      case Domain::Kind::choices:
      case Domain::Kind::fixed:
        break;  // the declared distribution holds them all
    }
  }
  return list;
}

}  // namespace

std::vector<InputVariant> generic_patterns(const Task& task) {
  const auto usable = usable_patterns(task);
  std::vector<InputVariant> patterns;
  for (const Usable& one : usable) {
    patterns.push_back({.name = fmt::format("{}_in_{}", one.row->name, one.argument->name),
                        .inputs = {{one.argument->name, one.distribution}},
                        .check = check_of(task, *one.row, *one.argument)});
  }
  for (const PatternRow& row : kRealPatterns) {
    if (!row.of_all) continue;
    InputVariant all{.name = fmt::format("{}_everywhere", row.name)};
    for (const Usable& one : usable) {
      if (one.row != &row) continue;
      all.inputs[one.argument->name] = one.distribution;
      if (all.check.parameters.empty()) all.check = check_of(task, row, *one.argument);
    }
    if (all.inputs.size() > 1) patterns.push_back(std::move(all));
  }
  return patterns;
}

}  // namespace warpwright::verify
