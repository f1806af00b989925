// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ptx/lexer.h"

namespace warpwright::ptx {

/// No variable is larger for those who only ask how large it is.
inline constexpr std::uint64_t kMostDeclaredBytes = std::uint64_t{1} << 40;

/// A parameter or variable: ".align 16 .b8 name[64]". A size that cannot be told is 0.
struct Declaration {
  std::string_view name;
  std::uint64_t bytes = 0;
  std::uint32_t align = 1;
};

/// What follows a state space (".shared"), up to its ';': one name or several, each with dimensions
/// and maybe a value. Total: whatever the text is.
std::vector<Declaration> read_declarations(Lexer& words);

/// What follows ".param" in a parameter list, with the ',' or ')' behind it; whether more follow.
bool read_parameter(Lexer& words, Declaration& out);

}  // namespace warpwright::ptx
