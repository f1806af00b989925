// SPDX-License-Identifier: Apache-2.0
// The PTX loader must survive any text: refuse it or load it, never crash or run away.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "simt/module.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto module = warpwright::simt::load(text);
  if (module.ok()) {
    // What was loaded must also be describable.
    (void)module->kernels();
    (void)module->variables();
  }
  return 0;
}
