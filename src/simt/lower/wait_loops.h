// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "simt/lower/flow.h"

// Loops in which a warp only asks, again and again, whether somebody else is done: with a flag, a
// counter or a lock in memory, or an mbarrier. How often it asks says nothing of a GPU.

namespace warpwright::simt {

/// What the blocks of the code have to do with such loops.
struct WaitLoops {
  std::vector<WaitLoop> loops;
  std::vector<std::uint32_t> head_of;  ///< by block: 1 + the loop that starts there, or 0
  std::vector<bool> behind;            ///< by block: lanes come here from a loop
  bool shares_work = false;            ///< blocks take pieces of work from a counter
};

/// A loop counts where nothing in it writes to memory but exchanges of fixed values, or meets other
/// warps at a barrier, and all that it reads is volatile, relaxed or atomic and at the same address
/// in every turn. Code behind it uses nothing of the loop but answers, of any turn.
WaitLoops find_wait_loops(const LoweredKernel& k, const FlowGraph& g);

}  // namespace warpwright::simt
