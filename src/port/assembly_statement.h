// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "port/source_text.h"

namespace warpwright::port {

/// An inline assembly statement.
struct AssemblyStatement {
  std::size_t begin = 0;              ///< its first token: asm
  std::size_t end = 0;                ///< the token after its ')'
  std::string code;                   ///< the joined literals, escapes resolved
  std::vector<std::string> operands;  ///< the expressions of %0, %1, ...
  std::size_t outputs = 0;            ///< how many of them are written
};

/// The statement whose `asm` is at token i; nothing where the text is none.
std::optional<AssemblyStatement> assembly_at(const SourceText& source, std::size_t i);

/// Whether it is PTX and not the host's assembly.
bool is_ptx(std::string_view code);

}  // namespace warpwright::port
