// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "verify/recipe.h"

namespace warpwright::verify {

/// element_value() of many neighbours, to the same bits: random numbers are drawn a block at a
/// time, in loops that the compiler turns into vector code.
void block_values(const Recipe& recipe, std::uint64_t first, std::uint64_t key,
                  std::span<double> out);

}  // namespace warpwright::verify
