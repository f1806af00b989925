// SPDX-License-Identifier: Apache-2.0
#include "verify/bytes.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <mutex>

#include <sys/mman.h>

#include "base/cores.h"

namespace warpwright::verify {

namespace {

constexpr std::size_t kLeastKept = std::size_t{64} << 10;  // below, the usual allocator is as good
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::uint64_t kKeptShare = 16;

/// Four sizes per power of two: at most a fifth of a block is slack.
std::size_t rounded(std::size_t bytes) {
  const std::size_t step = std::bit_floor(bytes) / 4;
  return (bytes + step - 1) / step * step;
}

std::size_t size_class(std::size_t rounded_bytes) {
  const auto power = static_cast<std::size_t>(std::bit_width(rounded_bytes));
  return 4 * power + ((rounded_bytes >> (power - 3)) & 3);
}

class BlockPool {
 public:
  void* take(std::size_t bytes) {
    const std::size_t whole = rounded(bytes);
    {
      const std::lock_guard hold(mutex_);
      auto& blocks = kept_[size_class(whole)];
      if (!blocks.empty()) {
        void* at = blocks.back();
        blocks.pop_back();
        kept_bytes_ -= whole;
        return at;
      }
    }
    if (whole < kHugePage) return ::operator new(whole);
    void* at = std::aligned_alloc(kHugePage, (whole + kHugePage - 1) / kHugePage * kHugePage);
    if (at == nullptr) throw std::bad_alloc();  // what a vector expects of its allocator
    ::madvise(at, whole, MADV_HUGEPAGE);
    return at;
  }

  void give_back(void* at, std::size_t bytes) {
    const std::size_t whole = rounded(bytes);
    {
      const std::lock_guard hold(mutex_);
      if (kept_bytes_ + whole <= most_) {
        kept_[size_class(whole)].push_back(at);
        kept_bytes_ += whole;
        return;
      }
    }
    whole < kHugePage ? ::operator delete(at) : std::free(at);
  }

 private:
  std::mutex mutex_;
  std::array<std::vector<void*>, 4 * 65> kept_;
  std::uint64_t kept_bytes_ = 0;
  std::uint64_t most_ = physical_memory_bytes() / kKeptShare;
};

/// Never destroyed: threads may still give blocks back while the process ends.
BlockPool& pool() {
  static BlockPool& instance = *new BlockPool;
  return instance;
}

}  // namespace

void* take_block(std::size_t bytes) {
  return bytes < kLeastKept ? ::operator new(bytes) : pool().take(bytes);
}

void give_block_back(void* at, std::size_t bytes) {
  bytes < kLeastKept ? ::operator delete(at) : pool().give_back(at, bytes);
}

}  // namespace warpwright::verify

template class std::vector<std::byte, warpwright::verify::RawAllocator<std::byte>>;
