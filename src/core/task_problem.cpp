// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/closest.h"
#include "core/distribution.h"
#include "core/task.h"
#include "core/task_domains.h"

namespace warpwright {

namespace {

using Problem = std::optional<TaskProblem>;

constexpr std::size_t kMaxSizes = 256;
constexpr std::size_t kMaxArguments = 1024;  // parameters of large modules are arguments

#define WW_FIND(expression) \
  if (Problem ww_problem = (expression)) return ww_problem

const TaskArgument* argument_named(const Task& task, std::string_view name) {
  for (const auto& argument : task.arguments) {
    if (argument.name == name) return &argument;
  }
  return nullptr;
}

// C++ words that a model or a user might plausibly choose for a parameter.
bool is_reserved(std::string_view name) {
  static const std::set<std::string_view> words = {
      "int",       "float",     "double",   "char",      "long",  "short",    "signed",
      "unsigned",  "void",      "const",    "bool",      "auto",  "class",    "struct",
      "union",     "enum",      "new",      "delete",    "this",  "template", "typename",
      "return",    "if",        "else",     "for",       "while", "do",       "switch",
      "case",      "default",   "break",    "continue",  "goto",  "register", "static",
      "extern",    "inline",    "operator", "namespace", "using", "public",   "private",
      "protected", "signature", "solve",    "inf",       "label"};
  return words.contains(name);
}

Problem check_header(const Task& task) {
  if (!is_identifier(task.name)) {
    return TaskProblem{
        "name",
        fmt::format("'{}' is not a usable name: letters, digits and underscores only", task.name)};
  }
  for (std::size_t i = 0; task.stream && i < task.arguments.size(); ++i) {
    if (task.arguments[i].name == "stream")
      return TaskProblem{fmt::format("argument[{}].name", i),
                         "'stream' is the caller's stream: stream = true"};
  }
  if (task.title.empty())
    return TaskProblem{"title", "a title is needed, e.g. title = \"Matrix transpose\""};
  if (task.description.empty()) {
    return TaskProblem{
        "description",
        "a description is needed: it is all that the model learns of the computation"};
  }
  if (task.rule_set != "strict" && task.rule_set != "free") {
    return TaskProblem{
        "rule_set", fmt::format("unknown rule set '{}'; known: strict (one kernel function), free",
                                task.rule_set)};
  }
  if (!task.group.empty() && !is_identifier(task.group))
    return TaskProblem{"group", fmt::format("'{}' is not a usable name", task.group)};
  for (std::size_t i = 0; i < task.rules.size(); ++i) {
    std::vector<std::string_view> known;
    for (const auto& rule : known_task_rules()) known.push_back(rule.name);
    if (std::find(known.begin(), known.end(), task.rules[i]) == known.end()) {
      return TaskProblem{fmt::format("rules[{}]", i),
                         fmt::format("unknown rule '{}'{}; known: {}", task.rules[i],
                                     did_you_mean(task.rules[i], known), fmt::join(known, ", "))};
    }
  }
  return std::nullopt;
}

Problem check_distribution(const Task& task, const std::string& where, const std::string& owner,
                           const std::string& text) {
  const auto parsed = Distribution::parse(text);
  if (!parsed) return TaskProblem{where, parsed.error().message};
  for (const auto& stage : parsed->stages) {
    if (stage.argument.empty()) continue;
    const auto* other = argument_named(task, stage.argument);
    if (other == nullptr || other->role != ArgumentRole::input || stage.argument == owner) {
      return TaskProblem{
          where, fmt::format("'{}' does not name another input of the task", stage.argument)};
    }
  }
  return std::nullopt;
}

Problem check_arguments(const Task& task) {
  if (task.arguments.empty()) return TaskProblem{"argument", "at least one [[argument]] is needed"};
  if (task.arguments.size() > kMaxArguments)
    return TaskProblem{"argument", fmt::format("more than {} arguments", kMaxArguments)};
  bool has_output = false;
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    const auto& argument = task.arguments[i];
    const auto at = [&](std::string_view key) { return fmt::format("argument[{}].{}", i, key); };
    if (!is_identifier(argument.name) || is_reserved(argument.name)) {
      return TaskProblem{at("name"),
                         fmt::format("'{}' cannot be a parameter's name in C++", argument.name)};
    }
    if (!seen.insert(argument.name).second)
      return TaskProblem{at("name"), fmt::format("'{}' is there twice", argument.name)};
    const bool needs_values =
        argument.role == ArgumentRole::input || argument.role == ArgumentRole::inout;
    if (needs_values && argument.distribution.empty()) {
      return TaskProblem{
          at("values"),
          fmt::format("input '{}' needs values, e.g. values = \"normal(0, 1)\"", argument.name)};
    }
    if (!needs_values && !argument.distribution.empty()) {
      return TaskProblem{at("values"),
                         fmt::format("'{}' is no input, so it takes no values", argument.name)};
    }
    const bool is_output =
        argument.role == ArgumentRole::output || argument.role == ArgumentRole::inout;
    has_output |= is_output;
    if (!is_output && argument.check != CheckRule{})
      return TaskProblem{at("check"),
                         fmt::format("'{}' is no output, so it takes no check", argument.name)};
    if (needs_values)
      WW_FIND(check_distribution(task, at("values"), argument.name, argument.distribution));
  }
  if (!has_output) return TaskProblem{"argument", "no argument has the role output or inout"};
  return std::nullopt;
}

Problem check_rule_of(const Task& task, const CheckRule& check, const std::string& where) {
  if (const auto status = validate(check); !status)
    return TaskProblem{where, status.error().message};
  const auto row = check_rule_named(check.rule);
  for (const auto& parameter : row.value()->parameters) {
    const auto found = check.parameters.find(std::string(parameter.name));
    if (found == check.parameters.end()) continue;
    const auto at = fmt::format("{}.{}", where, parameter.name);
    if (parameter.names_argument && argument_named(task, found->second) == nullptr) {
      return TaskProblem{at, fmt::format("'{}' names no argument of the task", found->second)};
    }
    if (parameter.names_argument) continue;
    if (const auto parsed = Expression::parse(found->second); !parsed)
      return TaskProblem{at, parsed.error().message};
  }
  return std::nullopt;
}

Problem check_numbers_of(const Task& task, const std::string& distribution, const Values& values,
                         const std::string& where) {
  const auto parsed = Distribution::parse(distribution);
  for (const auto& stage : parsed.value().stages) {
    for (const auto& number : stage.numbers) {
      if (const auto value = number.evaluate(values); !value)
        return TaskProblem{where, value.error().message};
    }
  }
  static_cast<void>(task);
  return std::nullopt;
}

// The rule's numbers have values at this size.
Problem check_numbers_at(const CheckRule& check, const Values& values, const std::string& where,
                         const TaskSize& size) {
  const auto row = check_rule_named(check.rule);
  for (const auto& parameter : row.value()->parameters) {
    const auto found = check.parameters.find(std::string(parameter.name));
    if (parameter.names_argument || found == check.parameters.end()) continue;
    if (const auto value = value_of(found->second, values); !value) {
      return TaskProblem{where + "." + found->first,
                         fmt::format("at size '{}': {}", size.label, value.error().message)};
    }
  }
  return std::nullopt;
}

// One size with one variant: every expression of the task has a value there.
Problem check_at(const Task& task, const TaskSize& size, const InputVariant* variant,
                 const std::string& where) {
  auto values = values_at(task, size, variant);
  if (!values) return TaskProblem{where, values.error().message};
  for (const std::string_view name : kDrawnNames) values->emplace(name, 0.5);
  const auto says = [&](const std::string& what) {
    return fmt::format("at size '{}': {}", size.label, what);
  };
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    const auto& argument = task.arguments[i];
    const auto key = fmt::format("argument[{}].{}", i, is_buffer(argument) ? "count" : "value");
    if (is_buffer(argument)) {
      if (const auto count = element_count(argument, *values); !count)
        return TaskProblem{key, says(count.error().message)};
    } else if (const auto value = scalar_value(argument, *values); !value) {
      return TaskProblem{key, says(value.error().message)};
    }
    if (variant == nullptr && !argument.distribution.empty()) {
      WW_FIND(check_numbers_of(task, argument.distribution, *values,
                               fmt::format("argument[{}].values", i)));
    }
  }
  if (variant != nullptr) {
    for (const auto& [name, text] : variant->inputs)
      WW_FIND(check_numbers_of(task, text, *values, fmt::format("{}.inputs.{}", where, name)));
  }
  WW_FIND(check_numbers_at(check_for(task, variant), *values,
                           variant == nullptr ? "check" : where + ".check", size));
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    if (task.arguments[i].check.rule.empty()) continue;
    WW_FIND(check_numbers_at(task.arguments[i].check, *values, fmt::format("argument[{}].check", i),
                             size));
  }
  return std::nullopt;
}

Problem check_cost(const Task& task, const TaskSize& size) {
  // What is still to be counted cannot be wrong.
  const Result<double> nothing = 0.0;
  const auto bytes = task.bytes_expression == kCountedCost ? nothing : least_bytes(task, size);
  if (!bytes)
    return TaskProblem{"cost.bytes",
                       fmt::format("at size '{}': {}", size.label, bytes.error().message)};
  const auto work = task.flops_expression == kCountedCost ? nothing : flops(task, size);
  if (!work)
    return TaskProblem{"cost.flops",
                       fmt::format("at size '{}': {}", size.label, work.error().message)};
  if (!(*bytes >= 0) || !(*work >= 0))
    return TaskProblem{"cost", fmt::format("negative at size '{}'", size.label)};
  return std::nullopt;
}

Problem check_sizes(const Task& task, const std::vector<TaskSize>& sizes, std::string_view key,
                    std::set<std::string>& labels) {
  if (sizes.size() > kMaxSizes)
    return TaskProblem{std::string(key), fmt::format("more than {} sizes", kMaxSizes)};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto where = fmt::format("{}[{}]", key, i);
    for (const auto& [name, value] : sizes[i].values) {
      if (!is_identifier(name))
        return TaskProblem{where, fmt::format("'{}' cannot be a value's name", name)};
      if (task.derived.contains(name))
        return TaskProblem{where, fmt::format("'{}' is also a derived value", name)};
      if (std::find(kDrawnNames.begin(), kDrawnNames.end(), name) != kDrawnNames.end())
        return TaskProblem{where, fmt::format("'{}' stands for a drawn number", name)};
    }
    if (!labels.insert(sizes[i].label).second)
      return TaskProblem{where, fmt::format("two sizes are labelled '{}'", sizes[i].label)};
    WW_FIND(check_at(task, sizes[i], nullptr, where));
    WW_FIND(check_cost(task, sizes[i]));
  }
  return std::nullopt;
}

/// What a variant sets lies in the domains, too.
Problem check_set(const Task& task, const TaskSize& size, const InputVariant& variant,
                  const std::string& where) {
  if (variant.values.empty() || task.domain.empty()) return std::nullopt;
  const auto domains = domains_of(task);
  const auto values = values_at(task, size, &variant);
  if (!domains.ok() || !values.ok()) return std::nullopt;  // said before
  if (const auto status = within_domains(*domains, *values); !status.ok())
    return TaskProblem{where + ".set",
                       fmt::format("at size '{}': {}", size.label, status.error().message)};
  return std::nullopt;
}

Problem check_variant(const Task& task, const InputVariant& variant, const std::string& where) {
  if (!is_identifier(variant.name))
    return TaskProblem{where + ".name", fmt::format("'{}' is not a usable name", variant.name)};
  for (const auto& [name, text] : variant.inputs) {
    const auto* argument = argument_named(task, name);
    const auto at = fmt::format("{}.inputs.{}", where, name);
    if (argument == nullptr || argument->distribution.empty())
      return TaskProblem{at, fmt::format("'{}' is no input of the task", name)};
    WW_FIND(check_distribution(task, at, name, text));
  }
  WW_FIND(check_rule_of(task, check_for(task, &variant), where + ".check"));
  const auto own = check_rule_named(check_for(task, &variant).rule);
  const auto whole = check_rule_named(task.check.rule);
  if (own.value()->wide != whole.value()->wide && own.value()->name != "exact") {
    return TaskProblem{where + ".check",
                       fmt::format("rule '{}' cannot stand in for the task's '{}'; 'exact' can",
                                   own.value()->name, whole.value()->name)};
  }
  bool used = false;
  for (const auto* list : {&task.edge_sizes, &task.sizes}) {
    for (const auto& size : *list) {
      for (const auto& [name, value] : variant.values) {
        if (!size.values.contains(name))
          return TaskProblem{fmt::format("{}.set.{}", where, name),
                             fmt::format("no size has a value '{}'", name)};
      }
      const auto yes = applies(task, variant, size);
      if (!yes) return TaskProblem{where + ".when", yes.error().message};
      if (!*yes) continue;
      used = true;
      WW_FIND(check_at(task, size, &variant, where));
      WW_FIND(check_set(task, size, variant, where));
    }
  }
  if (!used)
    return TaskProblem{where + ".when",
                       fmt::format("variant '{}' applies to no size", variant.name)};
  return std::nullopt;
}

/// With a module, each buffer is one of its tensors, and the rules need nothing but values.
Problem check_torch(const Task& task) {
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    const TaskArgument& argument = task.arguments[i];
    const auto where = fmt::format("argument[{}]", i);
    if (task.torch.source.empty()) {
      if (argument.torch.empty()) continue;
      return TaskProblem{where + ".torch", "there is no reference.py that it could be a part of"};
    }
    if (!is_buffer(argument)) continue;
    if (argument.torch.empty())
      return TaskProblem{where, fmt::format("'{}' needs torch: which tensor of the module it is, "
                                            "e.g. torch = \"input 0\"",
                                            argument.name)};
    if (argument.role == ArgumentRole::input) continue;
    const auto row = check_rule_named(check_for(task, nullptr, argument).rule);
    if (row.ok() && row.value()->wants_scale)
      return TaskProblem{where, fmt::format("rule '{}' needs scales, which reference.py does not "
                                            "give: use elementwise",
                                            row.value()->name)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<TaskProblem> find_problem(const Task& task, Domains domains) {
  WW_FIND(check_header(task));
  WW_FIND(check_arguments(task));
  WW_FIND(check_rule_of(task, task.check, "check"));
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    if (task.arguments[i].check == CheckRule{}) continue;
    WW_FIND(check_rule_of(task, task.arguments[i].check, fmt::format("argument[{}].check", i)));
  }
  for (const auto& [name, text] : task.derived) {
    const auto where = "derived." + name;
    if (!is_identifier(name))
      return TaskProblem{where, fmt::format("'{}' is not a usable name", name)};
    if (const auto parsed = Expression::parse(text); !parsed)
      return TaskProblem{where, parsed.error().message};
  }
  if (task.sizes.empty())
    return TaskProblem{"size", "at least one [[size]] is needed: the sizes that are timed"};
  std::set<std::string> labels;
  WW_FIND(check_sizes(task, task.sizes, "size", labels));
  WW_FIND(check_sizes(task, task.scale_sizes, "scale", labels));
  WW_FIND(check_sizes(task, task.edge_sizes, "edge", labels));
  WW_FIND(find_domain_problem(task, domains));
  if (task.variants.size() > 64) return TaskProblem{"variant", "more than 64 variants"};
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < task.variants.size(); ++i) {
    const auto where = fmt::format("variant[{}]", i);
    if (!names.insert(task.variants[i].name).second || task.variants[i].name == "timed") {
      return TaskProblem{where + ".name", fmt::format("'{}' is taken", task.variants[i].name)};
    }
    WW_FIND(check_variant(task, task.variants[i], where));
  }
  WW_FIND(check_torch(task));
  if (task.baseline_source.empty() && task.torch.source.empty())
    return TaskProblem{"", "there is no baseline: write baseline.cu with the task's solve"};
  return std::nullopt;
}

}  // namespace warpwright
