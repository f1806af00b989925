// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sass/check.h"
#include "sass/program.h"

namespace warpwright::sass {

/// The same order with scoreboards shared by fewer: a setter whose waiter comes before its result
/// is used, or that shares with others, gets another one where that makes a forecast shorter, and a
/// wait goes down to the first who needs it. No wait passes a fence, what a block leaves pending is
/// what it left, and scoreboards of fences belong to them. How many blocks changed is in `changed`.
Function with_finer_scoreboards(const Function& function, int* changed = nullptr);

/// Hazards of a function whose scoreboards were changed and whose order was not: other bits, waits
/// that are gone, and uses of what the original had waited for.
std::vector<Hazard> check_scoreboards_against(const Function& original, const Function& changed);

}  // namespace warpwright::sass
