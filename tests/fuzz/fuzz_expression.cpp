// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/distribution.h"
#include "core/expression.h"

// Any text: parsing ends, and what it accepts evaluates to a number or an error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const warpwright::Values values = {{"n", 1000}, {"m", 0}, {"x", -2.5}};
  if (const auto expression = warpwright::Expression::parse(text); expression.ok()) {
    static_cast<void>(expression->evaluate(values).ok());
    static_cast<void>(expression->evaluate_integer(values).ok());
    static_cast<void>(expression->names());
  }
  static_cast<void>(warpwright::Distribution::parse(text).ok());
  return 0;
}
