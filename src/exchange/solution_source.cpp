// SPDX-License-Identifier: Apache-2.0
// A solution in the FlashInfer Trace form -> one source with our `solve`.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "core/json_reader.h"
#include "exchange/operator_of.h"
#include "exchange/stand_in.h"
#include "exchange/trace_solution.h"

namespace warpwright::exchange {

namespace {

constexpr std::size_t kMostSources = 64;

std::string text_at(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Whether the spec names CUDA, in either form of it.
bool is_cuda(const nlohmann::json& spec) {
  if (text_at(spec, "language") == "cuda") return true;
  const auto list = spec.find("languages");
  if (list == spec.end() || !list->is_array()) return false;
  return std::any_of(list->begin(), list->end(),
                     [](const auto& item) { return item == "cuda_cpp"; });
}

std::string described_language(const nlohmann::json& spec) {
  if (spec.contains("languages")) return dump_json(spec["languages"]);
  return spec.contains("language") ? dump_json(spec["language"]) : "none";
}

/// Sources as one text: own headers where they are included, the frameworks' stood in for.
class Joined {
 public:
  explicit Joined(const Solution& solution) : solution_(solution) {}

  void add(const std::string& path) {
    if (!seen_.insert(path).second) return;
    const std::string& text = solution_.sources.at(path);
    std::size_t at = 0;
    while (at < text.size()) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      add_line(text.substr(at, end - at));
      at = end + 1;
    }
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void add_line(const std::string& line) {
    const auto hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line[hash] != '#') {
      text_ += line + "\n";
      return;
    }
    const auto word = line.find_first_not_of(" \t", hash + 1);
    if (word == std::string::npos || !line.substr(word).starts_with("include")) {
      text_ += line.find("pragma once") == std::string::npos ? line + "\n" : "\n";
      return;
    }
    const auto open = line.find_first_of("<\"", word);
    const auto close = line.find_first_of(">\"", open == std::string::npos ? open : open + 1);
    if (open == std::string::npos || close == std::string::npos) return;
    const std::string name = line.substr(open + 1, close - open - 1);
    for (const auto& [path, content] : solution_.sources) {
      if (path != name && !path.ends_with("/" + name)) continue;
      add(path);
      return;
    }
    static constexpr std::array<std::string_view, 6> kFrames = {"torch/",    "ATen/", "c10/",
                                                                "pybind11/", "tvm/",  "dlpack/"};
    const bool frame = std::any_of(kFrames.begin(), kFrames.end(),
                                   [&](const auto prefix) { return name.starts_with(prefix); });
    text_ += frame ? "\n" : line + "\n";
  }

  const Solution& solution_;
  std::set<std::string> seen_;
  std::string text_;
};

std::string tensor_text(const OperatorTensor& tensor, const std::string& pointer,
                        const std::vector<std::string>& dims) {
  return fmt::format("at::Tensor({}, {{{}}}, {})", pointer, fmt::join(dims, ", "),
                     at_type(tensor.type));
}

Result<std::vector<std::string>> dimension_texts(const OperatorTensor& tensor,
                                                 const std::set<std::string>& known) {
  std::vector<std::string> dims;
  for (const auto& dimension : tensor.shape) {
    WW_TRY(const auto parsed, Expression::parse(dimension));
    for (const auto& name : parsed.names()) {
      if (!known.contains(name))
        return Error{fmt::format("the shape of '{}' needs '{}', which solve is not given",
                                 tensor.name, name)};
    }
    WW_TRY(const auto text, expression_text(dimension, Language::cpp));
    dims.push_back(fmt::format("static_cast<std::int64_t>({})", text));
  }
  return dims;
}

/// What our own Solutions bring along to work on the caller's stream is done by the linker there,
/// and not needed here. Found by where it begins and ends: its text differs between versions.
void without_binding(std::string& text) {
  constexpr std::string_view kOpen = "namespace {\nthread_local cudaStream_t caller_stream";
  constexpr std::string_view kLast = "\nvoid ww_check(const at::Tensor& ";
  constexpr std::string_view kClose = "\n}  // namespace\n";
  const auto begin = text.find(kOpen);
  const auto last = text.find(kLast, begin == std::string::npos ? begin : begin + kOpen.size());
  const auto end = last == std::string::npos ? last : text.find(kClose, last);
  if (end == std::string::npos || text.find("__wrap_cudaLaunchKernel(", begin) > end) return;
  text.replace(begin, end + kClose.size() - begin,
               "static cudaStream_t caller_stream = nullptr;\n");
}

/// `solve` with the task's signature, which calls the solution's function.
Result<std::string> wrapper_text(const Solution& solution, const Task& task) {
  WW_TRY(const auto op, operator_of(task));
  const TraceOrigin origin = trace_origin(task);
  for (const auto* tensor : given_tensors(op)) {
    if (tensor->slot == fmt::format("input {}", origin.inputs.size()))
      return Error{
          "the definition samples: a solution that draws its own numbers cannot be compared"};
  }
  std::set<std::string> known;
  std::string numbers;
  for (const TaskArgument& argument : task.arguments) {
    if (is_buffer(argument)) continue;
    known.insert(argument.name);
    numbers += fmt::format("  [[maybe_unused]] const double {0} = static_cast<double>(ww_{0});\n",
                           argument.name);
  }
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < origin.inputs.size(); ++i) {
    const std::string slot = fmt::format("input {}", i);
    const auto tensor = std::find_if(op.tensors.begin(), op.tensors.end(), [&](const auto& t) {
      return t.slot == slot || (t.slot != slot && t.name == origin.inputs[i] &&
                                t.role != ArgumentRole::output && !t.slot.starts_with("input "));
    });
    if (tensor == op.tensors.end()) {
      if (!known.contains(origin.inputs[i]))
        return Error{fmt::format("the task has no argument for the input '{}'", origin.inputs[i])};
      arguments.push_back("ww_" + origin.inputs[i]);
      continue;
    }
    WW_TRY(const auto dims, dimension_texts(*tensor, known));
    arguments.push_back(tensor_text(*tensor, "ww_" + tensor->name, dims));
  }
  std::vector<std::string> outputs;
  for (const auto* tensor : made_tensors(op)) {
    WW_TRY(const auto dims, dimension_texts(*tensor, known));
    outputs.push_back(tensor_text(*tensor, "ww_" + tensor->name, dims));
  }
  std::string signature = signature_of(task);
  for (const TaskArgument& argument : task.arguments) {
    // Names of parameters stand behind a space or a star and before a comma or the end.
    for (const char* before : {" ", "*"}) {
      for (const char* after : {",", ")"}) {
        const std::string found = before + argument.name + after;
        const auto at = signature.find(found);
        if (at != std::string::npos)
          signature.replace(at, found.size(), before + ("ww_" + argument.name) + after);
      }
    }
  }
  std::string body;
  if (solution.destinations) {
    arguments.insert(arguments.end(), outputs.begin(), outputs.end());
    body = fmt::format("  {}({});\n", solution.entry, fmt::join(arguments, ",\n      "));
  } else {
    body = fmt::format(
        "  const std::vector<at::Tensor> wanted = {{{}}};\n  at::ww_outputs() = wanted;\n"
        "  ww_return_all({}({}), wanted);\n",
        fmt::join(outputs, ", "), solution.entry, fmt::join(arguments, ",\n      "));
  }
  // The framework's stream is the default one. Its caller's work goes before, and waits for it:
  // what the solution leaves on other streams is left behind.
  if (task.stream)
    body = "  ww_behind(stream, nullptr);\n" + body + "  ww_behind(nullptr, stream);\n";
  return fmt::format("\n{} {{\n{}{}}}\n", signature, numbers, body);
}

}  // namespace

Result<Solution> read_solution(std::string_view text) {
  const auto json = parse_json_or_discard(text);
  if (!json.is_object()) return Error{"a solution is a JSON object"};
  Solution solution{.name = text_at(json, "name"), .definition = text_at(json, "definition")};
  if (solution.name.empty() || solution.definition.empty())
    return Error{"a solution has a name and a definition"};
  const auto spec = json.find("spec");
  if (spec == json.end() || !spec->is_object()) return Error{"the solution has no spec"};
  if (!is_cuda(*spec))
    return Error{fmt::format("only CUDA solutions can be judged here, this one is of {}",
                             described_language(*spec))};
  const std::string entry = text_at(*spec, "entry_point");
  const auto colons = entry.find("::");
  if (colons == std::string::npos) return Error{"entry_point must be FILE::FUNCTION"};
  solution.entry = entry.substr(colons + 2);
  if (!is_identifier(solution.entry)) return Error{"entry_point names no function"};
  if (spec->contains("destination_passing_style") && (*spec)["destination_passing_style"] == false)
    solution.destinations = false;
  const auto sources = json.find("sources");
  if (sources == json.end() || !sources->is_array() || sources->empty() ||
      sources->size() > kMostSources)
    return Error{"the solution has no sources"};
  for (const auto& source : *sources) {
    const std::string path = source.is_object() ? text_at(source, "path") : "";
    if (path.empty() || path.front() == '/' || path.find("..") != std::string::npos)
      return Error{fmt::format("the source path '{}' is none", path)};
    if (!solution.sources.emplace(path, text_at(source, "content")).second)
      return Error{fmt::format("the source path '{}' is there twice", path)};
    const bool header = path.ends_with(".h") || path.ends_with(".cuh") || path.ends_with(".hpp");
    if (!header && path != entry.substr(0, colons)) solution.order.push_back(path);
  }
  if (!solution.sources.contains(entry.substr(0, colons)))
    return Error{
        fmt::format("the entry's file '{}' is not among the sources", entry.substr(0, colons))};
  solution.order.push_back(entry.substr(0, colons));
  return solution;
}

Result<std::string> source_of(const Solution& given, const Task& task) {
  Solution solution = given;
  for (auto& [path, text] : solution.sources) without_binding(text);
  Joined joined(solution);
  for (const std::string& path : solution.order) {
    if (path.ends_with(".cu") || path.ends_with(".cpp") || path.ends_with(".cc")) joined.add(path);
  }
  WW_TRY(const auto wrapper, wrapper_text(solution, task));
  // A solution may have a solve of its own, as those that we export do.
  return kStandIn + ("#define solve ww_solve_of_solution\n" + joined.text() + "#undef solve\n") +
         wrapper;
}

}  // namespace warpwright::exchange
