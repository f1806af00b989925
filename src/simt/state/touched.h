// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "simt/state/memory.h"

namespace warpwright::simt {

inline constexpr std::uint64_t kSectorBytes = 32;

/// What became of an allocation in a launch.
inline constexpr std::uint8_t kUsed = 1, kRead = 2;
using BufferUses = std::vector<std::atomic<std::uint8_t>>;

/// Distinct bytes that were read, and those that were written.
struct Touched {
  std::uint64_t bytes = 0;
  std::uint64_t of_grid = 0;  ///< by all blocks: by each as much again, as far as a buffer holds it
};

/// Which sectors of global memory a launch has read and written: a byte each, so that threads note
/// them without asking each other. All zero between launches.
class TouchedSectors {
 public:
  /// False: no address space.
  bool prepare(const Memory& memory);
  [[nodiscard]] std::uint8_t* read() const {
    return reinterpret_cast<std::uint8_t*>(pages_.data());
  }
  [[nodiscard]] std::uint8_t* written() const { return read() + sectors_; }
  /// Those in allocations that are still there; forgets them all. Allocations that have no entry in
  /// `uses` were made by the launch itself. `scale`: blocks of the grid for each that was run.
  Touched take(const Memory& memory, const BufferUses& uses, double scale);

 private:
  LazyPages pages_;
  std::uint64_t sectors_ = 0;
  std::pair<Address, Address> range_;  ///< of the buffers at the last launch
};

}  // namespace warpwright::simt
