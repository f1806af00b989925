// SPDX-License-Identifier: Apache-2.0
#include "exchange/trace_solution.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/sha256.h"
#include "core/json_reader.h"
#include "exchange/torch_binding.h"

namespace warpwright::exchange {

namespace {

using SolutionJson = nlohmann::ordered_json;

std::vector<std::string> names_in(const nlohmann::json& json, const char* key) {
  std::vector<std::string> names;
  if (!json.contains(key) || !json[key].is_array()) return names;
  for (const auto& item : json[key])
    if (item.is_string()) names.push_back(item.get<std::string>());
  return names;
}

/// Whole numbers of the size and how each input was made: a Workload.
SolutionJson workload_of(const Task& task, const TaskSize& size, const TraceOrigin& origin) {
  SolutionJson workload = {{"uuid", sha256_hex(task.name + size.label).substr(0, 32)}};
  workload["axes"] = SolutionJson::object();
  for (const auto& [name, value] : size.values)
    if (name != "given" && value >= 1) workload["axes"][name] = static_cast<long>(value);
  workload["inputs"] = SolutionJson::object();
  for (const std::string& name : origin.inputs) workload["inputs"][name] = {{"type", "random"}};
  for (const TaskArgument& argument : task.arguments) {
    if (is_buffer(argument) || size.values.contains(argument.name)) continue;
    const auto values = values_at(task, size);
    if (!values.ok()) continue;
    const auto value = scalar_value(argument, *values);
    if (value.ok()) workload["inputs"][argument.name] = {{"type", "scalar"}, {"value", *value}};
  }
  return workload;
}

std::string now_text() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

/// The shim's parameters in the order of the definition; the call of solve in the task's.
struct Shim {
  std::string parameters;
  std::string numbers;
  std::string call;
};

std::string scalar_type(const TaskArgument& argument) {
  return is_floating(argument.type) ? "double" : "std::int64_t";
}

/// `stream`: the caller's, in the words of the binding.
Result<Shim> shim_of(const Task& task, const std::string& tensor_type, const std::string& stream) {
  WW_TRY(const auto op, operator_of(task));
  const TraceOrigin origin = trace_origin(task);
  for (const auto* tensor : given_tensors(op)) {
    if (tensor->slot == fmt::format("input {}", origin.inputs.size()))
      return Error{
          fmt::format("the task's input '{}' is none of the definition's: what it samples "
                      "is given to the kernel",
                      tensor->name)};
  }
  Shim shim;
  std::vector<std::string> named;
  const auto add = [&](const std::string& type, const std::string& name) {
    shim.parameters += fmt::format("{}{} {}", shim.parameters.empty() ? "" : ", ", type, name);
    named.push_back(name);
  };
  for (std::size_t i = 0; i < origin.inputs.size(); ++i) {
    const std::string slot = fmt::format("input {}", i);
    const auto tensor = std::find_if(op.tensors.begin(), op.tensors.end(),
                                     [&](const auto& t) { return t.slot == slot; });
    if (tensor != op.tensors.end()) {
      add(tensor_type, tensor->name);
      continue;
    }
    const auto scalar =
        std::find_if(task.arguments.begin(), task.arguments.end(), [&](const TaskArgument& a) {
          return !is_buffer(a) && (a.name == origin.inputs[i] || a.name == origin.inputs[i] + "_");
        });
    if (scalar == task.arguments.end())
      add("double", "ww_unused_" + std::to_string(i));
    else
      add(scalar_type(*scalar), scalar->name);
  }
  for (const auto* tensor : made_tensors(op)) add(tensor_type, tensor->name);
  const auto is_named = [&](const std::string& name) {
    return std::find(named.begin(), named.end(), name) != named.end();
  };
  for (const auto& number : op.numbers) {
    if (is_named(number.name)) continue;
    WW_TRY(const auto text, number.tensor.empty() ? expression_text(number.text, Language::cpp)
                                                  : fmt::format("static_cast<double>({}.size({}))",
                                                                number.tensor, number.dimension));
    shim.numbers += fmt::format("  [[maybe_unused]] const double {} = {};\n", number.name, text);
  }
  for (std::size_t i = 0; i < op.call.size(); ++i) {
    const std::string& item = op.call[i];
    shim.call += i == 0 ? "" : ", ";
    const auto colon = item.find(':');
    if (colon == std::string::npos) {
      const auto tensor = std::find_if(op.tensors.begin(), op.tensors.end(),
                                       [&](const auto& t) { return t.name == item; });
      shim.call += fmt::format("static_cast<{}*>({}.data_ptr())", tensor->cuda, item);
      continue;
    }
    const std::string& own = task.arguments[i].name;
    WW_TRY(const auto text, is_named(own) ? Result<std::string>(own)
                                          : expression_text(item.substr(colon + 1), Language::cpp));
    shim.call += fmt::format("static_cast<{}>({})", item.substr(0, colon), text);
  }
  if (op.stream) shim.call += ", " + stream;
  return shim;
}

SolutionJson solution_json(const Winner& winner, const TraceOrigin& origin,
                           const std::string& name) {
  return {{"name", name},
          {"definition", origin.definition},
          {"author", "warpwright"},
          {"description", winner.measured.empty() ? "Found by Warpwright." : winner.measured}};
}

Result<std::string> ffi_solution(const Winner& winner, const TraceOrigin& origin,
                                 const std::string& name) {
  WW_TRY(const auto op, operator_of(winner.task));
  const std::string stream = fmt::format(
      "static_cast<cudaStream_t>(TVMFFIEnvGetStream({0}.device().device_type, "
      "{0}.device().device_id))",
      given_tensors(op).front()->name);
  WW_TRY(const auto shim, shim_of(winner.task, "tvm::ffi::TensorView", stream));
  const std::string text = fmt::format(
      "#include <tvm/ffi/container/tensor.h>\n#include <tvm/ffi/extra/c_env_api.h>\n"
      "#include <tvm/ffi/function.h>\n\n#include <cmath>\n"
      "#include <cstdint>\n\n{}\n\nvoid run({}) {{\n{}  solve({});\n}}\n\n"
      "TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);\n",
      winner.source, shim.parameters, shim.numbers, shim.call);
  SolutionJson json = solution_json(winner, origin, name);
  json["spec"] = {{"language", "cuda"},
                  {"target_hardware", SolutionJson::array({"cuda"})},
                  {"entry_point", "kernel.cu::run"},
                  {"dependencies", SolutionJson::array()},
                  {"destination_passing_style", true},
                  {"binding", "tvm-ffi"}};
  json["sources"] = {{{"path", "kernel.cu"}, {"content", text}}};
  return dump_json(json, 2) + "\n";
}

Result<std::string> torch_solution(const Winner& winner, const TraceOrigin& origin,
                                   const std::string& name) {
  WW_TRY(const auto shim, shim_of(winner.task, "torch::Tensor", "caller_stream"));
  const std::string text = fmt::format(
      "#include <torch/extension.h>\n{}\n{}\n\nvoid run({}) {{\n"
      "  caller_stream = c10::cuda::getCurrentCUDAStream().stream();\n{}  solve({});\n}}\n\n"
      "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {{ m.def(\"run\", &run); }}\n",
      binding_head(), winner.source, shim.parameters, shim.numbers, shim.call);
  SolutionJson flags = SolutionJson::array({"-lcuda"});
  for (const auto& call : wrapped_calls()) flags.push_back("-Wl,--wrap=" + call);
  SolutionJson json = solution_json(winner, origin, name + "_torch");
  json["spec"] = {
      {"languages", SolutionJson::array({"cuda_cpp"})},
      {"target_hardware", SolutionJson::array({"LOCAL"})},
      {"entry_point", "kernel.cu::run"},
      {"dependencies", SolutionJson::array()},
      {"destination_passing_style", true},
      {"binding", "torch"},
      {"compile_options",
       {{"cflags", SolutionJson::array()}, {"cuda_cflags", {"-O3"}}, {"ld_flags", flags}}}};
  json["sources"] = {{{"path", "kernel.cu"}, {"content", text}}};
  return dump_json(json, 2) + "\n";
}

}  // namespace

TraceOrigin trace_origin(const Task& task) {
  TraceOrigin origin;
  const std::string& text = task.torch.source;
  const auto at = text.find("# trace: {");
  if (at != std::string::npos) {
    const auto line = text.substr(at + 9, text.find('\n', at) - at - 9);
    const auto json = parse_json_or_discard(line);
    if (json.is_object() && json.contains("definition") && json["definition"].is_string()) {
      origin.definition = json["definition"].get<std::string>();
      origin.inputs = names_in(json, "inputs");
      origin.outputs = names_in(json, "outputs");
      if (json.contains("workload") && json["workload"].is_object())
        origin.workload = dump_json(json["workload"]);
    }
  }
  if (!origin.definition.empty()) return origin;
  origin.definition = task.name;
  for (const TaskArgument& argument : task.arguments) {
    if (!is_buffer(argument)) continue;
    (argument.role == ArgumentRole::output ? origin.outputs : origin.inputs)
        .push_back(argument.name);
  }
  return origin;
}

std::string_view trace_status(Verdict verdict, bool hacks) {
  switch (verdict) {
    case Verdict::ok:
      return "PASSED";
    case Verdict::mismatch:
    case Verdict::precision:
      return "INCORRECT_NUMERICAL";
    case Verdict::no_code:
    case Verdict::compile_error:
      return "COMPILE_ERROR";
    case Verdict::timeout:
      return "TIMEOUT";
    case Verdict::cheat:
    case Verdict::forbidden:
      return hacks ? "REWARD_HACK" : "RUNTIME_ERROR";
    case Verdict::harness_error:
      return hacks ? "INVALID_REFERENCE" : "RUNTIME_ERROR";
    case Verdict::host_error:
    case Verdict::launch_error:
    case Verdict::memory_fault:
    case Verdict::race:
    case Verdict::unchecked:
      return "RUNTIME_ERROR";
  }
  return "RUNTIME_ERROR";
}

std::string trace_text(const std::string& definition, const std::string& workload,
                       const std::string& solution, const Evaluation& evaluation,
                       const std::string& size, bool hacks) {
  const Measurement* timed = nullptr;
  for (const Measurement& m : evaluation.measurements)
    if (m.size == size) timed = &m;
  std::string_view status = trace_status(evaluation.verdict, hacks);
  std::string log = evaluation.reason;
  if (evaluation.valid() && timed == nullptr) {
    status = "RUNTIME_ERROR";
    log = "the solution is ok, but this workload was not timed: it is no size of the task";
  }
  SolutionJson result = {{"status", status}};
  result["environment"] = {
      {"hardware", evaluation.device.empty() ? "unknown" : evaluation.device},
      {"libs", {{"warpwright", "verdict " + std::string(name_of(evaluation.verdict))}}}};
  result["timestamp"] = now_text();
  result["log"] = log;
  if (status == "PASSED" || status == "INCORRECT_NUMERICAL")
    result["correctness"] = {{"extra", {{"rule", "errors are judged, not recorded"}}}};
  if (status == "PASSED") {
    const double us = call_us(*timed);
    result["performance"] = {{"latency_ms", us / 1e3},
                             {"reference_latency_ms", timed->baseline_us / 1e3},
                             {"speedup_factor", us > 0 ? timed->baseline_us / us : 0.0}};
  }
  SolutionJson line = {{"definition", definition}};
  line["workload"] = SolutionJson::parse(workload, nullptr, false);
  line["solution"] = solution;
  line["evaluation"] = result;
  return dump_json(line);
}

std::string size_of_workload(const Task& task, const std::string& uuid) {
  for (const TaskSize& size : task.sizes) {
    constexpr std::size_t kLeast = 8;
    if (size.label.size() >= kLeast && uuid.starts_with(size.label)) return size.label;
  }
  const TraceOrigin origin = trace_origin(task);
  const auto timed = parse_json_or_discard(origin.workload);
  const bool is_given = timed.is_object() && timed.contains("uuid") && timed["uuid"].is_string() &&
                        timed["uuid"].get<std::string>() == uuid;
  return is_given && !task.sizes.empty() ? task.sizes.front().label : "";
}

std::string trace_lines(const Task& task, const Evaluation& evaluation, const std::string& solution,
                        bool hacks) {
  const TraceOrigin origin = trace_origin(task);
  std::string lines;
  for (std::size_t i = 0; i < task.sizes.size(); ++i) {
    const bool given = i == 0 && !origin.workload.empty();
    const std::string workload =
        given ? origin.workload : dump_json(workload_of(task, task.sizes[i], origin));
    lines +=
        trace_text(origin.definition, workload, solution, evaluation, task.sizes[i].label, hacks) +
        "\n";
  }
  return lines;
}

Result<Files> trace_files(const Winner& winner, const Evaluation* evaluation) {
  const TraceOrigin origin = trace_origin(winner.task);
  const std::string name =
      fmt::format("warpwright_{}_{}", winner.task.name, sha256_hex(winner.source).substr(0, 8));
  Files files;
  WW_TRY(files["solutions/" + name + ".json"], ffi_solution(winner, origin, name));
  WW_TRY(files["solutions/" + name + "_torch.json"], torch_solution(winner, origin, name));
  if (evaluation != nullptr)
    files["traces/" + name + ".jsonl"] = trace_lines(winner.task, *evaluation, name, false);
  return files;
}

}  // namespace warpwright::exchange
