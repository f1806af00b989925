// SPDX-License-Identifier: Apache-2.0
#include "llm/wire.h"

#include <array>

namespace warpwright::llm {

std::span<const WireFormat> wires() {
  static const std::array rows = {kOpenaiWire, kAnthropicWire};
  return rows;
}

const WireFormat* find_wire(std::string_view name) {
  for (const WireFormat& wire : wires()) {
    if (wire.name == name) return &wire;
  }
  return nullptr;
}

}  // namespace warpwright::llm
