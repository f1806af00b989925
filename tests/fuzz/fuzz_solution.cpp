// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "exchange/expression_text.h"
#include "exchange/kernelbench_results.h"
#include "exchange/trace_solution.h"

// Any text as a solution of others, and as an expression: a source, or a reason.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpwright;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Task task;
  task.name = "t";
  task.sizes = {{.label = "given", .values = {{"n", 8}}}};
  task.arguments = {
      {.name = "x", .expression = "n", .torch = "input 0: float32[n]"},
      {.name = "y", .role = ArgumentRole::output, .expression = "n", .torch = "output: float32[n]"},
      {.name = "n", .type = ElementType::i32, .role = ArgumentRole::scalar, .expression = "n"}};
  task.torch.source = std::string("# trace: ") + std::string(text) + "\n";
  static_cast<void>(exchange::trace_origin(task).definition.size());
  if (const auto solution = exchange::read_solution(text); solution.ok())
    static_cast<void>(exchange::source_of(*solution, task).ok());
  static_cast<void>(exchange::baseline_times(text).ok());
  static_cast<void>(exchange::expression_text(text, exchange::Language::cpp).ok());
  static_cast<void>(exchange::expression_text(text, exchange::Language::python).ok());
  return 0;
}
