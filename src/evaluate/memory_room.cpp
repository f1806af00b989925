// SPDX-License-Identifier: Apache-2.0
#include "evaluate/memory_room.h"

#include <algorithm>

#include "base/cores.h"

namespace warpwright::evaluate {

std::uint64_t memory_room() {
  constexpr std::uint64_t kShare = 24;
  constexpr std::uint64_t kLeast = std::uint64_t{512} << 20;
  return std::max(physical_memory_bytes() / kShare, kLeast);
}

}  // namespace warpwright::evaluate
