// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "simt/lower/lowering.h"

namespace warpwright::simt {

/// A run of instructions entered only at its first and left only at its last.
struct FlowBlock {
  std::uint32_t first = 0, last = 0;      ///< [first, last) of the lowered code
  std::vector<std::uint32_t> successors;  ///< next block first; the exit is not a block
  bool exits = false;                     ///< lanes may end here
  std::uint32_t ipdom = kNoBlock;
};

struct FlowGraph {
  std::vector<FlowBlock> blocks;
  std::vector<std::uint32_t> block_of_label;
};

/// Blocks, edges and immediate post-dominators.
FlowGraph make_flow(const LoweredKernel& k);

/// The span of instructions over which each virtual register holds a value, in half steps: an
/// instruction i reads at 2i and writes at 2i+1. first > last: never used.
struct LiveRange {
  std::uint32_t first = 0xffffffffu, last = 0;
};
/// An error where blocks times registers are beyond what any kernel needs.
Result<std::vector<LiveRange>> live_ranges(const LoweredKernel& k, const FlowGraph& g);

/// The registers that hold a value behind each of these instructions, in their order.
Result<std::vector<std::vector<Val>>> live_behind(const LoweredKernel& k,
                                                  const std::vector<std::size_t>& instructions);

}  // namespace warpwright::simt
