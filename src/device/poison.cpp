// SPDX-License-Identifier: Apache-2.0
#include "device/poison.h"

#include <array>
#include <cstring>

#include "base/mix.h"
#include "base/one_way.h"
#include "device/device.h"

namespace warpwright::device {

namespace {

// Those with random bits first.
constexpr std::size_t kWatchable = 7;
constexpr std::array<PoisonKind, 10> kKinds = {{
    {.name = "bits"},
    {.name = "floats", .keep = 0x87FFFFFF, .set = 0x38000000},        // 2^-15 to 2^0
    {.name = "large floats", .keep = 0x83FFFFFF, .set = 0x78000000},  // 2^113 to 2^120
    {.name = "small floats", .keep = 0x83FFFFFF, .set = 0x08000000},  // 2^-111 to 2^-104
    {.name = "denormals", .keep = 0x807FFFFF},
    {.name = "nan", .keep = 0x803FFFFF, .set = 0x7FC00000},
    {.name = "counts", .keep = 0x000FFFFF},
    {.name = "zeros", .keep = 0},
    {.name = "infinities", .keep = 0x80000000, .set = 0x7F800000},
    // As sums, means and maxima look: one number everywhere.
    {.name = "one number", .keep = 0, .set = 0x3C000000, .is_constant = true},
}};

/// Half of all random words are floats too small to matter in a sum. Seven of eight words get an
/// exponent that does: 2^-7 to 2^24.
std::uint32_t visible(std::uint32_t word, std::uint32_t choice) {
  if (choice % 8 == 0) return word;
  return (word & 0x807FFFFFU) | ((120 + (choice >> 3) % 32) << 23);
}

}  // namespace

PoisonKind poison_kind(std::uint64_t key, bool watched) {
  const std::uint64_t drawn = mixed_bits(~key);
  PoisonKind kind = kKinds[(drawn >> 32) % (watched ? kWatchable : kKinds.size())];
  if (kind.is_constant) kind.set |= static_cast<std::uint32_t>(drawn) & 0x03FFFFFF;
  return kind;
}

PoisonWords poison_words(std::uint64_t key, std::uint64_t vector, const PoisonKind& kind) {
  PoisonWords words{};
  for (std::uint64_t half = 0; half < 2; ++half) {
    const std::uint64_t z = mixed_bits(key + (2 * vector + half) * kMixStep);
    words.w[2 * half] = (static_cast<std::uint32_t>(z) & kind.keep) | kind.set;
    words.w[2 * half + 1] = (static_cast<std::uint32_t>(z >> 32) & kind.keep) | kind.set;
  }
  return words;
}

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
