// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/ast.h"

namespace warpwright::flop {

/// What a kernel's text says of how its values come about. Found without running it: whatever the
/// rules do not understand counts as "may".
struct KernelTraits {
  std::string kernel;
  bool diverges = false;          ///< a branch or guard depends on the thread's number
  bool diverges_by_data = false;  ///< a branch or guard depends on what was read from memory
  bool has_branches = false;
  bool divides = false;          ///< floating-point numbers
  bool calls_unknown = false;    ///< a function that is not in the text, or by its address
  std::uint64_t loaded = 0;      ///< parameters (bit i: the i-th) through which it reads
  std::uint64_t stored = 0;      ///< ... writes
  bool loads_anywhere = false;   ///< reads through addresses that came from elsewhere
  bool stores_anywhere = false;  ///< writes through such addresses
};

/// Of every kernel of a text.
std::vector<KernelTraits> kernel_traits(const ptx::Ast& ast);

}  // namespace warpwright::flop
