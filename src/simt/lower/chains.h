// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simt/lower/flow.h"

// How long a warp that is alone takes for a block of code: the estimate's latency. Instructions
// that do not need each other's results overlap, loads of global memory above all.

namespace warpwright::simt {

/// The longest chain of dependent instructions in each block of the flow graph. What is loaded is
/// waited for where it is used first, in this block or in a later one, for as long as it is still
/// under way there.
std::vector<Chain> find_chains(const LoweredKernel& k, const FlowGraph& g);

}  // namespace warpwright::simt
