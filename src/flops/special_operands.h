// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "flops/cost.h"

namespace warpwright::flop {

/// The text with a mark before each instruction whose machine sequence depends on its operand: an
/// instruction that only lanes with a special operand execute. What kernels compute stays the same.
std::string with_marks(std::string_view ptx);

/// What a mark on this line adds to the instruction behind it; nothing for lines without one.
OpCost mark_cost(std::string_view ptx_line);

}  // namespace warpwright::flop
