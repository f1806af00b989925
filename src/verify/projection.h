// SPDX-License-Identifier: Apache-2.0
#pragma once

// What Freivalds' check draws: random vectors, and entries to look at. See random.h for what the
// code may use.

#include "verify/random.h"

namespace warpwright::verify {

inline constexpr std::uint32_t kProjectionStream = 0xF0E1u;
inline constexpr std::uint64_t kSampledEntries = 4096;

/// Number i of the random vectors.
WW_HOST_DEVICE inline double projection_number(std::uint64_t i, std::uint64_t challenge) {
  return bell(philox(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i >> 32),
                     kProjectionStream, 0, challenge));
}

// Corners and the rows and columns beside multiples of common tile sizes, then anywhere.
WW_HOST_DEVICE inline std::uint64_t sample_position(std::uint64_t k, std::uint64_t n,
                                                    std::uint32_t word) {
  if (k % 4 == 0) return (word & 1u) != 0 ? 0 : n - 1;
  if (k % 4 == 1 && n > 16) {
    const std::uint64_t tile = std::uint64_t{16} << (word % 5);
    const std::uint64_t tiles = n / tile + 1;
    const std::uint64_t at = (word / 8 % tiles) * tile;
    const std::uint64_t place = at > 0 && ((word >> 28) & 1u) != 0 ? at - 1 : at;
    return place < n - 1 ? place : n - 1;
  }
  return below(word, n);
}

struct SampledEntry {
  std::uint64_t row, column;
};
WW_HOST_DEVICE inline SampledEntry sampled_entry(std::uint64_t k, std::uint64_t rows,
                                                 std::uint64_t columns, std::uint64_t challenge) {
  const RandomWords r = philox(static_cast<std::uint32_t>(k), 1, kProjectionStream, 1, challenge);
  return {sample_position(k, rows, r.w[0]), sample_position(k / 4, columns, r.w[1])};
}

}  // namespace warpwright::verify
