// SPDX-License-Identifier: Apache-2.0
#include "simt/state/windows.h"

#include <array>
#include <random>

#include "simt/state/memory.h"

namespace warpwright::simt {

namespace {

// The upper part of what 47 bits can name, where drivers put things.
constexpr std::uint64_t kLowestWindow = 0x7e00'0000'0000, kHighestWindow = 0x7fff'0000'0000;
constexpr std::uint64_t kWindowStep = std::uint64_t{1} << 24;

bool lie_apart(std::uint64_t a, std::uint64_t a_bytes, std::uint64_t b, std::uint64_t b_bytes) {
  return a + a_bytes <= b || b + b_bytes <= a;
}

}  // namespace

Windows draw_windows() {
  std::random_device entropy;
  std::array<std::uint64_t, 4> at{};
  for (std::size_t k = 0; k < at.size();) {
    const std::uint64_t number = std::uint64_t{entropy()} << 32 | entropy();
    at[k] = kLowestWindow +
            number % ((kHighestWindow - kWindowBytes - kLowestWindow) / kWindowStep) * kWindowStep;
    bool free = lie_apart(at[k], kWindowBytes, kGlobalBase, kGlobalBytes);
    for (std::size_t other = 0; other < k; ++other)
      free = free && lie_apart(at[k], kWindowBytes, at[other], kWindowBytes);
    if (free) ++k;
  }
  return {at[0], at[1], at[2], at[3]};
}

}  // namespace warpwright::simt
