// SPDX-License-Identifier: Apache-2.0
#include "core/task_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/closest.h"
#include "core/json_reader.h"
#include "core/task_domains.h"

namespace warpwright {

namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;
using Problem = std::optional<TaskProblem>;

#define WW_FIND(expression) \
  if (Problem ww_problem = (expression)) return ww_problem

std::string joined(const std::string& where, std::string_view key) {
  return where.empty() ? std::string(key) : fmt::format("{}.{}", where, key);
}

/// Reads the members of one object and complains of the ones nobody asked for.
class TaskReader {
 public:
  TaskReader(const Json& object, std::string where) : object_(object), where_(std::move(where)) {}

  Problem text(std::string_view key, std::string& out, bool required = false) {
    const Json* value = member(key, required);
    if (value == nullptr) return missing_;
    if (!value->is_string())
      return TaskProblem{joined(where_, key), fmt::format("'{}' must be a text in quotes", key)};
    out = value->get<std::string>();
    return std::nullopt;
  }
  /// An expression may be written as a number, too.
  Problem expression(std::string_view key, std::string& out, bool required = false) {
    const Json* value = member(key, required);
    if (value == nullptr) return missing_;
    if (value->is_number()) {
      out = fmt::format("{}", value->get<double>());
      if (value->is_number_integer()) out = value->dump();
      return std::nullopt;
    }
    if (!value->is_string())
      return TaskProblem{joined(where_, key),
                         fmt::format("'{}' must be a number or an expression in quotes", key)};
    out = value->get<std::string>();
    return std::nullopt;
  }
  Problem flag(std::string_view key, bool& out) {
    const Json* value = member(key, false);
    if (value == nullptr) return std::nullopt;
    if (!value->is_boolean())
      return TaskProblem{joined(where_, key), fmt::format("'{}' must be true or false", key)};
    out = value->get<bool>();
    return std::nullopt;
  }
  Problem object(std::string_view key, const Json*& out) {
    out = member(key, false);
    if (out != nullptr && !out->is_object())
      return TaskProblem{joined(where_, key), fmt::format("'{}' must be a table", key)};
    return std::nullopt;
  }
  Problem array(std::string_view key, const Json*& out) {
    out = member(key, false);
    if (out != nullptr && !out->is_array())
      return TaskProblem{joined(where_, key), fmt::format("'{}' must be an array", key)};
    return std::nullopt;
  }
  Problem no_others() const {
    for (const auto& [key, value] : object_.items()) {
      if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
      return TaskProblem{joined(where_, key),
                         fmt::format("unknown key '{}'{} (known here: {})", key,
                                     did_you_mean(key, known_), fmt::join(known_, ", "))};
    }
    return std::nullopt;
  }

 private:
  const Json* member(std::string_view key, bool required) {
    known_.push_back(key);
    missing_.reset();
    const auto found = object_.find(std::string(key));
    if (found != object_.end()) return &*found;
    if (required) missing_ = TaskProblem{where_, fmt::format("'{}' is missing", key)};
    return nullptr;
  }

  const Json& object_;
  std::string where_;
  std::vector<std::string_view> known_;
  Problem missing_;
};

Problem read_texts(const Json& object, const std::string& where, bool numbers,
                   std::map<std::string, std::string>& out) {
  for (const auto& [key, value] : object.items()) {
    TaskReader reader(object, where);
    WW_FIND(numbers ? reader.expression(key, out[key]) : reader.text(key, out[key]));
  }
  return std::nullopt;
}

Problem read_number(const Json& value, const std::string& where, double& out) {
  if (!value.is_number() || !std::isfinite(value.get<double>()))
    return TaskProblem{where, "must be a number"};
  out = value.get<double>();
  return std::nullopt;
}

Problem read_check(const Json& json, const std::string& where, CheckRule& check) {
  TaskReader reader(json, where);
  WW_FIND(reader.text("rule", check.rule));
  WW_FIND(read_texts(json, where, true, check.parameters));
  check.parameters.erase("rule");
  return std::nullopt;
}

Problem read_argument(const Json& json, const std::string& where, TaskArgument& argument) {
  TaskReader reader(json, where);
  std::string type;
  std::string role;
  WW_FIND(reader.text("name", argument.name, true));
  WW_FIND(reader.text("type", type, true));
  WW_FIND(reader.text("role", role, true));
  const auto known_type = element_type_named(type);
  if (!known_type)
    return TaskProblem{
        where + ".type",
        fmt::format("unknown type '{}'; known: f32, i32, f16, bf16, f64, u32, i64, u8, i8", type)};
  const auto known_role = argument_role_named(role);
  if (!known_role)
    return TaskProblem{where + ".role",
                       fmt::format("unknown role '{}'; known: input, output, inout, scalar", role)};
  argument.type = *known_type;
  argument.role = *known_role;
  if (!is_buffer(argument)) argument.expression = argument.name;
  WW_FIND(reader.expression(is_buffer(argument) ? "count" : "value", argument.expression,
                            is_buffer(argument)));
  WW_FIND(reader.text("values", argument.distribution));
  WW_FIND(reader.text("range", argument.range));
  WW_FIND(reader.text("torch", argument.torch));
  const Json* check = nullptr;
  WW_FIND(reader.object("check", check));
  if (check != nullptr) WW_FIND(read_check(*check, where + ".check", argument.check));
  return reader.no_others();
}

Problem read_size(const Task& task, const Json& json, const std::string& where, TaskSize& size) {
  for (const auto& [key, value] : json.items()) {
    if (key == "label") {
      if (!value.is_string()) return TaskProblem{where + ".label", "must be a text in quotes"};
      size.label = value.get<std::string>();
    } else if (key == "weight") {
      WW_FIND(read_number(value, where + ".weight", size.weight));
      if (!(size.weight > 0)) return TaskProblem{where + ".weight", "must be greater than 0"};
    } else {
      WW_FIND(read_number(value, joined(where, key), size.values[key]));
    }
  }
  if (size.label.empty()) size.label = label_of(task, size.values);
  return std::nullopt;
}

Problem read_variant(const Json& json, const std::string& where, InputVariant& variant) {
  TaskReader reader(json, where);
  const Json* inputs = nullptr;
  const Json* set = nullptr;
  const Json* check = nullptr;
  WW_FIND(reader.text("name", variant.name, true));
  WW_FIND(reader.expression("when", variant.when));
  WW_FIND(reader.object("inputs", inputs));
  WW_FIND(reader.object("set", set));
  WW_FIND(reader.object("check", check));
  WW_FIND(reader.no_others());
  if (inputs != nullptr) WW_FIND(read_texts(*inputs, where + ".inputs", false, variant.inputs));
  if (check != nullptr) WW_FIND(read_check(*check, where + ".check", variant.check));
  if (set == nullptr) return std::nullopt;
  for (const auto& [key, value] : set->items())
    WW_FIND(read_number(value, fmt::format("{}.set.{}", where, key), variant.values[key]));
  return std::nullopt;
}

/// Reads an array of tables with `read(json, where, element)`.
template <class T, class Read>
Problem read_list(TaskReader& reader, std::string_view key, std::vector<T>& out, Read read) {
  const Json* list = nullptr;
  WW_FIND(reader.array(key, list));
  if (list == nullptr) return std::nullopt;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const auto where = fmt::format("{}[{}]", key, i);
    if (!(*list)[i].is_object())
      return TaskProblem{where, fmt::format("must be a table: write [[{}]]", key)};
    WW_FIND(read((*list)[i], where, out.emplace_back()));
  }
  return std::nullopt;
}

Problem read_names(TaskReader& reader, const char* key, std::vector<std::string>& names) {
  const Json* list = nullptr;
  WW_FIND(reader.array(key, list));
  if (list == nullptr) return std::nullopt;
  for (const auto& name : *list) {
    if (!name.is_string()) return TaskProblem{key, "must be a list of names in quotes"};
    names.push_back(name.get<std::string>());
  }
  return std::nullopt;
}

Problem read_torch(TaskReader& reader, TorchModule& module) {
  const Json* table = nullptr;
  WW_FIND(reader.object("torch", table));
  if (table == nullptr) return std::nullopt;
  TaskReader keys(*table, "torch");
  WW_FIND(keys.text("mode", module.mode));
  WW_FIND(keys.flag("backward", module.backward));
  WW_FIND(keys.text("shapes", module.shapes));
  WW_FIND(keys.text("python", module.python));
  WW_FIND(keys.no_others());
  if (module.mode != "train" && module.mode != "eval")
    return TaskProblem{"torch.mode", "must be \"train\" or \"eval\""};
  if (module.shapes != "fixed" && module.shapes != "general")
    return TaskProblem{"torch.shapes", "must be \"fixed\" or \"general\""};
  return std::nullopt;
}

Problem read_build(TaskReader& reader, BuildRules& build) {
  const Json* table = nullptr;
  WW_FIND(reader.object("build", table));
  if (table == nullptr) return std::nullopt;
  TaskReader keys(*table, "build");
  const Json* folders = nullptr;
  WW_FIND(keys.array("include", folders));
  WW_FIND(keys.flag("libraries", build.libraries));
  WW_FIND(keys.no_others());
  for (std::size_t i = 0; folders != nullptr && i < folders->size(); ++i) {
    const auto where = fmt::format("build.include[{}]", i);
    if (!(*folders)[i].is_string()) return TaskProblem{where, "must be a folder in quotes"};
    build.include.push_back((*folders)[i].get<std::string>());
    if (build.include.back().empty()) return TaskProblem{where, "is empty"};
  }
  if (!build.libraries && !build.include.empty())
    return TaskProblem{"build.libraries", "is false, but include names some"};
  return std::nullopt;
}

/// Of a module whose shape is fixed, the first size is the only one.
void keep_one_shape(Task& task) {
  if (task.torch.source.empty() || task.torch.shapes != "fixed" || task.sizes.empty()) return;
  task.sizes.resize(1);
  task.scale_sizes.clear();
  task.edge_sizes.clear();
  for (const auto& [name, value] : task.sizes.front().values)
    task.domain[name] = fmt::format("fixed {}", value);
}

Problem read_tables(TaskReader& reader, Task& task) {
  const Json* derived = nullptr;
  const Json* domain = nullptr;
  const Json* check = nullptr;
  const Json* cost = nullptr;
  const Json* sources = nullptr;
  WW_FIND(read_torch(reader, task.torch));
  WW_FIND(reader.object("derived", derived));
  WW_FIND(reader.object("domain", domain));
  WW_FIND(reader.object("check", check));
  WW_FIND(reader.object("cost", cost));
  WW_FIND(reader.object("sources", sources));
  if (derived != nullptr) WW_FIND(read_texts(*derived, "derived", true, task.derived));
  if (domain != nullptr) WW_FIND(read_texts(*domain, "domain", false, task.domain));
  if (check == nullptr)
    return TaskProblem{
        "", "[check] is missing: it says how outputs are compared, e.g. rule = \"elementwise\""};
  WW_FIND(read_check(*check, "check", task.check));
  if (cost == nullptr)
    return TaskProblem{
        "", "[cost] is missing: bytes and flops say how far from the roofline a kernel is"};
  TaskReader costs(*cost, "cost");
  WW_FIND(costs.expression("bytes", task.bytes_expression, true));
  WW_FIND(costs.expression("flops", task.flops_expression, true));
  WW_FIND(costs.expression("work", task.work_expression));
  WW_FIND(costs.no_others());
  if (sources == nullptr) return std::nullopt;
  TaskReader texts(*sources, "sources");
  WW_FIND(texts.text("baseline", task.baseline_source));
  WW_FIND(texts.text("slow", task.slow_source));
  WW_FIND(texts.text("reference", task.reference_source));
  WW_FIND(texts.text("device_reference", task.device_reference_source));
  WW_FIND(texts.text("torch", task.torch.source));
  return texts.no_others();
}

/// Tasks were written with `drawn` before there were domains. Stored ones are read as they are.
Problem read_former_keys(const Json& json, TaskReader& reader, Domains domains, const Task& task) {
  std::vector<std::string> drawn;
  WW_FIND(read_names(reader, "drawn", drawn));
  if (domains == Domains::optional || !json.contains("drawn")) return std::nullopt;
  return TaskProblem{"drawn", fmt::format("'drawn' has given way to domains. Write, for instance,\n"
                                          "{}and widen each to what the description promises "
                                          "(docs/tasks.md)",
                                          suggested_domains(task))};
}

Problem read_task(const Json& json, Domains domains, Task& task) {
  if (!json.is_object()) return TaskProblem{"", "a task must be an object"};
  TaskReader reader(json, "");
  WW_FIND(reader.text("name", task.name));
  WW_FIND(reader.text("title", task.title));
  WW_FIND(reader.text("group", task.group));
  WW_FIND(reader.text("description", task.description));
  WW_FIND(reader.text(json.contains("rule_set") ? "rule_set" : "lane", task.rule_set));
  WW_FIND(reader.flag("stream", task.stream));
  WW_FIND(read_build(reader, task.build));
  WW_FIND(read_names(reader, "rules", task.rules));
  WW_FIND(read_list(reader, "argument", task.arguments, read_argument));
  const auto size = [&](const Json& item, const std::string& where, TaskSize& out) {
    return read_size(task, item, where, out);
  };
  WW_FIND(read_list(reader, "size", task.sizes, size));
  WW_FIND(read_list(reader, "scale", task.scale_sizes, size));
  WW_FIND(read_list(reader, "edge", task.edge_sizes, size));
  WW_FIND(read_list(reader, "variant", task.variants, read_variant));
  WW_FIND(read_tables(reader, task));
  WW_FIND(read_former_keys(json, reader, domains, task));
  WW_FIND(reader.no_others());
  keep_one_shape(task);
  return find_problem(task, domains);
}

OrderedJson to_json(const CheckRule& check) {
  OrderedJson json = OrderedJson::object();
  if (!check.rule.empty()) json["rule"] = check.rule;
  for (const auto& [name, text] : check.parameters) json[name] = text;
  return json;
}

OrderedJson to_json(const TaskArgument& argument) {
  OrderedJson json = {
      {"name", argument.name}, {"type", name_of(argument.type)}, {"role", name_of(argument.role)}};
  json[is_buffer(argument) ? "count" : "value"] = argument.expression;
  if (!argument.distribution.empty()) json["values"] = argument.distribution;
  if (!argument.range.empty()) json["range"] = argument.range;
  if (argument.check != CheckRule{}) json["check"] = to_json(argument.check);
  if (!argument.torch.empty()) json["torch"] = argument.torch;
  return json;
}

OrderedJson to_json(const TaskSize& size) {
  OrderedJson json = {{"label", size.label}};
  if (size.weight != 1) json["weight"] = size.weight;
  for (const auto& [name, value] : size.values) json[name] = value;
  return json;
}

OrderedJson to_json(const InputVariant& variant) {
  OrderedJson json = {{"name", variant.name}, {"when", variant.when}, {"inputs", variant.inputs}};
  if (!variant.values.empty())
    json["set"] = std::map<std::string, double>(variant.values.begin(), variant.values.end());
  if (variant.check != CheckRule{}) json["check"] = to_json(variant.check);
  return json;
}

template <class T>
OrderedJson to_list(const std::vector<T>& items) {
  OrderedJson list = OrderedJson::array();
  for (const auto& item : items) list.push_back(to_json(item));
  return list;
}

}  // namespace

std::string task_to_json(const Task& task) {
  OrderedJson document = {{"name", task.name},         {"title", task.title},
                          {"group", task.group},       {"description", task.description},
                          {"rule_set", task.rule_set}, {"rules", task.rules}};
  if (task.stream) document["stream"] = true;
  if (task.build != BuildRules{}) {
    document["build"] = {{"include", task.build.include}, {"libraries", task.build.libraries}};
  }
  document["argument"] = to_list(task.arguments);
  document["derived"] = task.derived;
  document["size"] = to_list(task.sizes);
  document["scale"] = to_list(task.scale_sizes);
  document["edge"] = to_list(task.edge_sizes);
  if (!task.domain.empty()) document["domain"] = task.domain;
  document["variant"] = to_list(task.variants);
  document["check"] = to_json(task.check);
  document["cost"] = {{"bytes", task.bytes_expression}, {"flops", task.flops_expression}};
  if (!task.work_expression.empty()) document["cost"]["work"] = task.work_expression;
  document["sources"] = {{"baseline", task.baseline_source},
                         {"slow", task.slow_source},
                         {"reference", task.reference_source},
                         {"device_reference", task.device_reference_source}};
  if (!task.torch.source.empty()) {
    document["sources"]["torch"] = task.torch.source;
    document["torch"] = {{"mode", task.torch.mode},
                         {"backward", task.torch.backward},
                         {"shapes", task.torch.shapes},
                         {"python", task.torch.python}};
  }
  return dump_json(document, 1);
}

std::variant<Task, TaskProblem> read_task_json(std::string_view text, Domains domains) {
  const Json document = Json::parse(text, nullptr, false);
  if (document.is_discarded()) return TaskProblem{"", "not valid JSON"};
  Task task;
  if (auto problem = read_task(document, domains, task)) return *problem;
  return task;
}

Result<Task> task_from_json(std::string_view text) {
  auto read = read_task_json(text, Domains::optional);
  if (auto* task = std::get_if<Task>(&read)) return std::move(*task);
  const auto& problem = std::get<TaskProblem>(read);
  return Error{fmt::format("reading a task from JSON: {}{}{}", problem.where,
                           problem.where.empty() ? "" : ": ", problem.what)};
}

}  // namespace warpwright
