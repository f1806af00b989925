// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ptx/ast.h"

namespace warpwright::ptx {

/// Which functions must be called for real instead of being expanded where they are called. By
/// index into Ast::functions.
struct CallGraph {
  std::vector<bool> recursive;  ///< may be active more than once
  std::vector<bool> taken;      ///< its address is a value somewhere
  bool any = false;             ///< one of these
};
CallGraph call_graph(const Ast& ast);

/// The index of the function's definition; -1: there is none.
std::int64_t defined_function(const Ast& ast, std::string_view name);

}  // namespace warpwright::ptx
