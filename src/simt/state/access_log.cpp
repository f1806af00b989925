// SPDX-License-Identifier: Apache-2.0
#include "simt/state/access_log.h"

#include <algorithm>
#include <utility>

namespace warpwright::simt {

void AccessLog::note(ByteUse use, Address at, std::uint64_t bytes) {
  Pages& pages = uses_[static_cast<std::size_t>(use)];
  while (bytes > 0) {
    const std::uint64_t number = at / kPageBytes;
    if (pages.last == nullptr || pages.last_number != number) {
      pages.last = &pages.by_number.try_emplace(number).first->second;
      pages.last_number = number;
    }
    const std::uint64_t bit = at % 64;
    const std::uint64_t count = std::min<std::uint64_t>(bytes, 64 - bit);
    const std::uint64_t mask = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    (*pages.last)[at % kPageBytes / 64] |= mask << bit;
    at += count;
    bytes -= count;
  }
}

std::vector<AccessLog::Range> AccessLog::take(ByteUse use) {
  Pages pages = std::exchange(uses_[static_cast<std::size_t>(use)], {});
  std::vector<Range> ranges;
  for (const auto& [number, page] : pages.by_number) {
    for (std::uint64_t at = 0; at < kPageBytes; ++at) {
      const std::uint64_t word = page[at / 64];
      if (at % 64 == 0 && word == 0) {
        at += 63;
        continue;
      }
      if ((word >> at % 64 & 1) == 0) continue;
      const Address byte = number * kPageBytes + at;
      if (!ranges.empty() && ranges.back().end == byte)
        ++ranges.back().end;
      else
        ranges.push_back({byte, byte + 1});
    }
  }
  return ranges;
}

}  // namespace warpwright::simt
