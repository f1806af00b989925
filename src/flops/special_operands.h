// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "flops/cost.h"

namespace warpwright::flop {

/// The text with a mark before each instruction whose machine sequence depends on its operand: an
/// instruction that only lanes with a special operand execute. So are operations marked that are
/// only executed under a predicate (flops/selects.h). What kernels compute stays the same.
std::string with_marks(std::string_view ptx);

/// What a mark on this line adds to the instruction behind it; nothing for lines without one.
OpCost mark_cost(std::string_view ptx_line);

/// Lines (from 1) of operations that marks count in their place.
std::unordered_set<std::uint32_t> marked_operations(const std::vector<std::string_view>& ptx_lines);

}  // namespace warpwright::flop
