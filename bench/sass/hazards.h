// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <random>
#include <string_view>

#include "sass/dependence.h"
#include "sass/latency.h"

namespace warpwright::bench {

/// Kinds of hazards to plant in ptxas's own code.
enum class Planted : int { registers, memory, scoreboard, latency, reuse, side_table };
inline constexpr int kPlantedKinds = 6;
std::string_view name_of(Planted kind);

/// The function with one hazard of the kind, or nothing where it has no place for one.
std::optional<sass::Function> plant(Planted kind, const sass::Function& function,
                                    const std::vector<sass::BlockGraph>& graphs,
                                    std::mt19937_64& random);

}  // namespace warpwright::bench
