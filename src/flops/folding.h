// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace warpwright::flop {

/// Lines (from 1) of instructions that the assembler computes itself, because all their operands
/// are constants: `acos(-1.0)` of a program is a number by the time it runs.
std::unordered_set<std::uint32_t> folded_lines(const std::vector<std::string_view>& ptx_lines);

}  // namespace warpwright::flop
