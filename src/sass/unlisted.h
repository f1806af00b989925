// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sass/instruction.h"

namespace warpwright::sass {

/// Completes the registers of an instruction by its text. nvdisasm's table of live ranges leaves
/// out predicates that P2R, R2P and their uniform kin move as a set ("PR" or "UPR", and a mask).
/// Where the text names any other register that the table does not have, or a set in an unknown
/// way, the instruction becomes a fence.
void add_unlisted_registers(Instruction& instruction);

}  // namespace warpwright::sass
