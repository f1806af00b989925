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

std::vector<Range> ranges_of(const Costs& costs, double margin) {
  std::vector<Range> ranges;
  double before = 0;
  for (const auto& [key, times] : costs) {
    const auto best =
        static_cast<std::size_t>(std::min_element(times.begin(), times.end()) - times.begin());
    if (ranges.empty()) {
      ranges.push_back({0, best});
    } else if (const std::size_t last = ranges.back().part;
               best != last && times[best] < times[last] - std::log1p(margin)) {
      ranges.push_back({std::sqrt(before * key), best});
    }
    before = key;
  }
  return ranges;
}

}  // namespace

Result<Dispatch> dispatch_by_size(const Task& task, const std::vector<Part>& parts, double margin) {
  std::map<std::string, std::set<double>> seen;
  std::vector<std::pair<std::map<std::string, double>, std::vector<double>>> rows;
  for (const TaskSize& size : task.sizes) {
    const auto times = times_at(parts, size.label);
    if (!times) continue;  // not timed, or not by all
    WW_TRY(auto scalars, scalars_at(task, size));
    for (const auto& [name, value] : scalars) seen[name].insert(value);
    rows.emplace_back(std::move(scalars), *times);
  }
  if (rows.empty()) return Error{"the parts have no time at a common size"};
  Dispatch dispatch;
  for (const TaskArgument& argument : task.arguments) {
    if (seen.contains(argument.name) && seen[argument.name].size() > 1) {
      dispatch.scalars.push_back(argument.name);
    }
  }
  if (dispatch.scalars.empty() && rows.size() > 1) {
    return Error{"no argument of solve tells the task's sizes apart"};
  }
  Costs costs;
  for (const auto& [scalars, times] : rows) {
    double key = 1;
    for (const std::string& name : dispatch.scalars) key *= std::max(1.0, scalars.at(name));
    auto& sums = costs[key];
    sums.resize(parts.size(), 0);
    for (std::size_t i = 0; i < parts.size(); ++i) sums[i] += std::log(times[i]);
  }
  dispatch.ranges = ranges_of(costs, margin);
  return dispatch;
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
