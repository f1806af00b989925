// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "ptx/ast.h"

namespace warpwright::flop {

/// Instructions of a function that are always executed together.
struct FlowBlock {
  std::vector<std::size_t> statements;  ///< indices into the function's body
  std::vector<std::size_t> next;        ///< the target of a branch first
  std::vector<std::size_t> before;
  std::string_view guard;  ///< predicate of the branch that ends it; empty: none
  bool guard_negated = false;
  bool ends_openly = false;  ///< by a jump that could go anywhere
};

struct FlowLoop {
  std::size_t header = 0;
  std::vector<bool> inside;  ///< by block
};

/// A function's blocks, who dominates whom, and its loops.
struct ControlFlow {
  std::vector<FlowBlock> blocks;
  std::vector<std::vector<bool>> dominators;  ///< [block][dominator]
  std::vector<std::vector<bool>> reached;     ///< [block][whence]: by one step or more
  std::vector<FlowLoop> loops;
  bool too_large = false;
};

ControlFlow control_flow(const ptx::Function& function);

}  // namespace warpwright::flop
