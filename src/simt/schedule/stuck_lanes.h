// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace warpwright::simt {

struct BlockState;
struct Ins;
struct Warp;

/// When no lane of a block can go on: lets lanes that wait at a join go on by themselves if others
/// of their warp wait for them in a `*.sync` instruction that they can still get to. Whether there
/// were any; once per wait.
bool free_lanes_that_others_name(BlockState& block);

/// After lanes have met in `met`, which the running split executes for all: those that were freed
/// and those they had waited for walk together again, if all of them are here.
void rejoin_freed(Warp& warp, const Ins* met);

}  // namespace warpwright::simt
