// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simt/state/warp.h"

namespace warpwright::simt {

/// The lanes of a warp that wait at this instruction for the other half of their wavefront; null:
/// none do.
Split* waiting_half(Warp& w, const Ins* at);

/// Lets halves go on whose other halves do not come: one of each wavefront, the one that is
/// furthest behind in the text, so that the other may still be met later on. Whether there was one.
bool free_half_wavefronts(BlockState& b);

}  // namespace warpwright::simt
