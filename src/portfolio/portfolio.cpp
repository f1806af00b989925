// SPDX-License-Identifier: Apache-2.0
#include "portfolio/portfolio.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/text.h"

namespace warpwright::portfolio {

namespace {

constexpr std::string_view kExternC = "extern \"C\"";

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string_view skip_blanks(std::string_view text) {
  while (!text.empty() && (text[0] == ' ' || text[0] == '\t')) text.remove_prefix(1);
  return text;
}

/// Of `#NAME REST`: REST; absent for other lines.
std::optional<std::string_view> directive(std::string_view line, std::string_view name) {
  line = skip_blanks(line);
  if (!line.starts_with('#')) return std::nullopt;
  line = skip_blanks(line.substr(1));
  if (!line.starts_with(name)) return std::nullopt;
  line.remove_prefix(name.size());
  if (!line.empty() && is_word_char(line[0])) return std::nullopt;
  return skip_blanks(line);
}

/// A part's text without its includes, which go to `includes`, and with the macros it defines.
struct Body {
  std::string text;
  std::set<std::string> macros;
};

Body body_of(std::string_view source, std::vector<std::string>& includes) {
  Body body;
  bool conditional = false;
  int depth = 0;
  for (const std::string_view line : lines_of(source)) {
    if (directive(line, "if") || directive(line, "ifdef") || directive(line, "ifndef")) ++depth;
    if (directive(line, "endif")) --depth;
    conditional = depth > 0;
    if (const auto what = directive(line, "include"); what && !conditional) {
      const std::string text = "#include " + std::string(trimmed(*what));
      if (std::find(includes.begin(), includes.end(), text) == includes.end()) {
        includes.push_back(text);
      }
      body.text += '\n';
      continue;
    }
    if (const auto what = directive(line, "define")) {
      std::size_t end = 0;
      while (end < what->size() && is_word_char((*what)[end])) ++end;
      if (end > 0) body.macros.emplace(what->substr(0, end));
    }
    if (directive(line, "pragma") && line.find("once") != std::string_view::npos) continue;
    body.text += std::string(line) + '\n';
  }
  return body;
}

/// The text with `extern "C" void solve` made an ordinary function.
Result<std::string> without_linkage(std::string text, const std::string& name) {
  std::size_t at = text.find(kExternC);
  bool found = false;
  while (at != std::string::npos) {
    std::string_view rest = std::string_view(text).substr(at + kExternC.size());
    while (!rest.empty() && (rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\n')) {
      rest.remove_prefix(1);
    }
    if (rest.starts_with('{')) {
      return Error{name +
                   ": an extern \"C\" block cannot be merged; write extern \"C\" void solve"};
    }
    text.replace(at, kExternC.size(), std::string(kExternC.size(), ' '));
    found = true;
    at = text.find(kExternC, at);
  }
  if (!found) return Error{name + ": it has no extern \"C\" void solve"};
  return text;
}

/// The value of each argument of `solve` that is a scalar, at one size.
Result<std::map<std::string, double>> scalars_at(const Task& task, const TaskSize& size) {
  std::map<std::string, double> scalars;
  WW_TRY(const Values values, values_at(task, size));
  for (const TaskArgument& argument : task.arguments) {
    if (is_buffer(argument) || is_floating(argument.type)) continue;
    WW_TRY(scalars[argument.name], scalar_value(argument, values));
  }
  return scalars;
}

/// Times at one size by part, or none where a part lacks it.
std::optional<std::vector<double>> times_at(const std::vector<Part>& parts,
                                            const std::string& size) {
  std::vector<double> times;
  for (const Part& part : parts) {
    for (const Measurement& m : part.evaluation.measurements) {
      if (m.size == size) times.push_back(call_us(m));
    }
  }
  if (times.size() != parts.size()) return std::nullopt;
  return times;
}

/// All sizes of one key: how long each part takes for them, as a sum of logarithms.
using Costs = std::map<double, std::vector<double>>;

/// A size that all parts were timed at.
struct Row {
  std::map<std::string, double> scalars;
  std::vector<double> times;
};

/// Ranges, and what they cost: sums of logarithms, a switch at the margin.
struct Plan {
  std::vector<Range> ranges;
  double cost = 0;
};

/// The key of a size: the product of these scalars.
double key_of(const Row& row, const std::vector<std::string>& scalars) {
  double key = 1;
  for (const std::string& name : scalars) key *= std::max(1.0, row.scalars.at(name));
  return key;
}

Costs costs_by(const std::vector<Row>& rows, const std::vector<std::string>& scalars) {
  Costs costs;
  for (const Row& row : rows) {
    auto& sums = costs[key_of(row, scalars)];
    sums.resize(row.times.size(), 0);
    for (std::size_t i = 0; i < row.times.size(); ++i) sums[i] += std::log(row.times[i]);
  }
  return costs;
}

/// The cheapest part of each range, all in all: from key to key either the same part goes on, or
/// another one begins at the price of a switch. On a tie the earlier part stays.
Plan cheapest(const Costs& costs, double switch_cost) {
  std::vector<std::vector<std::size_t>> before;  // per key and part: the part of the key before
  std::vector<double> least;
  for (const auto& [key, times] : costs) {
    std::vector<double> now = times;
    std::vector<std::size_t> from(times.size());
    if (!before.empty()) {
      const auto cheap =
          static_cast<std::size_t>(std::min_element(least.begin(), least.end()) - least.begin());
      for (std::size_t part = 0; part < times.size(); ++part) {
        const bool stays = least[part] <= least[cheap] + switch_cost;
        from[part] = stays ? part : cheap;
        now[part] += stays ? least[part] : least[cheap] + switch_cost;
      }
    }
    least = std::move(now);
    before.push_back(std::move(from));
  }
  auto part =
      static_cast<std::size_t>(std::min_element(least.begin(), least.end()) - least.begin());
  Plan plan{{}, least[part]};
  for (auto at = costs.rbegin(); at != costs.rend(); ++at, before.pop_back()) {
    const std::size_t previous = before.back()[part];
    const auto below = std::next(at);
    if (below == costs.rend()) {
      plan.ranges.push_back({0, part});
    } else if (previous != part) {
      plan.ranges.push_back({std::sqrt(below->first * at->first), part});
    }
    part = previous;
  }
  std::reverse(plan.ranges.begin(), plan.ranges.end());
  return plan;
}

/// Sets of scalars whose product may be the key: all of them first, then fewer.
std::vector<std::vector<std::string>> keys_of(const std::vector<std::string>& scalars) {
  constexpr std::size_t kMostSubsets = 6;  // of so many scalars; of more: all, or one
  std::vector<std::vector<std::string>> keys = {scalars};
  if (scalars.size() > kMostSubsets) {
    for (const std::string& scalar : scalars) keys.push_back({scalar});
    return keys;
  }
  for (std::size_t set = 1; set + 1 < std::size_t{1} << scalars.size(); ++set) {
    std::vector<std::string> some;
    for (std::size_t i = 0; i < scalars.size(); ++i) {
      if ((set >> i & 1) != 0) some.push_back(scalars[i]);
    }
    keys.push_back(std::move(some));
  }
  std::stable_sort(keys.begin(), keys.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return keys;
}

}  // namespace

Result<Dispatch> dispatch_by_size(const Task& task, const std::vector<Part>& parts, double margin) {
  if (parts.empty()) return Error{"there is no kernel to merge"};
  std::map<std::string, std::set<double>> seen;
  std::vector<Row> rows;
  for (const TaskSize& size : task.sizes) {
    auto times = times_at(parts, size.label);
    if (!times) continue;  // not timed, or not by all
    WW_TRY(auto scalars, scalars_at(task, size));
    for (const auto& [name, value] : scalars) seen[name].insert(value);
    rows.push_back({std::move(scalars), std::move(*times)});
  }
  if (rows.empty()) return Error{"the parts have no time at a common size"};
  std::vector<std::string> scalars;
  for (const TaskArgument& argument : task.arguments) {
    if (seen.contains(argument.name) && seen[argument.name].size() > 1) {
      scalars.push_back(argument.name);
    }
  }
  if (scalars.empty() && rows.size() > 1) {
    return Error{"no argument of solve tells the task's sizes apart"};
  }
  if (scalars.empty()) return Dispatch{{}, cheapest(costs_by(rows, {}), 0).ranges};
  std::optional<Plan> best;
  Dispatch dispatch;
  for (const auto& key : keys_of(scalars)) {
    constexpr double kSame = 1e-9;  // fewer scalars only where they tell more
    Plan plan = cheapest(costs_by(rows, key), std::log1p(margin));
    if (best && plan.cost >= best->cost - kSame) continue;
    dispatch.scalars = key;
    best = std::move(plan);
  }
  dispatch.ranges = std::move(best->ranges);
  return dispatch;
}

Result<Portfolio> portfolio_of(const Task& task, const std::vector<Part>& candidates,
                               double margin) {
  WW_TRY(Dispatch dispatch, dispatch_by_size(task, candidates, margin));
  Portfolio chosen;
  std::map<std::size_t, std::size_t> places;
  for (Range& range : dispatch.ranges) {
    const auto [at, is_new] = places.emplace(range.part, chosen.parts.size());
    if (is_new) chosen.parts.push_back(candidates[range.part]);
    range.part = at->second;
  }
  chosen.dispatch = std::move(dispatch);
  return chosen;
}

Result<std::string> merged_source(const Task& task, const std::vector<Part>& parts,
                                  const Dispatch& dispatch) {
  std::set<std::size_t> used;
  for (const Range& range : dispatch.ranges) used.insert(range.part);
  std::vector<std::string> includes;
  std::string bodies;
  for (const std::size_t index : used) {
    Body body = body_of(parts[index].source, includes);
    WW_TRY(const std::string text, without_linkage(std::move(body.text), parts[index].name));
    bodies += fmt::format("\nnamespace part{} {{\n{}}}  // namespace part{}\n", index, text, index);
    for (const std::string& macro : body.macros) bodies += "#undef " + macro + "\n";
  }
  std::string key, names;
  for (const std::string& name : dispatch.scalars) {
    key += (key.empty() ? "" : " * ") + fmt::format("(double)({} > 1 ? {} : 1)", name, name);
  }
  for (const TaskArgument& argument : task.arguments) {
    names += (names.empty() ? "" : ", ") + argument.name;
  }
  if (task.stream) names += ", stream";
  std::string merged;
  for (const std::string& include : includes) merged += include + "\n";
  merged += bodies + "\n" + signature_of(task) + " {\n";
  const bool many = dispatch.ranges.size() > 1;
  if (many) merged += "  const double size = " + key + ";\n";
  for (std::size_t i = dispatch.ranges.size(); i-- > 1;) {
    merged +=
        fmt::format("  if (size > {:.17g}) {{\n    part{}::solve({});\n    return;\n  }}\n",
                    std::floor(dispatch.ranges[i].above) + 0.5, dispatch.ranges[i].part, names);
  }
  merged += fmt::format("  part{}::solve({});\n}}\n", dispatch.ranges.front().part, names);
  return merged;
}

}  // namespace warpwright::portfolio
