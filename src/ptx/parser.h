// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "ptx/ast.h"

namespace warpwright::ptx {

/// Reads a whole PTX text. Says nothing about whether its instructions exist; the error names the
/// PTX line. Never reads outside the text, whatever it contains.
Result<Ast> parse_ptx(std::string_view text);

}  // namespace warpwright::ptx
