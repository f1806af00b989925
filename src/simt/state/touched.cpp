// SPDX-License-Identifier: Apache-2.0
#include "simt/state/touched.h"

#include <algorithm>
#include <cstring>

namespace warpwright::simt {

bool TouchedSectors::prepare(const Memory& memory) {
  sectors_ = memory.arena_bytes() / kSectorBytes;
  // Mapping anew costs more than giving the pages back, most of all under a sanitizer.
  if (pages_.size() != sectors_ * 2) pages_ = LazyPages(sectors_ * 2);
  if (pages_.size() < sectors_ * 2) return false;
  std::pair<Address, Address> range{~Address{0}, 0};
  for (const Allocation& a : memory.allocations()) {
    if (!a.live) continue;
    range.first = std::min(range.first, a.begin);
    range.second = std::max(range.second, a.end());
  }
  // Addresses are not used again: what belonged to buffers that are gone is given back.
  if (range != std::exchange(range_, range)) pages_.clear(0, sectors_ * 2);
  return true;
}

namespace {

/// Of bytes that are 0 or 1: eight sums at a time, each in a byte of its own until it might run
/// over.
std::uint64_t sum_of_flags(const std::uint8_t* flags, std::uint64_t count) {
  std::uint64_t sum = 0, i = 0;
  while (count - i >= 8) {
    const std::uint64_t words = std::min<std::uint64_t>((count - i) / 8, 255);
    std::uint64_t sums = 0;
    for (std::uint64_t k = 0; k < words; ++k, i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, flags + i, sizeof word);
      sums += word;
    }
    for (; sums != 0; sums >>= 8) sum += sums & 0xff;
  }
  for (; i < count; ++i) sum += flags[i];
  return sum;
}

}  // namespace

Touched TouchedSectors::take(const Memory& memory, const BufferUses& uses, double scale) {
  constexpr std::uint64_t kQuicklyCleared = std::uint64_t{1} << 22;
  Touched touched;
  const std::vector<Allocation>& all = memory.allocations();
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (k < uses.size() && uses[k].load(std::memory_order_relaxed) == 0) continue;
    const std::uint64_t first = (all[k].begin - kGlobalBase) / kSectorBytes;
    const std::uint64_t bytes = (all[k].size_bytes + kSectorBytes - 1) / kSectorBytes;
    for (const std::uint64_t at : {first, sectors_ + first}) {
      const auto* flags = reinterpret_cast<const std::uint8_t*>(pages_.data()) + at;
      if (all[k].live) {
        const std::uint64_t count = sum_of_flags(flags, bytes);
        const double of_grid =
            std::min(scale * static_cast<double>(count), static_cast<double>(bytes));
        touched.bytes += count * kSectorBytes;
        touched.of_grid += static_cast<std::uint64_t>(of_grid) * kSectorBytes;
      }
      if (bytes <= kQuicklyCleared)
        std::memset(pages_.data() + at, 0, bytes);
      else
        pages_.clear(at, bytes);
    }
  }
  return touched;
}

}  // namespace warpwright::simt
