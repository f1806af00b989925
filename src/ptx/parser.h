// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "ptx/ast.h"

namespace warpwright::simt {

/// Reads a whole PTX text. Says nothing about whether its instructions exist; the error names the
/// PTX line. Never reads outside the text, whatever it contains.
Result<Ast> parse_ptx(std::string_view text);

/// Bytes of a PTX fundamental type ("f32", "b64", "f16x2"); 0 for an unknown one, 0 for "pred".
std::uint32_t bytes_of_type(std::string_view type);

}  // namespace warpwright::simt
