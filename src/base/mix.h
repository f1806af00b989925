// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace warpwright {

/// The finalizer of SplitMix64: numbers that differ in one bit give numbers that have nothing in
/// common. One to one; no secret by itself.
constexpr std::uint64_t mixed_bits(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

/// What SplitMix64's state grows by with each number.
inline constexpr std::uint64_t kMixStep = 0x9E3779B97F4A7C15ULL;

}  // namespace warpwright
