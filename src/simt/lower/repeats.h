// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "simt/state/program.h"

// Loads and stores of a block that use one base register after the other, as unrolled loops do: the
// first finds out how the addresses lie (one, neighbours, scattered), the others know.

namespace warpwright::simt {

/// In Ins::aux2 of a load or store: 0, or one of these and the number of a row of Warp::known.
inline constexpr std::uint32_t kFindsPattern = 0x100;
inline constexpr std::uint32_t kKnowsPattern = 0x200;
inline constexpr std::uint32_t kPatternRows = 16;

/// Marks them in the code of a kernel.
void mark_repeats(Kernel& kernel);

}  // namespace warpwright::simt
