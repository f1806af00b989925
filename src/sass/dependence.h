// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "sass/border.h"
#include "sass/latency.h"
#include "sass/pending.h"
#include "sass/program.h"

namespace warpwright::sass {

/// Why one instruction must stay behind another.
enum class Cause : int { read, overwrite, after_read, memory, scoreboard, coverage, fence };
std::string_view name_of(Cause cause);

/// Two instructions of a block, by their numbers in it, and the least cycles between their issues.
struct Edge {
  std::uint32_t from = 0, to = 0;
  int cycles = 0;
  Cause cause = Cause::read;
  std::uint16_t index = 0;  ///< of the register; for scoreboards their number
};

/// The registers that tie instructions of one block together. `visit` gets cause (read, overwrite
/// or after_read), both numbers within the block, and the register.
using VisitPair = std::function<void(Cause, std::size_t, std::size_t, std::size_t)>;
void for_each_pair(const Function& function, const Block& block, const VisitPair& visit);

/// All that an order of a block's instructions has to keep.
struct BlockGraph {
  std::size_t first = 0, count = 0;  ///< the block, in the function
  std::vector<Edge> edges;
  std::vector<int> from_start;  ///< least cycles from the block's first issue, by instruction
  std::vector<int> to_end;      ///< least cycles to whatever issues behind the block
  std::vector<bool> fence;
  /// Runs of at least two instructions between fences.
  std::vector<std::pair<std::size_t, std::size_t>> regions;
  /// Instructions of one opcode have one kind. Least cycles between the issues of two neighbours by
  /// their kinds, then those behind each kind whatever follows; kUnknown where the table has none.
  std::vector<std::uint16_t> kind;
  std::vector<int> issue_pair, issue_any;
  static constexpr int kUnknown = -1;
  std::vector<std::vector<std::uint32_t>> successors;    ///< within regions, by instruction
  std::vector<std::vector<std::uint32_t>> predecessors;  ///< numbers of edges, by instruction
};

/// How many cycles a pair needs that ptxas has put `original` cycles apart.
int needed_cycles(const LatencyTable& table, const PairName& pair, int original);

/// The graph of a block as ptxas has ordered it.
BlockGraph graph_of(const Function& function, std::size_t block, const Pending& pending,
                    const Border& border, const LatencyTable& table);

/// Graphs of all blocks.
std::vector<BlockGraph> graphs_of(const Function& function, const LatencyTable& table);

/// Issue times from the block's first instruction on, waits not counted; one more for its end.
std::vector<int> issue_times(const Function& function, std::size_t first, std::size_t count);

/// Whether two accesses may be of the same memory, and one of them writes it. Whoever asks knows
/// whether the base registers hold the same in both.
bool may_conflict(const MemoryAccess& a, const MemoryAccess& b, bool same_base);

}  // namespace warpwright::sass
