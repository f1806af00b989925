// SPDX-License-Identifier: Apache-2.0
#include "torch/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "base/files.h"
#include "core/expression.h"
#include "core/json_reader.h"
#include "torch/trace_inputs.h"

namespace warpwright::torch {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxDefinition = std::size_t{1} << 20;
constexpr std::size_t kLongestExpression = 200;
constexpr std::size_t kMaxWorkloads = std::size_t{64} << 20;

/// A value where no workload says one.
long usual_value(std::string_view name) {
  if (contains(name, "head")) return 8;
  if (contains(name, "indptr")) return 9;
  if (contains(name, "batch")) return 16;
  if (contains(name, "page") || contains(name, "total") || contains(name, "seq")) return 128;
  return contains(name, "num_kv") || contains(name, "tokens") ? 64 : 16;
}

/// "A == B + 1" decides A; "A == x[-1].item()" says where x ends.
void read_constraint(const std::string& text, Axes& axes) {
  static const std::regex last(R"(\s*(\w+)\s*==\s*(\w+)\[-1\](?:\.item\(\))?\s*)");
  static const std::regex equal(R"(\s*(\w+)\s*==\s*([\w\s+*/()-]+))");
  std::smatch parts;
  if (text.size() > kLongestExpression) return;
  if (std::regex_match(text, parts, last)) {
    axes.ends[parts[2]] = parts[1];
    return;
  }
  if (!std::regex_match(text, parts, equal) || !axes.varying.contains(parts[1])) return;
  const std::string right = parts[2];
  static const std::regex name(R"([A-Za-z_]\w*)");
  for (auto it = std::sregex_iterator(right.begin(), right.end(), name);
       it != std::sregex_iterator(); ++it) {
    const std::string used = it->str();
    if (used == parts[1] || (!axes.varying.contains(used) && !axes.constant.contains(used))) return;
  }
  axes.varying.erase(parts[1]);
  axes.derived.emplace_back(parts[1], right);
}

Result<Axes> read_axes(const TraceJson& definition) {
  Axes axes;
  const auto table = definition.find("axes");
  if (table == definition.end() || !table->is_object()) return Error{"it has no axes"};
  for (const auto& [name, axis] : table->items()) {
    if (!is_identifier(name) || !axis.is_object())
      return Error{fmt::format("the axis '{}' is none", name)};
    const std::string type = text_member(axis, "type");
    if (type == "const") {
      if (!axis.contains("value") || !axis["value"].is_number_integer())
        return Error{fmt::format("the constant axis '{}' has no whole number", name)};
      axes.constant[name] = dump_json(axis["value"]);
    } else if (type == "expr") {
      static const std::regex allowed(R"([\w\s+*/%().-]+)");
      const std::string expression = text_member(axis, "expression");
      if (expression.size() > kLongestExpression || !std::regex_match(expression, allowed))
        return Error{fmt::format("the axis '{}' has no expression", name)};
      axes.derived.emplace_back(name, expression);
    } else if (type == "var") {
      axes.varying[name] = usual_value(name);
    } else {
      return Error{fmt::format("the axis '{}' is of the unknown type '{}'", name, type)};
    }
  }
  if (const auto list = definition.find("constraints");
      list != definition.end() && list->is_array()) {
    for (const auto& text : *list)
      if (text.is_string()) read_constraint(text.get<std::string>(), axes);
  }
  return axes;
}

/// How much there is to do: the product of the axes.
double extent_of(const TraceJson& workload) {
  double product = 1;
  for (const auto& [name, value] : workload["axes"].items())
    if (value.is_number()) product *= std::max(1.0, value.get<double>());
  return product;
}

/// The workloads of wrapped or bare lines, the one with most to do first.
std::vector<TraceJson> read_workloads(const std::string& lines) {
  std::vector<TraceJson> found;
  std::size_t at = 0;
  while (at < lines.size()) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    auto line = TraceJson::parse(lines.substr(at, end - at), nullptr, false);
    at = end + 1;
    if (!line.is_object()) continue;
    if (line.contains("workload") && line["workload"].is_object())
      line = TraceJson(line["workload"]);
    if (line.contains("axes") && line["axes"].is_object()) found.push_back(std::move(line));
  }
  std::stable_sort(found.begin(), found.end(), [](const TraceJson& a, const TraceJson& b) {
    return extent_of(a) > extent_of(b);
  });
  return found;
}

/// Those behind the first, spread over their extents, as a list of Python: more sizes of the task.
std::string workload_lines(const std::vector<TraceJson>& workloads) {
  constexpr std::size_t kMost = 5;
  constexpr std::size_t kLabel = 8;
  std::string text;
  const std::size_t rest = workloads.size() > 1 ? workloads.size() - 1 : 0;
  std::set<std::size_t> chosen;
  for (std::size_t i = 1; i <= kMost && rest > 0; ++i)
    chosen.insert(std::max<std::size_t>(1, i * rest / kMost));
  for (const std::size_t index : chosen) {
    const TraceJson& workload = workloads[index];
    std::string uuid = text_member(workload, "uuid").substr(0, kLabel);
    const bool plain =
        uuid.size() == kLabel && std::all_of(uuid.begin(), uuid.end(), [](unsigned char c) {
          return std::isalnum(c) != 0 || c == '-' || c == '_';
        });
    if (!plain) continue;
    std::string axes;
    for (const auto& [name, value] : workload["axes"].items())
      if (is_identifier(name) && value.is_number_integer())
        axes += fmt::format("{}\"{}\": {}", axes.empty() ? "" : ", ", name, dump_json(value));
    text += fmt::format("    (\"{}\", {{{}}}),\n", uuid, axes);
  }
  return text.empty() ? ""
                      : "# Other workloads, which are sizes where they can be.\n_workloads = [\n" +
                            text + "]\n";
}

// A reference that samples becomes a function of what it draws: one number per result.
constexpr std::string_view kDrawsAsInput = R"(

# What is drawn is an input: the i-th draw takes the first index at which the sum of the weights
# exceeds uniforms[i] times their total.
def _sampled(weights, count, replacement=False, generator=None):
    if count != 1:
        raise NotImplementedError("only single draws can be inputs")
    rows = weights.reshape(-1, weights.shape[-1]).double()
    drawn = _draws["left"][:rows.shape[0]].reshape(-1, 1).double()
    _draws["left"] = _draws["left"][rows.shape[0]:]
    sums = rows.cumsum(-1)
    index = (sums <= drawn * sums[:, -1:]).sum(-1).clamp(max=rows.shape[-1] - 1)
    return index.reshape(tuple(weights.shape[:-1]) + (1,))


_draws = {}
torch.multinomial = _sampled
)";

std::string lines_of_axes(const Axes& axes) {
  std::string text;
  for (const auto& [name, value] : axes.constant) text += fmt::format("    {} = {}\n", name, value);
  for (const auto& [name, value] : axes.derived)
    text += fmt::format("    {} = int({})\n", name, value);
  return text;
}

/// The call of the function that makes inputs, with axes and scalars by name.
std::string custom_line(const std::string& function, const Axes& axes, const TraceJson& definition,
                        const TraceJson& workload) {
  if (function.empty()) return "";
  std::string list;
  for (const auto& [name, value] : axes.constant) list += fmt::format("{0}={0}, ", name);
  for (const auto& [name, value] : axes.derived) list += fmt::format("{0}={0}, ", name);
  for (const auto& [name, value] : axes.varying) list += fmt::format("{0}={0}, ", name);
  const TraceInputs inputs(definition, axes, workload);
  for (const auto& [name, input] : definition["inputs"].items()) {
    const bool scalar = input.is_object() && (!input.contains("shape") || input["shape"].is_null());
    if (!scalar || !is_identifier(name) || definition["axes"].contains(name)) continue;
    if (const auto made = inputs.expression(name, input); made.ok())
      list += fmt::format("{}={}, ", name, *made);
  }
  return fmt::format("    custom = {}(dict({}), torch.device(\"cpu\"))\n", function, list);
}

Result<std::string> output_types(const TraceJson& definition) {
  const auto outputs = definition.find("outputs");
  if (outputs == definition.end() || !outputs->is_object() || outputs->empty())
    return Error{"it has no outputs"};
  std::string list;
  for (const auto& [name, output] : outputs->items()) {
    if (!output.is_object()) return Error{fmt::format("the output '{}' is none", name)};
    WW_TRY(const auto type, torch_type(text_member(output, "dtype")));
    list += type + ", ";
  }
  return list;
}

/// "((batch_size, hidden_size, ), torch.bfloat16), ": shapes and types, in order.
Result<std::string> declared_outputs(const TraceJson& definition) {
  std::string list;
  for (const auto& [name, output] : definition["outputs"].items()) {
    WW_TRY(const auto type, torch_type(text_member(output, "dtype")));
    std::string dims;
    const auto shape = output.find("shape");
    if (shape != output.end() && shape->is_array())
      for (const auto& axis : *shape)
        if (axis.is_string()) dims += axis.get<std::string>() + ", ";
    list += fmt::format("(({}), {}), ", dims, type);
  }
  return list;
}

/// As many as the first output has elements.
Result<std::string> count_of_draws(const TraceJson& definition) {
  const auto& first = definition["outputs"].front();
  const auto shape = first.find("shape");
  std::string dims;
  if (shape != first.end() && shape->is_array())
    for (const auto& axis : *shape)
      if (axis.is_string()) dims += (dims.empty() ? "" : " * ") + axis.get<std::string>();
  if (dims.empty()) return Error{"it samples, and its first output has no shape"};
  if (definition["inputs"].contains("uniforms"))
    return Error{"it samples, and has an input 'uniforms' of its own"};
  return dims;
}

/// The lines of NAME below a data set's workloads.
std::string workloads_of(const fs::path& definition, const std::string& name) {
  std::error_code code;
  for (const auto& beside : {definition.parent_path() / "workload.jsonl",
                             definition.parent_path() / "workloads.jsonl"}) {
    if (!fs::exists(beside, code)) continue;
    const auto text = read_file(beside, kMaxWorkloads);
    return text.ok() ? *text : "";
  }
  for (auto root = definition.parent_path(); root.has_relative_path(); root = root.parent_path()) {
    if (!fs::is_directory(root / "workloads", code)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / "workloads", code)) {
      if (entry.path().filename() != name + ".jsonl") continue;
      const auto text = read_file(entry.path(), kMaxWorkloads);
      return text.ok() ? *text : "";
    }
    return "";
  }
  return "";
}

std::vector<std::string> keys_of(const TraceJson& json, const char* key) {
  std::vector<std::string> names;
  if (!json.contains(key) || !json[key].is_object()) return names;
  for (const auto& [name, value] : json[key].items()) names.push_back(name);
  return names;
}

/// What exports need of the definition: its name, the order of arguments, the timed workload.
std::string origin_line(const std::string& name, const TraceJson& json, const TraceJson& workload) {
  TraceJson origin = {{"definition", name},
                      {"inputs", keys_of(json, "inputs")},
                      {"outputs", keys_of(json, "outputs")}};
  if (workload.contains("uuid")) origin["workload"] = workload;
  return "# trace: " + origin.dump(-1, ' ', true, TraceJson::error_handler_t::replace) + "\n";
}

bool may_be_definition(const fs::path& path) {
  if (path.extension() != ".json") return false;
  for (const auto& part : path) {
    if (part == "solutions" || part == "traces" || part == "workloads") return false;
  }
  return true;
}

}  // namespace

Result<std::vector<TraceDefinition>> find_definitions(const fs::path& root) {
  std::error_code code;
  std::vector<fs::path> files;
  if (fs::is_directory(root, code)) {
    const fs::path below =
        fs::is_directory(root / "definitions", code) ? root / "definitions" : root;
    for (const auto& entry : fs::recursive_directory_iterator(below, code))
      if (entry.is_regular_file(code) && may_be_definition(entry.path()))
        files.push_back(entry.path());
  } else if (fs::exists(root, code)) {
    files.push_back(root);
  } else {
    return Error{
        fmt::format("reading definitions from {}: there is no such file or folder", root.string())};
  }
  std::sort(files.begin(), files.end());
  std::vector<TraceDefinition> found;
  for (const fs::path& path : files) {
    WW_TRY(auto text, read_file(path, kMaxDefinition));
    const auto json = TraceJson::parse(text, nullptr, false);
    const bool is_one = json.is_object() && json.contains("reference");
    if (!is_one && files.size() > 1 && json.is_object()) continue;  // something else beside them
    std::string name = json.is_object() ? text_member(json, "name") : "";
    if (name.empty())
      name = path.stem() == "definition" ? path.parent_path().filename().string()
                                         : path.stem().string();
    auto workload = workloads_of(fs::absolute(path, code), name);
    found.push_back({name, std::move(text), std::move(workload), path.string()});
  }
  if (found.empty())
    return Error{
        fmt::format("reading definitions from {}: there are none (definitions/**/*.json or "
                    "definition.json)",
                    root.string())};
  return found;
}

Result<ModuleFile> module_of(const TraceDefinition& definition) {
  const auto json = TraceJson::parse(definition.text, nullptr, false);
  if (!json.is_object()) return Error{"not a JSON object"};
  const std::string reference = text_member(json, "reference");
  if (reference.empty()) return Error{"it has no reference"};
  const std::string custom = text_member(json, "custom_inputs_entrypoint");
  if (!custom.empty() && !is_identifier(custom))
    return Error{fmt::format("the function '{}' that makes its inputs is none", custom)};
  WW_TRY(auto axes, read_axes(json));
  const auto workloads = read_workloads(definition.workload);
  const TraceJson workload = workloads.empty() ? TraceJson::object() : workloads.front();
  if (workload.contains("axes")) {
    for (const auto& [name, value] : workload["axes"].items())
      if (axes.varying.contains(name) && value.is_number_integer() && value.get<long>() > 0)
        axes.varying[name] = value.get<long>();
  }
  WW_TRY(const auto types, output_types(json));
  if (!json.contains("inputs") || !json["inputs"].is_object()) return Error{"it has no inputs"};
  std::string text = origin_line(definition.name, json, workload) + reference +
                     "\n\n\n# The definition's axes that vary.\nimport torch\n";
  std::string varying;
  for (const auto& [name, value] : axes.varying) {
    text += fmt::format("{} = {}\n", name, value);
    varying += fmt::format("{}\"{}\"", varying.empty() ? "" : ", ", name);
  }
  text += fmt::format("_axes = [{}]\n", varying);
  std::string names;
  std::string arguments;
  std::string lines;
  const TraceInputs inputs(json, axes, workload);
  for (const auto& [name, input] : json["inputs"].items()) {
    if (!is_identifier(name) || !input.is_object())
      return Error{fmt::format("the input '{}' is none", name)};
    WW_TRY(const auto made, inputs.expression(name, input));
    names += (names.empty() ? "" : ", ") + name;
    arguments = names;
    lines +=
        custom.empty()
            ? fmt::format("        {},\n", made)
            : fmt::format("        custom[\"{0}\"] if \"{0}\" in custom else {1},\n", name, made);
  }
  const bool samples = contains(reference, "torch.multinomial(");
  std::string begin;
  if (samples) {
    WW_TRY(const auto count, count_of_draws(json));
    names += ", uniforms";
    lines += fmt::format("        torch.rand({}),\n", count);
    begin = "        _draws[\"left\"] = uniforms\n";
    text += kDrawsAsInput;
  }
  text += fmt::format("output_dtypes = [{}]\n", types);
  text += workload_lines(workloads);
  WW_TRY(const auto declared, declared_outputs(json));
  text += fmt::format("\n\ndef _declared():\n{}    return [{}]\n", lines_of_axes(axes), declared);
  text += fmt::format(
      "\n\ndef get_inputs():\n{}    return [\n{}    ]\n\n\nclass Model(torch.nn.Module):\n"
      "    def forward(self, {}):\n{}        return run({})\n\n\ndef get_init_inputs():\n    "
      "return "
      "[]\n",
      lines_of_axes(axes) + custom_line(custom, axes, json, workload), lines, names, begin,
      arguments);
  return ModuleFile{.path = definition.path, .text = std::move(text)};
}

}  // namespace warpwright::torch
