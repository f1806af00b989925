// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "simt/checks/access.h"

// Races in launches whose warps order each other by fences, flags, counters, named barriers,
// mbarriers and clusters. All functions do nothing in other launches.

namespace warpwright::simt {

/// What is known of a block; null: nothing.
const Steps* known_of(const Known& known, std::uint64_t rank);

/// Starts to follow a launch where its kernel's text asks for it.
void start_ordering(LaunchState& s);
void start_block_order(LaunchState& s, BlockState& b);

/// Barriers of a block, named ones too: arriving, and going on when it opens.
void arrive_in_order(Warp& w, Barrier& bar);
void open_in_order(BlockState& b, Barrier& bar, std::uint32_t number);
/// The barrier of a cluster: arriving, and its opening for all of its blocks.
void arrive_at_cluster_in_order(Warp& w);
void open_cluster_in_order(Cluster& c);

/// These warps' products are over up to a group of them, and the warp has waited for that.
void end_products_in_order(Warp& w, std::span<const Warp> of, std::uint32_t groups);

/// The warp's earlier accesses are visible: to its block, or to all.
void fence_in_order(Warp& w, bool beyond_block);

/// Lanes `m` read, or write, words with an atomic, volatile or relaxed access of `bytes`.
void ask_words(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Space space);
void tell_words(Warp& w, const Ins* i, const u64* a, u32 m, u32 bytes, Space space, bool update);

/// An mbarrier in shared memory of this block or another of the cluster: an arrival, the end of a
/// phase, a wait that is over. `at` is where it lies on the host.
void arrive_at_word(Warp& w, const std::byte* at);
void end_phase(LaunchState& s, BlockState& near, const std::byte* at);
void learn_from_word(Warp& w, const std::byte* at);

/// A lane's access to shared memory of another block of its cluster: that block must be there.
void visit_block(Warp& w, const Ins* i, u32 lane, BlockState& b, u64 address);
/// All threads of a block of a cluster have exited. What others did in its shared memory must have
/// been over for one of them.
void end_in_cluster(BlockState& b);

/// One lane's access.
void check_global_order(Warp& w, const Ins* i, u32 lane, u64 address, u32 bytes, Access kind);
/// `b` is the block whose shared memory it is.
void check_shared_order(Warp& w, const Ins* i, u32 lane, BlockState& b, u64 address, u32 bytes,
                        Access kind);

}  // namespace warpwright::simt
