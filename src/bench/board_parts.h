// SPDX-License-Identifier: Apache-2.0
#pragma once

// Inside bench only: the steps that make a board of what was read.

#include "bench/board.h"

namespace warpwright::bench {

/// The kernel of each task with the lowest geometric mean over its sizes; one that lacks a size
/// (a bad verdict there) is no candidate.
void choose_best_kernels(Board& board);

std::vector<Mean> means_of(const Board& board);

}  // namespace warpwright::bench
