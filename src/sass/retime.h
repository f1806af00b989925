// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sass/dependence.h"

namespace warpwright::sass {

/// The instructions of a block in some order: numbers within the block as it was built.
using Order = std::vector<std::uint32_t>;

Order original_order(const BlockGraph& graph);

/// Whether fences are in place, no instruction has left its region, and every edge leads forward.
bool keeps_order(const BlockGraph& graph, std::span<const std::uint32_t> order);

/// The earliest issue times of an order, as stalls behind each instruction. Nothing where a stall
/// would be longer than an instruction can say.
std::optional<std::vector<int>> stalls_of(const Function& function, const BlockGraph& graph,
                                          std::span<const std::uint32_t> order);

/// The block in another order, with new stalls and yields, and without reuse bits that would no
/// longer hold. Nothing where the order is not legal. `yields`, where given, are the wanted ones
/// by instruction.
std::optional<std::vector<Instruction>> reordered(const Function& function, const BlockGraph& graph,
                                                  std::span<const std::uint32_t> order,
                                                  std::span<const std::uint8_t> yields = {});

/// Clears reuse bits whose register is written before the slot is read again, or that nobody uses.
void clear_broken_reuse(std::span<Instruction> code);

/// Whether the slot's operand is still what it was when somebody reads that slot next: true also
/// where nobody does.
bool reuse_holds(std::span<const Instruction> code, std::size_t at, int slot);

}  // namespace warpwright::sass
