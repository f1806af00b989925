// SPDX-License-Identifier: Apache-2.0
#include "evaluate/memory_room.h"

#include <algorithm>

#include <unistd.h>

namespace warpwright::evaluate {

std::uint64_t memory_room() {
  constexpr std::uint64_t kShare = 24;
  constexpr std::uint64_t kLeast = std::uint64_t{512} << 20;
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page <= 0) return kLeast;
  const auto bytes = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
  return std::max(bytes / kShare, kLeast);
}

}  // namespace warpwright::evaluate
