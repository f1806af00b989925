// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "simt/state/program.h"

// Loads and stores of a block that use one base register after the other, as unrolled loops do: the
// first finds out how the addresses lie (one, neighbours, scattered), the others know.

namespace warpwright::simt {

/// Marks them in the code of a kernel.
void mark_repeats(Kernel& kernel);

}  // namespace warpwright::simt
