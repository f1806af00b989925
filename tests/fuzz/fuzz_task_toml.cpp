// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "core/task_json.h"
#include "suite/load.h"

// Any text as task.toml: an error or a task, and a task survives its JSON form unchanged.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto task = warpwright::suite::parse_task(
      {.name = "fuzzed", .where = "task.toml", .toml = text, .baseline = "x"});
  static_cast<void>(warpwright::task_from_json(text).ok());
  if (!task.ok()) return 0;
  const auto back = warpwright::task_from_json(warpwright::task_to_json(*task));
  ASSERT(back.ok() && *back == *task, "a task survives its JSON form");
  return 0;
}
