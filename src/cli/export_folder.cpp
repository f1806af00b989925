// SPDX-License-Identifier: Apache-2.0
#include "cli/export_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "exchange/beside_baseline.h"
#include "verify/generate.h"

namespace warpwright::cli {

namespace {

constexpr std::uint64_t kTestSeed = 20250610;

/// The largest size whose buffers are small enough to travel with the kernel.
const TaskSize* test_size(const Task& task, std::uint64_t most_bytes) {
  const TaskSize* chosen = nullptr;
  std::uint64_t most = 0;
  for (const auto* sizes : {&task.edge_sizes, &task.sizes}) {
    for (const auto& size : *sizes) {
      const auto bytes = footprint_bytes(task, size);
      if (bytes.ok() && *bytes <= most_bytes && *bytes > most) {
        chosen = &size;
        most = *bytes;
      }
    }
  }
  return chosen;
}

std::string literal(double value) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value < 0 ? "-INFINITY" : "INFINITY";
  return fmt::format("{}", value);
}

std::string input_file(const TaskArgument& argument) {
  return fmt::format("test_input_{}.bin", argument.name);
}

/// Declarations of the test's buffers and scalars.
Result<std::string> argument_lines(const Task& task, const Values& values) {
  std::string lines;
  for (const TaskArgument& argument : task.arguments) {
    const std::string type(cuda_name(argument.type));
    if (!is_buffer(argument)) {
      WW_TRY(const double value, scalar_value(argument, values));
      lines +=
          fmt::format("  const {} {} = ({})({});\n", type, argument.name, type, literal(value));
      continue;
    }
    WW_TRY(const std::uint64_t count, element_count(argument, values));
    const std::string file = argument.role == ArgumentRole::output ? "" : input_file(argument);
    lines += fmt::format("  Buffer<{}> {}({}, \"{}\");\n", type, argument.name, count, file);
  }
  return lines;
}

std::string call_line(const Task& task, const std::string& function, const char* side) {
  std::string call = fmt::format("  {}(", function);
  for (const auto& argument : task.arguments) {
    if (&argument != &task.arguments.front()) call += ", ";
    call += is_buffer(argument) ? fmt::format("{}.{}", argument.name, side) : argument.name;
  }
  return call + (task.stream ? ", nullptr" : "") + ");\n";
}

constexpr const char* kTestHead =
    R"(#include <cuda_runtime.h>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

)";

constexpr const char* kTestBody =
    R"(
#define solve baseline_solve
namespace baseline {
#include "baseline.cu"
}
#undef solve
#include "kernel.h"

static int failures = 0;

template <class T>
double number(T value) { return static_cast<double>(value); }
)";

constexpr const char* kTestBuffers =
    R"(
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
    for (T** copy : {&kernel, &baseline}) {
      if (cudaMalloc((void**)copy, bytes.size()) != cudaSuccess ||
          cudaMemcpy(*copy, bytes.data(), bytes.size(), cudaMemcpyHostToDevice) != cudaSuccess) {
        std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(cudaGetLastError()));
        std::exit(2);
      }
    }
  }
  // Near is relative to an element and to the root mean square of all of them.
  void compare(const char* name, double near, double offset, bool bits) {
    std::vector<T> got(count), want(count);
    cudaMemcpy(got.data(), kernel, count * sizeof(T), cudaMemcpyDeviceToHost);
    cudaMemcpy(want.data(), baseline, count * sizeof(T), cudaMemcpyDeviceToHost);
    double square = 0;
    size_t finite = 0;
    for (const T& w : want) {
      if (!std::isfinite(number(w))) continue;
      square += number(w) * number(w);
      ++finite;
    }
    const double scale = std::sqrt(square / (finite ? finite : 1));
    for (size_t i = 0; i < count; ++i) {
      const double g = number(got[i]), w = number(want[i]);
      if (std::memcmp(&got[i], &want[i], sizeof(T)) == 0) continue;
      if (!bits && (g == w || std::isnan(w))) continue;
      const bool is_near = std::fabs(g - w) <= near * std::fabs(w) + near * scale + offset;
      if (!bits && std::isfinite(w) && is_near) continue;
      std::fprintf(stderr, "%s[%zu]: kernel %g, baseline %g\n", name, i, g, w);
      if (++failures > 10) return;
    }
  }
};

int main() {
)";

std::string half_numbers(const Task& task) {
  std::string text;
  const auto used = [&](ElementType type) {
    return std::any_of(task.arguments.begin(), task.arguments.end(),
                       [&](const auto& argument) { return argument.type == type; });
  };
  if (used(ElementType::f16)) {
    text += "double number(__half value) { return __half2float(value); }\n";
  }
  if (used(ElementType::bf16)) {
    text += "double number(__nv_bfloat16 value) { return __bfloat162float(value); }\n";
  }
  return text;
}

std::string test_text(const Task& task, const std::string& arguments, const ExportNames& names,
                      const ExportTarget& target) {
  std::string text = fmt::format(
      "// A small test: the kernel against the task's baseline on one size, with inputs from "
      "files.\n"
      "//   nvcc {} -o test test.cu kernel.cu && ./test\n"
      "// It is a smoke test for your build. The judge's own checks are in provenance.json.\n{}{}",
      compile_line(target), kTestHead, exchange::hoisted_includes(task.baseline_source));
  text += kTestBody + half_numbers(task) + kTestBuffers + arguments;
  const std::string kernel =
      names.scope.empty() ? names.function : names.scope + "::" + names.function;
  text += call_line(task, kernel, "kernel");
  text += call_line(task, "baseline::baseline_solve", "baseline");
  text +=
      "  const cudaError_t error = cudaDeviceSynchronize();\n"
      "  if (error != cudaSuccess) {\n"
      "    std::fprintf(stderr, \"CUDA: %s\\n\", cudaGetErrorString(error));\n"
      "    return 2;\n  }\n";
  for (const auto& argument : task.arguments) {
    if (argument.role != ArgumentRole::output && argument.role != ArgumentRole::inout) continue;
    const exchange::Nearness near = exchange::nearness(task, argument);
    text += fmt::format("  {0}.compare(\"{0}\", {1}, {2}, {3});\n", argument.name, near.relative,
                        near.absolute, near.bits);
  }
  return text + "  std::puts(failures ? \"FAILED\" : \"PASSED\");\n  return failures ? 1 : 0;\n}\n";
}

}  // namespace

Result<std::optional<exchange::TestCase>> test_case(const Task& task, std::uint64_t most_bytes) {
  const TaskSize* size = test_size(task, most_bytes);
  if (size == nullptr) return std::optional<exchange::TestCase>();
  WW_TRY(const auto instance, verify::make_instance(task, *size, nullptr, kTestSeed));
  WW_TRY(const auto inputs, verify::generate_inputs(instance));
  exchange::TestCase test{.values = instance.values, .inputs = {}};
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    const TaskArgument& argument = task.arguments[i];
    if (!is_buffer(argument) || argument.role == ArgumentRole::output) continue;
    test.inputs[input_file(argument)] =
        std::string(reinterpret_cast<const char*>(inputs[i].data()), inputs[i].size());
  }
  return std::optional(std::move(test));
}

Result<std::map<std::string, std::string>> export_folder(const KernelToExport& kernel,
                                                         const ExportNames& names,
                                                         const exchange::TestCase* test) {
  const Task& task = kernel.task;
  const ExportTarget target = export_target(kernel.device, kernel.source);
  std::map<std::string, std::string> files;
  files["kernel.cu"] = kernel_text(task, kernel.source, names);
  files["kernel.h"] = header_text(task, names);
  if (!task.baseline_source.empty()) files["baseline.cu"] = task.baseline_source;
  if (!task.torch.source.empty()) files["reference.py"] = task.torch.source;
  files["provenance.json"] = kernel.provenance;
  const bool with_test = test != nullptr && !task.baseline_source.empty();
  files["CMakeLists.txt"] = cmake_text(task, names, target, with_test);
  if (!with_test) return files;
  WW_TRY(const std::string arguments, argument_lines(task, test->values));
  files["test.cu"] = test_text(task, arguments, names, target);
  files.insert(test->inputs.begin(), test->inputs.end());
  return files;
}

}  // namespace warpwright::cli
