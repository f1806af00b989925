// SPDX-License-Identifier: Apache-2.0
// Where the recorder's device has its memory. The judge knows the seed and computes the same
// addresses, so that it need not believe the recorded process about them.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>

namespace ww_recorder {

/// Buffers lie anywhere in a window of four terabytes, that lies anywhere below the part of the
/// address space that the system gives to libraries and stacks, and above the heap: no host pointer
/// is ever in it. Each seed has another window, other places and another order of the buffers.
class AddressSpace {
 public:
  static constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 42;

  explicit AddressSpace(std::uint64_t seed) : seed_(seed) {
    constexpr std::uint64_t kLowest = 0x700000000000;
    constexpr std::uint64_t kChoices = 0xA00000000000 >> 21 >> 4;  // of 2 MiB, up to 0x7A0000000000
    window_ = kLowest + (next() % kChoices << 21);
  }

  /// Aligned as cudaMalloc promises, a megabyte away from all others at least.
  std::uint64_t place(std::uint64_t bytes) {
    constexpr std::uint64_t kAlign = 256, kApart = std::uint64_t{1} << 20;
    const std::uint64_t room = kWindowBytes - kApart - bytes;
    while (true) {
      const std::uint64_t begin = window_ + next() % room / kAlign * kAlign;
      const auto above = taken_.lower_bound(begin);
      if (above != taken_.end() && above->first < begin + bytes + kApart) continue;
      if (above != taken_.begin() && std::prev(above)->second + kApart > begin) continue;
      taken_[begin] = begin + bytes;
      return begin;
    }
  }

  bool holds(std::uint64_t address) const { return address - window_ < kWindowBytes; }

 private:
  std::uint64_t next() {
    std::uint64_t word = seed_ += 0x9E3779B97F4A7C15;
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB;
    return word ^ (word >> 31);
  }

  std::uint64_t seed_ = 0;
  std::uint64_t window_ = 0;
  std::map<std::uint64_t, std::uint64_t> taken_;  ///< begin -> end
};

}  // namespace ww_recorder
