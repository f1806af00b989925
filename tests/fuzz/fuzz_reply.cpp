// SPDX-License-Identifier: Apache-2.0
// Any bytes as a model's reply. The first byte picks the finish reason.
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "base/text.h"
#include "prompt/extract.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const bool cut = !bytes.empty() && bytes.front() == '!';
  const auto result =
      warpwright::prompt::extract_source(cut ? bytes.substr(1) : bytes, cut ? "length" : "stop");
  ASSERT(result.ok == result.reason.empty(), "a program or a reason, never both");
  ASSERT(result.ok == !result.source.empty(), "a program is never empty");
  if (result.ok) {
    ASSERT(result.source.find("solve") != std::string::npos, "a program names solve");
    ASSERT(warpwright::clean_utf8(result.source) == result.source, "a program is clean text");
    ASSERT(result.source.back() == '\n', "a program ends with a line end");
  }
  return 0;
}
