// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "sass/latency.h"

namespace warpwright::sass {

/// No fence needs longer than the longest stall it can have itself to take hold of its warp.
inline constexpr int kFenceReach = 16;

/// Opcodes of fences that were issued lately, with the least cycles since.
using RecentFences = std::map<std::string, int>;

/// A fence takes some cycles until it holds its warp: what issues meanwhile has not waited.
/// BAR.SYNC followed by arithmetic has a stall of 1, followed by an access to memory one of 6;
/// where arithmetic stands between both, it may be there to fill that time. Whether this is such a
/// fence: what transfers control is not.
bool holds_back(const Instruction& instruction, bool is_fence);

/// The row of the table: the fence with all that its opcode says, and who comes behind.
PairName behind_fence_name(const std::string& fence, const Instruction& later);

/// How many cycles behind such a fence an instruction needs that ptxas has put there `original`
/// cycles behind it: no more than those, and of pairs that are not known all of them.
int needed_behind_fence(const LatencyTable& table, const std::string& fence,
                        const Instruction& later, int original);

}  // namespace warpwright::sass
