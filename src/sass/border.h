// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sass/fences.h"
#include "sass/latency.h"
#include "sass/program.h"

namespace warpwright::sass {

/// Farther than any result without a scoreboard takes, and any source.
inline constexpr int kSlowestResult = 64;
inline constexpr int kSlowestSource = 24;

/// What may still be under way where a block begins, in cycles by register: results that no
/// scoreboard guards, and sources that are still to be read. And fences shortly before.
struct Border {
  std::array<std::uint8_t, kRegisters> result = {}, source = {};
  RecentFences fences;  ///< that may not hold the warp yet

  /// The later of both, and the nearer fences; whether that changed anything.
  bool merge(const Border& other);
};

/// How long the result of an instruction takes at most, as far as is known.
int slowest_result(const Instruction& instruction, const LatencyTable& table);
/// How long a source is read at most: what goes through memory pipes reads it late.
int slowest_source(const Instruction& instruction);

/// For each block.
std::vector<Border> borders_of(const Function& function, const LatencyTable& table);

}  // namespace warpwright::sass
