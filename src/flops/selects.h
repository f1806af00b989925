// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace warpwright::flop {

/// An operation whose result is only selected: the assembler executes it under the predicate.
struct SelectedOperation {
  std::uint32_t line = 0;    ///< of the operation, from 1
  std::uint32_t select = 0;  ///< of the `selp` that takes its result
  std::string_view predicate;
  bool negated = false;  ///< it is the operand for lanes whose predicate does not hold
  int flops = 0;         ///< 1, or 2 for a fused one; of single precision
};

/// Those of a PTX text. `selp.f32 d, x, y, p` becomes `@p OP d`, if x = OP is used nowhere else and
/// y is a register that nobody needs afterwards, and the other way round; if both are such
/// operations, the second is the one under a predicate. Doubles are selected as two words: their
/// operations are always executed. Read from what ptxas 13.0 writes for sm_86 and sm_90.
std::vector<SelectedOperation> selected_operations(const std::vector<std::string_view>& ptx_lines);

}  // namespace warpwright::flop
