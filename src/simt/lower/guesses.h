// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simt/lower/lowering.h"

// The plain first read of a loop around a compare-and-swap: what it gives is a guess, which the
// swap confirms or refuses. It needs no order with the updates of others.

namespace warpwright::simt {

/// Marks loads whose value goes into a compare-and-swap of the same address, and nowhere else but
/// into what that is computed from and into branches (kGuess).
void mark_guesses(LoweredKernel& k);

}  // namespace warpwright::simt
