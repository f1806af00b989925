// SPDX-License-Identifier: Apache-2.0
#include "simt/touched.h"

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

std::uint64_t TouchedSectors::take(const Memory& memory, const BufferUses& uses) {
  constexpr std::uint64_t kQuicklyCleared = std::uint64_t{1} << 22;
  std::uint64_t count = 0;
  const std::vector<Allocation>& all = memory.allocations();
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (k < uses.size() && uses[k].load(std::memory_order_relaxed) == 0) continue;
    const std::uint64_t first = (all[k].begin - kGlobalBase) / kSectorBytes;
    const std::uint64_t bytes = (all[k].size_bytes + kSectorBytes - 1) / kSectorBytes;
    for (const std::uint64_t at : {first, sectors_ + first}) {
      const auto* touched = reinterpret_cast<const std::uint8_t*>(pages_.data()) + at;
      for (std::uint64_t i = 0; i < bytes && all[k].live; ++i) count += touched[i];
      if (bytes <= kQuicklyCleared)
        std::memset(pages_.data() + at, 0, bytes);
      else
        pages_.clear(at, bytes);
    }
  }
  return count;
}

}  // namespace warpwright::simt
