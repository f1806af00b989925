// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "device/cuda_driver.h"
#include "device/device.h"

namespace warpwright::device {

/// Device memory of one buffer with forbidden ground around it. Where the driver can map memory
/// page by page, the buffer ends at the last mapped page and unmapped pages follow and precede it:
/// running over its end by 512 bytes or more faults at once. The mapped rest around the buffer is
/// a margin: filled before a call, looked at after it.
class CudaMemory {
 public:
  /// none: exactly the buffer, fresh memory, for tools that watch over it themselves.
  enum class Guard { unmapped_pages, margins, none };
  /// An error when the device has not enough memory.
  static Result<std::unique_ptr<CudaMemory>> allocate(const CudaDriver& driver, CuDevice device,
                                                      std::uint64_t bytes, Guard guard);
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;
  ~CudaMemory();

  [[nodiscard]] CuAddress address() const { return address_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::uint64_t mapped_bytes() const { return mapped_bytes_; }
  /// How many were there before it in the pool that made it.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] Guard guard() const {
    if (exact_) return Guard::none;
    return reserved_ == 0 ? Guard::margins : Guard::unmapped_pages;
  }
  /// The same memory for a buffer of another length. False when it does not fit exactly: then
  /// nothing has changed.
  bool resize(std::uint64_t bytes);
  /// Puts the buffer where its pages begin, as memory of a user's does: an access before it faults,
  /// and one behind it is in the margin.
  void move_to_start() {
    if (guard() == Guard::unmapped_pages) address_ = mapped_;
  }

  /// The mapped rest before and behind the buffer, the whole of it. Either may be empty.
  struct Margin {
    CuAddress at = 0;
    std::uint64_t bytes = 0;
  };
  [[nodiscard]] std::array<Margin, 2> margins() const {
    const CuAddress behind = address_ + bytes_;
    return {Margin{mapped_, address_ - mapped_}, Margin{behind, end() - behind}};
  }

 private:
  explicit CudaMemory(const CudaDriver& driver) : driver_(driver) {}
  Status map(CuDevice device, std::uint64_t bytes);
  Status take(std::uint64_t bytes);
  void place(std::uint64_t bytes);
  [[nodiscard]] CuAddress end() const { return mapped_ + mapped_bytes_; }

  friend class CudaMemoryPool;
  const CudaDriver& driver_;
  std::uint64_t number_ = 0;
  bool timed_ = false;  ///< its pool gives it to timed calls alone
  bool exact_ = false;
  CuAddress address_ = 0;
  std::uint64_t bytes_ = 0;
  CuAddress mapped_ = 0;
  std::uint64_t mapped_bytes_ = 0;
  CuAddress reserved_ = 0;  ///< 0 = a plain allocation
  std::uint64_t reserved_bytes_ = 0;
  CuHandle handle_ = 0;
  std::uint64_t page_ = 0;  ///< of mapped memory
};

/// Mapping memory costs more than most calls. What buffers leave is kept for the next ones, up to
/// a bound for timed calls and one for all others; whoever takes it fills it, margins included. The
/// oldest is given first, so that calls like earlier ones meet the same memory.
class CudaMemoryPool {
 public:
  /// Keeps at most so much for timed calls, and for others.
  void set_limit(std::uint64_t bytes) { limit_ = bytes; }
  Result<std::unique_ptr<CudaMemory>> take(const CudaDriver& driver, CuDevice device,
                                           std::uint64_t bytes, CudaMemory::Guard guard);
  void give_back(std::unique_ptr<CudaMemory> memory);
  void allocate_for(BufferUse use) { use_ = use; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_[0] + bytes_[1]; }
  void clear();
  /// Without freeing: the context is lost.
  void abandon();

 private:
  /// A coin decides whether a buffer of validation begins or ends with its pages; others end with
  /// them.
  std::unique_ptr<CudaMemory> placed(std::unique_ptr<CudaMemory> memory);

  std::vector<std::unique_ptr<CudaMemory>> kept_;  ///< by number
  BufferUse use_ = BufferUse::any;
  std::mt19937_64 coin_{std::random_device{}()};
  std::array<std::uint64_t, 2> bytes_ = {};  ///< kept for others and for timed calls
  std::uint64_t limit_ = 0, made_ = 0;
};

}  // namespace warpwright::device
