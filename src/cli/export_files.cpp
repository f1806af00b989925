// SPDX-License-Identifier: Apache-2.0
#include "cli/export_files.h"

#include <fmt/format.h>

#include "core/evaluation_json.h"
#include "core/json_reader.h"
#include "verify/generate.h"

namespace warpwright::cli {

namespace {

using Files = std::map<std::string, std::string>;

constexpr std::uint64_t kTestSeed = 20250610;
constexpr std::uint64_t kMaxTestBytes = std::uint64_t{4} << 20;

/// The largest size whose buffers are small enough to travel with the kernel.
const TaskSize* test_size(const Task& task) {
  const TaskSize* chosen = nullptr;
  std::uint64_t most = 0;
  for (const auto* sizes : {&task.edge_sizes, &task.sizes}) {
    for (const auto& size : *sizes) {
      const auto bytes = footprint_bytes(task, size);
      if (bytes.ok() && *bytes <= kMaxTestBytes && *bytes > most) {
        chosen = &size;
        most = *bytes;
      }
    }
  }
  return chosen;
}

std::string header_text(const Task& task) {
  return fmt::format(
      "// {}: see provenance.json for where this kernel comes from and what was checked.\n"
      "#pragma once\n\n"
      "// Device pointers, contiguous, row-major, 256-byte aligned, not aliasing. Work goes to "
      "the\n"
      "// default stream; synchronise before reading results.\n{};\n",
      task.title, signature_of(task));
}

/// Declarations of the test's buffers and scalars; adds the input files.
Result<std::string> argument_lines(const Task& task, const Values& values,
                                   const std::vector<verify::Bytes>& inputs, Files& files) {
  std::string lines;
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    const TaskArgument& argument = task.arguments[i];
    const std::string type(cuda_name(argument.type));
    if (!is_buffer(argument)) {
      WW_TRY(const double value, scalar_value(argument, values));
      lines += fmt::format("  const {} {} = {};\n", type, argument.name, value);
      continue;
    }
    WW_TRY(const std::uint64_t count, element_count(argument, values));
    std::string file;
    if (argument.role != ArgumentRole::output) {
      file = fmt::format("test_input_{}.bin", argument.name);
      files[file] = std::string(reinterpret_cast<const char*>(inputs[i].data()), inputs[i].size());
    }
    lines += fmt::format("  Buffer<{}> {}({}, \"{}\");\n", type, argument.name, count, file);
  }
  return lines;
}

std::string call_line(const Task& task, const char* function, const char* side) {
  std::string call = fmt::format("  {}(", function);
  for (const auto& argument : task.arguments) {
    if (&argument != &task.arguments.front()) call += ", ";
    call += is_buffer(argument) ? fmt::format("{}.{}", argument.name, side) : argument.name;
  }
  return call + ");\n";
}

constexpr const char* kTestHead =
    R"(// A small test: the kernel against the task's baseline on one size, with inputs from files.
//   nvcc -arch=native -o test test.cu kernel.cu && ./test
// It is a smoke test for your build. The judge's own checks are in provenance.json.
#include <cuda_runtime.h>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define solve baseline_solve
namespace baseline {
#include "baseline.cu"
}
#undef solve
#include "kernel.h"

static int failures = 0;

// The same content twice on the device: one for the kernel, one for the baseline.
template <class T>
struct Buffer {
  T* kernel = nullptr;
  T* baseline = nullptr;
  size_t count;
  Buffer(size_t n, const char* file) : count(n) {
    std::vector<unsigned char> bytes(n * sizeof(T), 0xA5);
    if (*file) {
      FILE* in = std::fopen(file, "rb");
      if (!in || std::fread(bytes.data(), 1, bytes.size(), in) != bytes.size()) {
        std::fprintf(stderr, "cannot read %s: run the test in its folder\n", file);
        std::exit(2);
      }
      std::fclose(in);
    }
    cudaMalloc(&kernel, bytes.size());
    cudaMalloc(&baseline, bytes.size());
    cudaMemcpy(kernel, bytes.data(), bytes.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(baseline, bytes.data(), bytes.size(), cudaMemcpyHostToDevice);
  }
  void compare(const char* name) {
    std::vector<T> got(count), want(count);
    cudaMemcpy(got.data(), kernel, count * sizeof(T), cudaMemcpyDeviceToHost);
    cudaMemcpy(want.data(), baseline, count * sizeof(T), cudaMemcpyDeviceToHost);
    double square = 0;
    for (T w : want) square += double(w) * double(w);
    const double scale = std::sqrt(square / (count ? count : 1));
    for (size_t i = 0; i < count; ++i) {
      const double g = double(got[i]), w = double(want[i]);
      if (g == w || std::fabs(g - w) <= 1e-3 * std::fabs(w) + 1e-3 * scale) continue;
      std::fprintf(stderr, "%s[%zu]: kernel %g, baseline %g\n", name, i, g, w);
      if (++failures > 10) return;
    }
  }
};

int main() {
)";

std::string test_text(const Task& task, const std::string& arguments) {
  std::string text = kTestHead + arguments;
  text += call_line(task, "solve", "kernel");
  text += call_line(task, "baseline::baseline_solve", "baseline");
  text +=
      "  const cudaError_t error = cudaDeviceSynchronize();\n"
      "  if (error != cudaSuccess) {\n"
      "    std::fprintf(stderr, \"CUDA: %s\\n\", cudaGetErrorString(error));\n"
      "    return 2;\n  }\n";
  for (const auto& argument : task.arguments) {
    if (argument.role == ArgumentRole::output || argument.role == ArgumentRole::inout) {
      text += fmt::format("  {}.compare(\"{}\");\n", argument.name, argument.name);
    }
  }
  return text + "  std::puts(failures ? \"FAILED\" : \"PASSED\");\n  return failures ? 1 : 0;\n}\n";
}

std::string provenance_text(const Task& task, const store::RunRecord& run,
                            const store::TrialRecord& best,
                            const std::vector<store::ConfigValue>& config) {
  nlohmann::json document = {{"format", 1},
                             {"made_by", "warpwright " WARPWRIGHT_VERSION},
                             {"task", task.name},
                             {"run", run.id},
                             {"trial", best.prompt.trial},
                             {"strategy", run.strategy},
                             {"model", run.model},
                             {"created_ms", run.created_ms},
                             {"source_sha256", best.source_sha256}};
  if (best.reply)
    document["answered_by"] = {{"model", best.reply->model}, {"origin", best.reply->origin}};
  document["evaluation"] =
      nlohmann::json::parse(evaluation_to_json(*best.evaluation), nullptr, false);
  for (const auto& value : config) {
    document["settings"][value.key] = {{"value", value.value}, {"origin", value.origin}};
  }
  return dump_json(document, 2) + "\n";
}

}  // namespace

Result<const store::TrialRecord*> valid_trial(const store::RunRecord& run,
                                              const std::vector<store::TrialRecord>& trials,
                                              const std::string& name) {
  const std::string wanted = name.empty() ? run.best_trial : name;
  if (wanted.empty()) return Error{"run '" + run.id + "' has no valid kernel yet"};
  for (const auto& trial : trials) {
    if (trial.prompt.trial != wanted) continue;
    if (!trial.evaluation || !trial.evaluation->valid()) {
      return Error{"trial '" + wanted + "' of run '" + run.id + "' is not valid; nothing exported"};
    }
    return &trial;
  }
  return Error{"run '" + run.id + "' has no trial '" + wanted + "'"};
}

Result<Files> export_files(const Task& task, const store::RunRecord& run,
                           const store::TrialRecord& best,
                           const std::vector<store::ConfigValue>& config) {
  Files files;
  files["kernel.cu"] = best.candidate->source;
  files["kernel.h"] = header_text(task);
  if (!task.baseline_source.empty()) files["baseline.cu"] = task.baseline_source;
  if (!task.torch.source.empty()) files["reference.py"] = task.torch.source;
  files["provenance.json"] = provenance_text(task, run, best, config);
  const TaskSize* size = test_size(task);
  if (size == nullptr) return files;
  WW_TRY(const auto trial, verify::make_trial(task, *size, nullptr, kTestSeed));
  WW_TRY(const auto inputs, verify::generate_inputs(trial));
  WW_TRY(const std::string arguments, argument_lines(task, trial.values, inputs, files));
  files["test.cu"] = test_text(task, arguments);
  return files;
}

}  // namespace warpwright::cli
