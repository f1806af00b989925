// SPDX-License-Identifier: Apache-2.0
// Any bytes as a user's prompt file.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "prompt/templates.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using warpwright::prompt::Template;
  using warpwright::prompt::TemplateValues;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto parsed = Template::parse(bytes, "file", warpwright::prompt::placeholder_names());
  if (!parsed.ok()) {
    ASSERT(parsed.error().message.starts_with("file:"), "an error names file and line");
    return 0;
  }
  TemplateValues all;
  for (const auto name : warpwright::prompt::placeholder_names()) all[std::string(name)] = "x";
  const auto filled = parsed->render(all);
  ASSERT(parsed->render({}).size() <= filled.size(), "an empty value never adds text");
  ASSERT(filled.size() <= bytes.size(), "one-letter values are shorter than their marks");
  return 0;
}
