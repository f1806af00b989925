// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string>

#include "portfolio/portfolio.h"

// Any two texts: one source or an error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  warpwright::Task task;
  task.arguments = {{.name = "n",
                     .type = warpwright::ElementType::i32,
                     .role = warpwright::ArgumentRole::scalar}};
  const std::size_t half = size / 2;
  const std::vector<warpwright::portfolio::Part> parts = {{"a", text.substr(0, half), {}},
                                                          {"b", text.substr(half), {}}};
  static_cast<void>(
      warpwright::portfolio::merged_source(task, parts, {{"n"}, {{0, 0}, {1000, 1}}}).ok());
  return 0;
}
