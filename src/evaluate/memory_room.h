// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace warpwright::evaluate {

/// How much memory one judgement may hold for what is made ahead of the device, and as much again
/// for results that wait to be checked: a share of the machine's that leaves room for several
/// judgements.
std::uint64_t memory_room();

/// Memory for large work of several judgements: each gets what it asks for when there is room for
/// it beside the others. What is larger than most of the room counts as most of it, so that small
/// ones need not wait for its end. Nobody asks who holds a device.
class MemoryShares {
 public:
  /// By default two fifths of the machine's.
  MemoryShares();
  explicit MemoryShares(std::uint64_t room) : room_(room) {}
  /// Gives it back with itself.
  class Share {
   public:
    Share(MemoryShares& of, std::uint64_t bytes);
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    ~Share();

   private:
    MemoryShares& of_;
    std::uint64_t bytes_;
  };

 private:
  std::uint64_t room_;
  std::uint64_t used_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace warpwright::evaluate
