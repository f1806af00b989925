// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string>

#include "torch/gpu_mode.h"
#include "torch/trace.h"

// Any text as a definition, and as the workloads of one: a module or a reason. And as a task.yml of
// gpu-mode.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  using warpwright::torch::module_of;
  static_cast<void>(module_of({.name = "a", .text = text, .workload = "", .path = "a.json"}).ok());
  const std::string simple =
      R"({"axes": {"n": {"type": "var"}}, "inputs": {"x": {"shape": ["n"], "dtype": "float32"}},)"
      R"( "outputs": {"y": {"shape": ["n"], "dtype": "float32"}}, "reference": "def run(x): pass"})";
  static_cast<void>(
      module_of({.name = "b", .text = simple, .workload = text, .path = "b.json"}).ok());
  for (const char* list : {"tests", "benchmarks"})
    static_cast<void>(warpwright::torch::gpu_mode_cases(text, list).size());
  return 0;
}
