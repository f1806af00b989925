// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "simt/state/memory.h"

namespace warpwright::simt {

/// What is done to a byte. Accesses that are atomic, volatile or ordered do not race with each
/// other.
enum class ByteUse : std::uint8_t { read, write, atomic };

/// Which bytes of global memory a launch has read and written, to the byte: whoever orders launches
/// by himself finds out with it which of them touch the same. For launches that are interpreted, by
/// one thread.
class AccessLog {
 public:
  struct Range {
    Address begin = 0, end = 0;
  };

  void note(ByteUse use, Address at, std::uint64_t bytes);
  /// Ascending, apart from one another. The log is empty afterwards.
  std::vector<Range> take(ByteUse use);

 private:
  static constexpr std::uint64_t kPageBytes = 4096;
  using Page = std::array<std::uint64_t, kPageBytes / 64>;  ///< a bit per byte
  struct Pages {
    std::map<std::uint64_t, Page> by_number;
    Page* last = nullptr;
    std::uint64_t last_number = 0;
  };
  std::array<Pages, 3> uses_;
};

}  // namespace warpwright::simt
