// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace warpwright::simt {

/// What a decoded instruction is: a row of the table.
enum class Opcode : std::uint8_t {
#define STEP(opcode, handler, cost) opcode,
#include "simt/isa/steps.def"
};

}  // namespace warpwright::simt
