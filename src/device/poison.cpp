// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "base/mix.h"
#include "base/one_way.h"
#include "device/device.h"

namespace warpwright::device {

namespace {

/// Half of all random words are floats too small to matter in a sum. Seven of eight words get an
/// exponent that does: 2^-7 to 2^24.
std::uint32_t visible(std::uint32_t word, std::uint32_t choice) {
  if (choice % 8 == 0) return word;
  return (word & 0x807FFFFFU) | ((120 + (choice >> 3) % 32) << 23);
}

}  // namespace

std::vector<std::byte> poison_pattern(std::uint64_t seed, std::size_t bytes) {
  std::vector<std::byte> pattern(bytes);
  // A kernel reads these bits, and can work out what they were made from.
  std::uint64_t state = one_way(seed, "poison");
  for (std::size_t at = 0; at < bytes; at += sizeof(std::uint32_t)) {
    state += 0x9E3779B97F4A7C15ULL;
    const std::uint64_t z = mixed_bits(state);
    const std::uint32_t word =
        visible(static_cast<std::uint32_t>(z), static_cast<std::uint32_t>(z >> 32));
    std::memcpy(pattern.data() + at, &word, std::min(sizeof word, bytes - at));
  }
  return pattern;
}

}  // namespace warpwright::device
