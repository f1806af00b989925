// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace warpwright::simt {

/// A number in the machine's own address space; never a host pointer.
using Address = std::uint64_t;

/// Where a GPU's allocations lie, too.
inline constexpr Address kGlobalBase = 0x7f52a0000000;
inline constexpr std::uint64_t kGlobalBytes = std::uint64_t{256} << 30;  ///< at most
inline constexpr std::uint64_t kAllocationAlign = 256;

/// Pages of zeros that cost nothing until they are touched.
class LazyPages {
 public:
  LazyPages() = default;
  /// Halves the size until the system agrees; size() tells.
  explicit LazyPages(std::uint64_t bytes);
  LazyPages(LazyPages&& other) noexcept;
  LazyPages& operator=(LazyPages&& other) noexcept;
  ~LazyPages();
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Back to zeros, giving the memory back.
  void clear(std::uint64_t offset, std::uint64_t bytes);

 private:
  std::byte* data_ = nullptr;
  std::uint64_t size_ = 0;
};

struct Allocation {
  Address begin = 0;
  std::uint64_t size_bytes = 0;
  std::string name;
  bool live = true;
  bool read_only = false;    ///< .const variables
  bool fully_valid = false;  ///< every byte was written by the host

  [[nodiscard]] Address end() const { return begin + size_bytes; }
};

/// The global memory of the machine: allocations of exact size, 256-byte aligned, with unmapped
/// gaps between them. Addresses are never used twice, so every use after free is seen.
class Memory {
 public:
  /// `limit_bytes` bounds what may be allocated at one time, as a device's memory would.
  explicit Memory(std::uint64_t limit_bytes = std::uint64_t{64} << 30);

  /// Leaves out so many bytes of the address space before the first allocation.
  void start_at(std::uint64_t bytes);
  Result<Address> allocate(std::uint64_t bytes, std::string_view name,
                           std::uint64_t align = kAllocationAlign);
  Status free(Address address);

  Status copy_in(Address to, std::span<const std::byte> from);
  Status copy_out(std::span<std::byte> to, Address from) const;
  Status copy(Address to, Address from, std::uint64_t bytes);
  Status set(Address to, std::byte value, std::uint64_t bytes);
  /// Forgets that the bytes were ever written; reads of them are reported again.
  Status forget(Address at, std::uint64_t bytes);

  /// The allocation that contains the address or, failing that, the nearest one at or below it.
  [[nodiscard]] const Allocation* nearest(Address address) const;
  [[nodiscard]] const Allocation* nearest_above(Address address) const;
  /// "12 bytes past the end of 'input' (4096 bytes)", for an access of `bytes` at the address.
  [[nodiscard]] std::string describe(Address address, std::uint64_t bytes) const;
  [[nodiscard]] std::uint64_t bytes_in_use() const { return in_use_; }
  [[nodiscard]] const std::vector<Allocation>& allocations() const { return allocations_; }

  // The rest is for the interpreter.
  [[nodiscard]] std::byte* host(Address address) const {
    return arena_.data() + (address - kGlobalBase);
  }
  /// One bit per byte: written by host or device.
  [[nodiscard]] std::uint8_t* valid_bits() const {
    return reinterpret_cast<std::uint8_t*>(valid_.data());
  }
  /// Eight bytes per four of the arena, for the race check; made on first use. Null: no room.
  [[nodiscard]] std::uint64_t* race_writes() { return race_words(race_writes_); }
  [[nodiscard]] std::uint64_t* race_reads() { return race_words(race_reads_); }
  /// Two words per 128 bytes, for lines whose words all have one history. Null: no room.
  [[nodiscard]] std::uint64_t* race_lines();
  Status set_read_only(Address address);
  [[nodiscard]] std::uint64_t arena_bytes() const { return arena_.size(); }
  void clear_races() {
    race_writes_ = LazyPages(), race_reads_ = LazyPages(), race_lines_ = LazyPages();
  }
  /// After a launch that did not keep track of what it wrote.
  void assume_valid();

 private:
  Result<Allocation*> range(Address at, std::uint64_t bytes, std::string_view what);
  void mark_valid(Allocation& a, Address at, std::uint64_t bytes);

  std::uint64_t* race_words(LazyPages& pages);

  LazyPages arena_, valid_, race_writes_, race_reads_, race_lines_;
  std::vector<Allocation> allocations_;  ///< ascending by address
  std::uint64_t limit_ = 0, in_use_ = 0;
  Address next_ = kGlobalBase + 4096;
};

/// Sets or clears `count` bits from bit `first`.
void set_bits(std::uint8_t* bits, std::uint64_t first, std::uint64_t count, bool value);
/// Whether all of `count` bits from bit `first` are set.
bool all_bits(const std::uint8_t* bits, std::uint64_t first, std::uint64_t count);

}  // namespace warpwright::simt
