// SPDX-License-Identifier: Apache-2.0
#include "cli/sass_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/files.h"
#include "base/stop.h"
#include "core/task.h"
#include "core/task_json.h"
#include "evaluate/judgement.h"
#include "reorder/workload.h"
#ifndef WARPWRIGHT_WORKER_ONLY
#include "suite/load.h"
#endif

namespace warpwright::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostCases = 12;

/// A job folder's request, or one made of a task and a source.
Result<evaluate::JobRequest> request_of(const std::string& task, const std::string& file) {
  if (fs::exists(fs::path(task) / "request.json"))
    return evaluate::JobDirectory(task).read_request();
#ifdef WARPWRIGHT_WORKER_ONLY
  static_cast<void>(file);
  return Error{task + " is neither a workload file nor a job folder; tasks need the whole program"};
#else
  evaluate::JobRequest request;
  WW_TRY(request.task, suite::load_task(task));
  WW_TRY(request.source, read_file(file));
  request.id = "sass";
  return request;
#endif
}

Result<reorder::WorkCase> case_of(const evaluate::Prepared& prepared, const TaskSize& size) {
  WW_TRY(const auto call, evaluate::call_of(prepared.task(), size, nullptr));
  const auto plan = prepared.candidate.plans.find(evaluate::call_key(call));
  if (plan == prepared.candidate.plans.end()) return Error{"a size was not recorded"};
  reorder::WorkCase item{.plan = plan->second};
  item.size.insert(size.values.begin(), size.values.end());
  for (std::size_t i = 0; i < prepared.task().arguments.size(); ++i) {
    const TaskArgument& argument = prepared.task().arguments[i];
    reorder::WorkBuffer buffer{.type = argument.type};
    if (argument.role == ArgumentRole::output) buffer.role = reorder::WorkBuffer::Role::out;
    if (argument.role == ArgumentRole::inout) buffer.role = reorder::WorkBuffer::Role::inout;
    if (argument.role != ArgumentRole::scalar)
      buffer.count = call.arguments[i].buffer_bytes / bytes_of(argument.type);
    item.buffers.push_back(buffer);
  }
  return item;
}

/// The timed size in the middle first, then other sizes of the judgement.
Result<reorder::Workload> workload_of(const evaluate::Prepared& prepared) {
  reorder::Workload workload{.task = task_to_json(prepared.task())};
  if (prepared.timed.empty()) return Error{"the task has no size that fits the device"};
  const TaskSize* timed = prepared.timed[prepared.timed.size() / 2];
  WW_TRY(auto first, case_of(prepared, *timed));
  for (const PlanStep& step : first.plan.steps)
    if (const auto* launch = std::get_if<KernelLaunch>(&step); launch != nullptr)
      workload.kernel = launch->kernel;
  workload.cases.push_back(std::move(first));
  for (const auto& item : prepared.cases) {
    if (workload.cases.size() >= kMostCases) break;
    if (item.size == timed || item.variant != nullptr) continue;
    WW_TRY(auto more, case_of(prepared, *item.size));
    workload.cases.push_back(std::move(more));
  }
  return workload;
}

}  // namespace

Result<SassInputs> sass_inputs(const std::string& task, const std::string& file,
                               const std::string& folder) {
  if (task.ends_with(".json")) {
    WW_TRY(const std::string text, read_file(task));
    WW_TRY(const auto workload, reorder::workload_from(text));
    return SassInputs{.workload = task, .cubin = file, .kernel = workload.kernel};
  }
  WW_TRY(const auto request, request_of(task, file));
  const StopSignal stop;
  return sass_inputs_of(request, folder, stop);
}

Result<SassInputs> sass_inputs_of(const evaluate::JobRequest& request, const std::string& folder,
                                  const StopSignal& stop) {
  WW_CHECK(make_directories(folder));
  evaluate::Station station;
  auto context = evaluate::make_context(request, fs::path(folder) / "build", station, stop);
  const auto source = std::make_shared<const evaluate::Source>(evaluate::Source{request});
  auto prepared = evaluate::prepare(source, context);
  if (!prepared.ok()) return Error{evaluate::reason_of(prepared.error())};
  if (prepared->candidate.code.cubin.empty()) {
    // Clang leaves some of CUDA's functions to nvcc, and then makes no machine code.
    if (request.front_end.name() != "nvcc") {
      evaluate::JobRequest by_nvcc = request;
      by_nvcc.front_end = "nvcc";
      auto again = sass_inputs_of(by_nvcc, folder, stop);
      if (again.ok()) return again;
    }
    return Error{"the source was built without ptxas" + std::string(kNoMachineCode)};
  }
  WW_TRY(const auto workload, workload_of(*prepared));
  SassInputs inputs{.workload = (fs::path(folder) / "workload.json").string(),
                    .cubin = (fs::path(folder) / "original.cubin").string(),
                    .kernel = workload.kernel,
                    .source = request.source,
                    .ptx = prepared->candidate.code.ptx};
  if (prepared->target.is_cuda) inputs.device = prepared->target.choice.device.text();
  WW_CHECK(write_file(inputs.workload, reorder::workload_text(workload)));
  WW_CHECK(write_file(inputs.cubin, prepared->candidate.code.cubin));
  WW_CHECK(write_file(fs::path(folder) / "original.ptx", inputs.ptx));
  return inputs;
}

std::string loader_text(int architecture) {
  return fmt::format(
      "// Loads tuned.cubin, machine code of original.cu that was made and proven for sm_{0}\n"
      "// alone (report.json). It is refused on any other architecture.\n"
      "#pragma once\n#include <cuda.h>\n\n"
      "static inline CUresult load_tuned(CUmodule* module, const char* path) {{\n"
      "  CUdevice device;\n  int major = 0, minor = 0;\n"
      "  CUresult result = cuCtxGetDevice(&device);\n"
      "  if (result != CUDA_SUCCESS) return result;\n"
      "  cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);\n"
      "  cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);\n"
      "  if (major * 10 + minor != {0}) return CUDA_ERROR_NO_BINARY_FOR_GPU;\n"
      "  return cuModuleLoad(module, path);\n}}\n",
      architecture);
}

Status export_tuned(const std::string& folder, const SassInputs& inputs, const std::string& cubin,
                    const std::string& report, int architecture) {
  WW_CHECK(make_directories(folder));
  const fs::path path(folder);
  WW_CHECK(write_file(path / "tuned.cubin", cubin));
  WW_CHECK(write_file(path / "report.json", report));
  if (!inputs.source.empty()) WW_CHECK(write_file(path / "original.cu", inputs.source));
  return write_file(path / "loader.h", loader_text(architecture));
}

}  // namespace warpwright::cli
