// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "device/device.h"

namespace warpwright::device {

std::vector<std::byte> poison_pattern(std::uint64_t seed, std::size_t bytes) {
  std::vector<std::byte> pattern(bytes);
  std::uint64_t state = seed ^ 0xD1B54A32D192ED03ULL;
  for (std::size_t at = 0; at < bytes; at += sizeof state) {
    state += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    z ^= z >> 31;
    std::memcpy(pattern.data() + at, &z, std::min(sizeof z, bytes - at));
  }
  return pattern;
}

}  // namespace warpwright::device
