// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "ptx/ast.h"
#include "ptx/lexer.h"

// Pieces of statements that the parser puts together. Errors name the PTX line.

namespace warpwright::ptx {

/// Takes `c`, which must be next.
Status expect(Lexer& in, char c, std::string_view where);
/// 12, -3, 0x1F, 0b101, 017, 12U.
Result<std::uint64_t> parse_integer(Lexer& in, std::string_view what);
/// An integer or a real number, behind its sign.
Result<Operand> parse_number(Lexer& in, bool negative);
/// One operand of an instruction.
Result<Operand> parse_operand(Lexer& in);

/// What follows a state space: one declaration of a parameter list (`one`), or all up to the ';'.
Status parse_variables(Lexer& in, Space space, bool is_extern, bool one,
                       std::vector<Variable>& out);

}  // namespace warpwright::ptx
