// SPDX-License-Identifier: Apache-2.0
// Tools that show what there is: tasks, devices and what a device allows at best.
#include <fmt/format.h>

#include "core/json_reader.h"
#include "mcp/tool.h"
#include "profile/roofline.h"
#include "suite/listing.h"
#include "suite/load.h"
#include "suite/scaffold.h"

namespace warpwright::mcp {

namespace {

Json floors_of(const Task& task, const DeviceFacts& device) {
  Json rows = Json::array();
  for (const auto& size : task.sizes) {
    const auto roof = profile::roofline(task, size, device);
    if (!roof.ok()) continue;
    rows.push_back({{"size", size.label},
                    {"floor_us", roof->floor_us},
                    {"memory_us", roof->memory_us},
                    {"compute_us", roof->compute_us},
                    {"bound_by", profile::name_of(roof->regime)}});
  }
  return rows;
}

std::string floors_text(const Json& floors, const std::string& device) {
  std::string text = "Least times on " + device + " (no kernel can be faster):\n";
  for (const auto& row : floors) {
    text += fmt::format("  {:<20} {:>12.3f} us  {}\n", row["size"].get<std::string>(),
                        row["floor_us"].get<double>(), row["bound_by"].get<std::string>());
  }
  return text;
}

Result<DeviceFacts> device_of(ToolBox& box, const Json& arguments) {
  if (!arguments.contains("device")) return box.workshop.target();
  const auto key = arguments["device"].get<std::string>();
  if (auto facts = known_device(key)) return *facts;
  std::string list;
  for (const auto& row : known_devices()) list += (list.empty() ? "" : ", ") + row.key;
  return Error{"there is no device '" + key + "'; there are: " + list};
}

Json device_json(const DeviceFacts& d) {
  return {
      {"key", d.key},
      {"name", d.name},
      {"architecture", d.architecture},
      {"compute", d.amd.empty() ? fmt::format("{}.{}", d.compute_major, d.compute_minor) : d.amd},
      {"sms", d.sm_count},
      {"max_threads_per_sm", d.max_threads_per_sm},
      {"max_blocks_per_sm", d.max_blocks_per_sm},
      {"registers_per_sm", d.registers_per_sm},
      {"shared_per_block_bytes", d.shared_per_block_bytes},
      {"shared_per_block_optin_bytes", d.shared_per_block_optin_bytes},
      {"shared_per_sm_bytes", d.shared_per_sm_bytes},
      {"l2_bytes", d.l2_bytes},
      {"memory_bytes", d.memory_bytes},
      {"memory_gb_per_s", d.memory_gb_per_s},
      {"fp32_tflops", d.fp32_tflops},
      {"fp64_tflops", d.fp64_tflops},
      {"half_tensor_tflops", d.half_tensor_tflops}};
}

Result<ToolAnswer> shown_task(ToolBox& box, const Json& arguments) {
  WW_TRY(const Task task, task_of(box, arguments));
  WW_TRY(const DeviceFacts device, device_of(box, Json::object()));
  ToolAnswer answer;
  const std::string description = description_for_model(task);
  answer.data = {{"name", task.name},
                 {"title", task.title},
                 {"description", description},
                 {"signature", signature_of(task)},
                 {"rule_set", task.rule_set},
                 {"device", device.name},
                 {"sizes", floors_of(task, device)}};
  answer.text = task.name + ": " + task.title + "\n\n" + description + "\n" + signature_of(task) +
                "\n\n" + floors_text(answer.data["sizes"], device.name);
  if (arguments.value("complete", false)) {
    answer.data["baseline"] = task.baseline_source;
    WW_TRY(const std::string question, box.workshop.first_question(task));
    answer.data["question"] = question;
    answer.text += "\nThe baseline that speed-ups are measured against:\n\n" +
                   task.baseline_source + "\nThe question a search would begin with:\n\n" +
                   question;
  }
  return answer;
}

/// The texts of a new task: the client's, or the ones `warpwright new` writes.
std::map<std::string, std::string> task_files(const Json& arguments, const std::string& name) {
  auto files = suite::new_task_files(name);
  files.erase("reference.cpp");  // it would run outside of the sandbox, and is refused here
  const std::pair<const char*, const char*> texts[] = {{"task_toml", "task.toml"},
                                                       {"baseline", "baseline.cu"},
                                                       {"reference_cu", "reference.cu"},
                                                       {"slow", "slow.cu"}};
  for (const auto& [key, file] : texts) {
    if (arguments.contains(key)) files[file] = arguments[key].get<std::string>();
  }
  return files;
}

/// A module is its own reference; what else a task needs is found out by running it.
Result<std::map<std::string, std::string>> module_files(ToolBox& box, const Json& arguments,
                                                        const std::string& name,
                                                        const StopSignal& stop) {
  for (const char* key : {"task_toml", "baseline", "reference_cu", "slow"}) {
    if (arguments.contains(key)) {
      return Error{"'torch' makes task.toml and reference by itself: leave out '" +
                   std::string(key) + "'"};
    }
  }
  const auto module = arguments["torch"].get<std::string>();
  WW_TRY(const std::string toml,
         box.workshop.describe_module({.name = name,
                                       .text = module,
                                       .backward = arguments.value("backward", false),
                                       .fixed = arguments.value("shapes", "general") == "fixed"},
                                      stop));
  return std::map<std::string, std::string>{{"task.toml", toml}, {"reference.py", module}};
}

Result<ToolAnswer> made_task(ToolBox& box, const Json& arguments, const StopSignal& stop) {
  const auto name = arguments["name"].get<std::string>();
  WW_CHECK(suite::check_task_name(name));
  std::map<std::string, std::string> files;
  if (arguments.contains("torch")) {
    WW_TRY(files, module_files(box, arguments, name, stop));
  } else {
    if (arguments.contains("backward") || arguments.contains("shapes")) {
      return Error{"'backward' and 'shapes' are for modules: give one with 'torch'"};
    }
    files = task_files(arguments, name);
  }
  suite::TaskFolder texts{.name = name, .where = name + "/task.toml"};
  texts.toml = files["task.toml"];
  if (files.contains("baseline.cu")) texts.baseline = files["baseline.cu"];
  if (files.contains("reference.py")) texts.torch = files["reference.py"];
  if (files.contains("slow.cu")) texts.slow = files["slow.cu"];
  if (files.contains("reference.cu")) texts.device_reference = files["reference.cu"];
  // Before anything is written: a task that does not load would be in the way of the next try.
  WW_TRY(const Task task, suite::parse_task(texts));
  const auto folder = arguments.value("folder", std::string());
  WW_TRY(const std::string path,
         box.folders.make(folder.empty() ? name : folder + "/" + name, files));
  Json names = Json::array();
  for (const auto& [file, text] : files) names.push_back(file);
  ToolAnswer answer;
  answer.data = {
      {"task", path}, {"name", task.name}, {"files", names}, {"signature", signature_of(task)}};
  answer.text = "Made the task " + path + ". Name it by this path. Its function is\n  " +
                signature_of(task) +
                (texts.torch.empty()
                     ? "\nJudge its own baseline.cu first: that shows whether the task is right. "
                     : "\nThe module is its reference and runs in float64. ") +
                "The resource warpwright://docs/tasks explains every key of task.toml.";
  return answer;
}

ToolAnswer settled(Result<ToolAnswer> result) {
  return result.ok() ? std::move(result).value() : tool_failure(result.error().message);
}

}  // namespace

ToolAnswer list_tasks(ToolBox&, const Json&, const CallScope&) {
  const auto rows = suite::task_listing();
  if (!rows.ok()) return tool_failure(rows.error().message);
  ToolAnswer answer;
  answer.data["tasks"] = Json::array();
  for (const auto& row : *rows) {
    answer.data["tasks"].push_back({{"name", row.name},
                                    {"title", row.title},
                                    {"group", row.group},
                                    {"rule_set", row.rule_set},
                                    {"sizes", row.sizes}});
    answer.text += fmt::format("{:<20} {}\n", row.name, row.title);
  }
  return answer;
}

ToolAnswer show_task(ToolBox& box, const Json& arguments, const CallScope&) {
  return settled(shown_task(box, arguments));
}

ToolAnswer make_task(ToolBox& box, const Json& arguments, const CallScope& scope) {
  return settled(made_task(box, arguments, scope.stop));
}

ToolAnswer list_devices(ToolBox& box, const Json&, const CallScope&) {
  ToolAnswer answer;
  answer.data["devices"] = Json::array();
  for (const auto& device : known_devices()) {
    answer.data["devices"].push_back(device_json(device));
    answer.text +=
        fmt::format("{:<10} {:<24} {:>3} SMs {:>6.0f} GB/s {:>6.1f} TFLOP/s fp32\n", device.key,
                    device.name, device.sm_count, device.memory_gb_per_s, device.fp32_tflops);
  }
  const auto target = box.workshop.target();
  if (!target.ok()) return tool_failure(target.error().message);
  answer.data["target"] = target->name;
  answer.text += "Kernels are judged for: " + target->name + "\n";
  return answer;
}

ToolAnswer show_device(ToolBox& box, const Json& arguments, const CallScope&) {
  const auto device = device_of(box, arguments);
  if (!device.ok()) return tool_failure(device.error().message);
  ToolAnswer answer;
  answer.data = {{"device", device_json(*device)}};
  answer.text = dump_json(answer.data["device"], 1) + "\n";
  if (arguments.contains("task")) {
    const auto task = task_of(box, arguments);
    if (!task.ok()) return tool_failure(task.error().message);
    answer.data["floors"] = floors_of(*task, *device);
    answer.text += floors_text(answer.data["floors"], device->name);
  }
  return answer;
}

}  // namespace warpwright::mcp
