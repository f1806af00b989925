// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string>

#include "data/check.h"
#include "data/sketch.h"
#include "data/source.h"

// Any text as a row of a data set, as a line of a recording, as a prompt and as a source.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  using namespace warpwright::data;
  static_cast<void>(row_problems(text));
  static_cast<void>(sample_of_line(text).ok());
  static_cast<void>(messages_of_prompt(text));
  static_cast<void>(sketch_of(text));
  return 0;
}
