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

MemoryShares::MemoryShares() : MemoryShares(physical_memory_bytes() * 2 / 5) {}

MemoryShares::Share::Share(MemoryShares& of, std::uint64_t bytes)
    : of_(of), bytes_(std::min(bytes, of.room_ - of.room_ / 8)) {
  std::unique_lock hold(of_.mutex_);
  of_.changed_.wait(hold, [&] { return of_.used_ + bytes_ <= of_.room_; });
  of_.used_ += bytes_;
}

MemoryShares::Share::~Share() {
  const std::lock_guard hold(of_.mutex_);
  of_.used_ -= bytes_;
  of_.changed_.notify_all();
}

}  // namespace warpwright::evaluate
