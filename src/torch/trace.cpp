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

namespace warpwright::torch {

namespace {

namespace fs = std::filesystem;
using TraceJson = nlohmann::ordered_json;

constexpr std::size_t kMaxDefinition = std::size_t{1} << 20;
constexpr std::size_t kLongestExpression = 200;
constexpr std::size_t kMaxWorkloads = std::size_t{64} << 20;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string text_member(const TraceJson& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

/// dtype -> torch's name; none for those that tasks do not have.
Result<std::string> torch_type(const std::string& dtype) {
  static constexpr std::array<std::string_view, 9> kKnown = {
      "float32", "float16", "bfloat16", "float64", "int64", "int32", "int8", "uint8", "bool"};
  if (std::find(kKnown.begin(), kKnown.end(), dtype) != kKnown.end()) return "torch." + dtype;
  return Error{fmt::format("the type {} is none that tasks have", dtype)};
}

bool is_float_type(std::string_view dtype) {
  return dtype.starts_with("float") || dtype.starts_with("bfloat");
}

/// Axes of a definition: where each gets its value from.
struct Axes {
  std::map<std::string, std::string> constant;               ///< name -> number
  std::vector<std::pair<std::string, std::string>> derived;  ///< name -> expression, in order
  std::map<std::string, long> varying;                       ///< name -> value of the workload
  std::map<std::string, std::string> ends;                   ///< "kv_indptr" -> "num_kv_indices"
};

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
      axes.constant[name] = axis["value"].dump();
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
        axes += fmt::format("{}\"{}\": {}", axes.empty() ? "" : ", ", name, value.dump());
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

/// Python for the inputs of a definition.
class Inputs {
 public:
  Inputs(const TraceJson& definition, const Axes& axes, const TraceJson& workload)
      : definition_(definition), axes_(axes), workload_(workload) {}

  /// One expression per input, or why there is none.
  Result<std::string> expression(const std::string& name, const TraceJson& input) const {
    const std::string dtype = text_member(input, "dtype");
    WW_TRY(const auto type, torch_type(dtype));
    const auto shape = input.find("shape");
    if (shape == input.end() || shape->is_null()) return scalar(name, dtype);
    if (!shape->is_array()) return Error{fmt::format("the input '{}' has no shape", name)};
    std::string dims;
    for (const auto& axis : *shape) {
      if (!axis.is_string()) return Error{fmt::format("the shape of '{}' names no axes", name)};
      dims += axis.get<std::string>() + ", ";
    }
    dims = "(" + dims + ")";
    if (dtype == "bool") return fmt::format("torch.randint(0, 2, {}).bool()", dims);
    if (!is_float_type(dtype)) return whole_numbers(name, *shape, dims, type);
    return fmt::format("{}.to({})", reals(name, *shape, dims), type);
  }

 private:
  [[nodiscard]] std::string scalar(const std::string& name, const std::string& dtype) const {
    if (workload_.contains("inputs") && workload_["inputs"].is_object() &&
        workload_["inputs"].contains(name)) {
      const auto& given = workload_["inputs"][name];
      if (given.is_object() && given.contains("value") && given["value"].is_number())
        return given["value"].dump();
      if (given.is_object() && given.contains("value") && given["value"].is_boolean())
        return given["value"].get<bool>() ? "True" : "False";
    }
    if (!is_float_type(dtype)) return dtype == "bool" ? "True" : "0";
    return contains(name, "eps") ? "1e-6" : contains(name, "scale") ? "0.125" : "1.0";
  }

  [[nodiscard]] std::string reals(const std::string& name, const TraceJson& shape,
                                  const std::string& dims) const {
    // n numbers u^(n/8 - 1) / 8 add up to 1 on average, and a few of them to most of it.
    if (contains(name, "prob") && shape.size() > 1)
      return fmt::format("(torch.rand({}) ** max(1, {} // 8 - 1) / 8)", dims,
                         shape.back().get<std::string>());
    if (contains(name, "prob") || contains(name, "top_p") || contains(name, "scale"))
      return fmt::format("torch.rand({})", dims);
    if (contains(name, "cos") || contains(name, "sin"))
      return fmt::format("(torch.rand({}) * 2 - 1)", dims);
    if (contains(name, "weight") && shape.size() == 1)
      return fmt::format("(torch.rand({}) + 0.5)", dims);
    return fmt::format("torch.randn({})", dims);
  }

  /// The first of these axes that there is.
  [[nodiscard]] std::string axis_of(std::initializer_list<std::string_view> names,
                                    const std::string& otherwise) const {
    for (const auto name : names) {
      if (definition_["axes"].contains(std::string(name))) return std::string(name);
    }
    return otherwise;
  }

  /// Whether the reference takes it apart: "NAME >> 16".
  [[nodiscard]] bool is_packed(const std::string& name) const {
    const std::string reference = text_member(definition_, "reference");
    return contains(reference, name + " >> 16") || contains(reference, name + ">>16");
  }

  /// The rows that ends of segments count: said by a constraint, else by the name.
  [[nodiscard]] std::string total_of(const std::string& name) const {
    if (const auto found = axes_.ends.find(name); found != axes_.ends.end()) return found->second;
    if (contains(name, "kv")) return axis_of({"num_kv_indices", "total_kv", "total_tokens"}, "16");
    if (contains(name, "qo") || contains(name, "q_"))
      return axis_of({"total_q", "total_qo", "total_tokens", "num_tokens"}, "16");
    return axis_of({"total_seq_len", "total_tokens", "total_q", "num_tokens", "total_kv"}, "16");
  }

  [[nodiscard]] Result<std::string> whole_numbers(const std::string& name, const TraceJson& shape,
                                                  const std::string& dims,
                                                  const std::string& type) const {
    const auto drawn = [&](const std::string& low, const std::string& high) {
      return fmt::format("torch.randint({}, {}, {}).to({})", low, high, dims, type);
    };
    if ((contains(name, "indptr") || contains(name, "cu_seq") || contains(name, "offset")) &&
        shape.size() == 1) {
      const auto count = shape[0].get<std::string>();
      return fmt::format("(torch.arange({}) * ({}) // max(1, {} - 1)).to({})", count,
                         total_of(name), count, type);
    }
    if (is_packed(name))  // the expert's number above the bits of its weight, a half here
      return fmt::format("(torch.randint(0, {}, {}) * 65536 + 16128).to({})",
                         axis_of({"num_experts", "num_local_experts", "E"}, "4"), dims, type);
    if (contains(name, "last_page")) return drawn("1", axis_of({"page_size"}, "1") + " + 1");
    if (contains(name, "top_k")) return drawn("1", "21");
    if (contains(name, "position"))
      return drawn("0", axis_of({"max_seq_len", "max_position"}, "4"));
    if (contains(name, "expert") || contains(name, "topk_id"))
      return drawn("0", axis_of({"num_experts", "num_local_experts", "E"}, "4"));
    if (contains(name, "indices") || contains(name, "page") || contains(name, "block") ||
        contains(name, "slot"))
      return drawn("0", axis_of({"num_pages", "state_cache_size", "pool_size", "num_blocks",
                                 "cache_size", "num_states", "batch_size"},
                                "1"));
    if (contains(name, "len"))
      return drawn("1", axis_of({"max_seq_len", "seq_len", "page_size"}, "4") + " + 1");
    return drawn("0", "4");
  }

  const TraceJson& definition_;
  const Axes& axes_;
  const TraceJson& workload_;
};

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
  const Inputs inputs(definition, axes, workload);
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
  const Inputs inputs(json, axes, workload);
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
