// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace warpwright::flop {

/// Where functions of a PTX text end. Inline assembly has braces of its own, wherever they stand.
class FunctionEnds {
 public:
  /// Whether a function ends on this line. Lines come in their order.
  bool at(std::string_view ptx_line);

 private:
  int depth_ = 0;
};

/// Lines (from 1) of `neg` and `abs` instructions that the assembler writes as an addition of zero:
/// those whose result goes elsewhere than into instructions that take a sign with their operand.
std::unordered_set<std::uint32_t> signs_that_cost(const std::vector<std::string_view>& ptx_lines);

/// The instruction's opcode behind its guard; empty where the line has no instruction.
std::string_view opcode_in(std::string_view ptx_line);

/// The registers that a text names, in order.
std::vector<std::string_view> registers_in(std::string_view text);

}  // namespace warpwright::flop
