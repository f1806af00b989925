// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "tune/space.h"

// Any text: a space or an error. What a space fills in declares nothing any more.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto space = warpwright::tune::Space::parse(text);
  if (!space.ok()) return 0;
  double points = 1;
  for (const auto& parameter : space->parameters()) {
    points *= static_cast<double>(parameter.values.size());
  }
  if (points < 4096) static_cast<void>(space->points());
  const auto again = warpwright::tune::Space::parse(space->filled(space->given()));
  ASSERT(again.ok() && again->parameters().empty(), "a filled source is plain");
  return 0;
}
