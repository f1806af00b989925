// SPDX-License-Identifier: Apache-2.0
#include "core/task_domains.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace warpwright {

namespace {

using Problem = std::optional<TaskProblem>;

constexpr std::uint64_t kMostElements = (std::uint64_t{1} << 31) - 1;

#define WW_FIND(expression) \
  if (Problem ww_problem = (expression)) return ww_problem

const TaskArgument* scalar_named(const Task& task, std::string_view name) {
  for (const auto& argument : task.arguments) {
    if (!is_buffer(argument) && argument.name == name) return &argument;
  }
  return nullptr;
}

std::array<const std::vector<TaskSize>*, 3> lists_of(const Task& task) {
  return {&task.sizes, &task.scale_sizes, &task.edge_sizes};
}

/// What needs a domain: every value of a size, and scalars that no value of a size decides.
std::set<std::string> names_in_need(const Task& task) {
  std::set<std::string> names;
  for (const auto* list : lists_of(task)) {
    for (const TaskSize& size : *list) {
      for (const auto& [name, value] : size.values) names.insert(name);
    }
  }
  for (const auto& argument : task.arguments) {
    if (is_buffer(argument) || task.derived.contains(argument.name)) continue;
    const auto parsed = Expression::parse(argument.expression);
    if (parsed.ok() && parsed->names().empty()) names.insert(argument.name);
  }
  return names;
}

/// The values that the sizes give a name, whole or not.
std::vector<double> listed_values(const Task& task, const std::string& name) {
  std::vector<double> values;
  for (const auto* list : lists_of(task)) {
    for (const TaskSize& size : *list) {
      if (const auto all = values_at(task, size); all.ok() && all->contains(name))
        values.push_back(all->at(name));
    }
  }
  return values;
}

Problem check_names(const Task& task) {
  const auto needed = names_in_need(task);
  for (const std::string& name : needed) {
    if (task.domain.contains(name)) continue;
    return TaskProblem{
        task.domain.empty() ? "" : "domain",
        fmt::format("'{}' has no domain: say which values it may have, because the judge draws "
                    "some of them for every trial. From the sizes alone it would be\n{}Widen each "
                    "to what the description promises (docs/tasks.md)",
                    name, suggested_domains(task))};
  }
  for (const auto& [name, text] : task.domain) {
    const auto where = "domain." + name;
    if (const auto parsed = Domain::parse(text); !parsed.ok())
      return TaskProblem{where, parsed.error().message};
    if (needed.contains(name)) continue;
    const TaskArgument* scalar = scalar_named(task, name);
    if (scalar == nullptr || task.derived.contains(name))
      return TaskProblem{where,
                         fmt::format("'{}' is neither a value of the sizes nor a scalar", name)};
  }
  return std::nullopt;
}

/// Values of integer scalars are whole.
Problem check_kinds(const Task& task, const std::vector<NamedDomain>& domains) {
  for (const auto& [name, domain] : domains) {
    const TaskArgument* scalar = scalar_named(task, name);
    const bool real = domain.kind() == Domain::Kind::real || domain.kind() == Domain::Kind::log;
    if (scalar != nullptr && real && !is_floating(scalar->type))
      return TaskProblem{"domain." + name, fmt::format("'{}' is an integer, so its domain must not "
                                                       "be one of real numbers",
                                                       name)};
  }
  return std::nullopt;
}

Problem check_listed(const Task& task, const std::vector<NamedDomain>& domains) {
  constexpr std::array<std::string_view, 3> kKeys = {"size", "scale", "edge"};
  const auto lists = lists_of(task);
  for (std::size_t k = 0; k < lists.size(); ++k) {
    for (std::size_t i = 0; i < lists[k]->size(); ++i) {
      const TaskSize& size = (*lists[k])[i];
      const auto where = fmt::format("{}[{}]", kKeys[k], i);
      const auto values = values_at(task, size);
      if (!values.ok()) return TaskProblem{where, values.error().message};
      if (const auto status = within_domains(domains, *values); !status.ok())
        return TaskProblem{where, fmt::format("size '{}': {}", size.label, status.error().message)};
    }
  }
  return std::nullopt;
}

/// The size with every value at its least, or at its largest.
Result<TaskSize> corner(const std::vector<NamedDomain>& domains, bool largest) {
  TaskSize size{.label = largest ? "the largest of each domain" : "the least of each domain",
                .values = {}};
  for (const auto& [name, domain] : domains) {
    WW_TRY(const auto range, domain.at(size.values));
    size.values[name] = largest ? range.largest() : range.least();
  }
  return size;
}

/// What is demanded of sizes holds at the corner where each value is least: whoever draws can
/// always fall back to it.
Problem check_corners(const Task& task, const std::vector<NamedDomain>& domains) {
  for (const bool largest : {false, true}) {
    const auto size = corner(domains, largest);
    if (!size.ok()) return TaskProblem{"domain", size.error().message};
    if (largest) continue;  // may be far beyond any memory
    const auto says = [&](const Error& error) {
      return TaskProblem{"domain", fmt::format("at {}: {}", size->label, error.message)};
    };
    const auto values = values_at(task, *size);
    if (!values.ok()) return says(values.error());
    for (const auto& argument : task.arguments) {
      if (!is_buffer(argument)) continue;
      if (const auto count = element_count(argument, *values); !count.ok())
        return says(count.error());
    }
    if (task.flops_expression == kCountedCost) continue;
    if (const auto amount = work(task, *size); !amount.ok()) return says(amount.error());
  }
  return std::nullopt;
}

Problem check_ranges(const Task& task) {
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    const TaskArgument& argument = task.arguments[i];
    if (argument.range.empty()) continue;
    const auto where = fmt::format("argument[{}].range", i);
    if (argument.distribution.empty())
      return TaskProblem{where,
                         fmt::format("'{}' is no input, so it takes no range", argument.name)};
    if (argument.range == "any") continue;
    const auto domain = Domain::parse(argument.range);
    if (!domain.ok()) return TaskProblem{where, domain.error().message};
    for (const auto* list : lists_of(task)) {
      for (const TaskSize& size : *list) {
        const auto values = values_at(task, size);
        if (!values.ok()) continue;  // somebody else's problem
        if (const auto range = domain->at(*values); !range.ok())
          return TaskProblem{where,
                             fmt::format("at size '{}': {}", size.label, range.error().message)};
      }
    }
  }
  return std::nullopt;
}

}  // namespace

Result<std::vector<NamedDomain>> domains_of(const Task& task) {
  return ordered_domains(task.domain);
}

Result<std::uint64_t> most_elements(const Task& task) {
  std::uint64_t most = kMostElements;
  for (const auto* list : lists_of(task)) {
    for (const TaskSize& size : *list) {
      WW_TRY(const auto values, values_at(task, size));
      for (const auto& argument : task.arguments) {
        if (!is_buffer(argument)) continue;
        WW_TRY(const auto count, element_count(argument, values));
        most = std::max(most, count);
      }
    }
  }
  return most;
}

std::string suggested_domains(const Task& task) {
  std::string lines = "[domain]\n";
  for (const std::string& name : names_in_need(task)) {
    const auto values = listed_values(task, name);
    if (values.empty()) continue;
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const TaskArgument* scalar = scalar_named(task, name);
    const bool real = scalar != nullptr && is_floating(scalar->type);
    lines += *low == *high && real
                 ? fmt::format("{} = \"fixed {}\"\n", name, *low)
                 : fmt::format("{} = \"{}..{}{}\"\n", name, *low, *high, real ? " real" : "");
  }
  return lines;
}

std::optional<TaskProblem> find_domain_problem(const Task& task, Domains domains) {
  if (!task.work_expression.empty()) {
    if (const auto parsed = Expression::parse(task.work_expression); !parsed.ok())
      return TaskProblem{"cost.work", parsed.error().message};
    for (const TaskSize& size : task.sizes) {
      if (task.flops_expression == kCountedCost) break;
      if (const auto amount = work(task, size); !amount.ok())
        return TaskProblem{"cost.work", amount.error().message};
    }
  }
  WW_FIND(check_ranges(task));
  if (task.domain.empty() && domains == Domains::optional) return std::nullopt;
  WW_FIND(check_names(task));
  const auto ordered = domains_of(task);
  if (!ordered.ok()) return TaskProblem{"domain", ordered.error().message};
  WW_FIND(check_kinds(task, *ordered));
  WW_FIND(check_listed(task, *ordered));
  return check_corners(task, *ordered);
}

std::string ranges_for_model(const Task& task) {
  std::string text;
  for (const auto& argument : task.arguments) {
    const auto found = task.domain.find(argument.name);
    if (is_buffer(argument) || found == task.domain.end()) continue;
    if (const auto domain = Domain::parse(found->second); domain.ok())
      text += fmt::format("* {}: {}.\n", argument.name, domain->words());
  }
  for (const auto& argument : task.arguments) {
    if (argument.range.empty()) continue;
    const auto domain = Domain::parse(argument.range);
    text += domain.ok() ? fmt::format("* Elements of `{}`: {}.\n", argument.name, domain->words())
                        : fmt::format("* Elements of `{}`: any bits.\n", argument.name);
  }
  if (text.empty()) return text;
  if (const auto most = most_elements(task); most.ok() && *most == kMostElements)
    text += "* No buffer has more than 2^31 - 1 elements.\n";
  return "\nRanges\n" + text;
}

}  // namespace warpwright
