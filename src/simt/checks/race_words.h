// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// The form of the words that remember who touched global memory, for checks_global.cpp and for
// compiled code.

namespace warpwright::simt {

// From the lowest bits up: 8 tag of the launch, 24 block + 1, 6 warp, 16 barriers passed, 4 bytes
// touched, 1 atomic.
inline constexpr std::uint64_t kTagBits = 255;
inline constexpr std::uint64_t kManyBlocks = (std::uint64_t{1} << 24) - 1;
inline constexpr std::uint64_t kBlockBits = kManyBlocks << 8;
inline constexpr std::uint64_t kManyWarps = 63;
inline constexpr std::uint64_t kWarpBits = kManyWarps << 32;
inline constexpr std::uint64_t kIntervalBits = std::uint64_t{0xffff} << 38;
inline constexpr std::uint64_t kWholeWord = std::uint64_t{15} << 54;
inline constexpr std::uint64_t kAtomicBit = std::uint64_t{1} << 58;
/// Of a line: its words speak for themselves; a thread is giving its words their history.
inline constexpr std::uint64_t kWordsBit = std::uint64_t{1} << 59;
inline constexpr std::uint64_t kBusyBit = std::uint64_t{1} << 60;
inline constexpr std::uint64_t kLineBytes = 128, kLineWords = kLineBytes / 4;

}  // namespace warpwright::simt
