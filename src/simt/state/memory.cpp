// SPDX-License-Identifier: Apache-2.0
#include "simt/state/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace warpwright::simt {
namespace {

constexpr std::uint64_t kSmallestArena = std::uint64_t{1} << 28;
constexpr std::uint64_t kRedZone = 256;

std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

}  // namespace

LazyPages::LazyPages(std::uint64_t bytes) {
  for (; bytes >= kSmallestArena / 16; bytes /= 2) {
    void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) continue;
    // Interpreter memory must not land in core files.
    madvise(p, bytes, MADV_DONTDUMP);
    data_ = static_cast<std::byte*>(p);
    size_ = bytes;
    return;
  }
}

LazyPages::LazyPages(LazyPages&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

LazyPages& LazyPages::operator=(LazyPages&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

LazyPages::~LazyPages() {
  if (data_ != nullptr) munmap(data_, size_);
}

void LazyPages::clear(std::uint64_t offset, std::uint64_t bytes) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t first = round_up(offset, page);
  const std::uint64_t last = (offset + bytes) / page * page;
  if (first >= last) {
    std::memset(data_ + offset, 0, bytes);
    return;
  }
  std::memset(data_ + offset, 0, first - offset);
  madvise(data_ + first, last - first, MADV_DONTNEED);
  std::memset(data_ + last, 0, offset + bytes - last);
}

void set_bits(std::uint8_t* bits, std::uint64_t first, std::uint64_t count, bool value) {
  while (count > 0 && (first % 8 != 0 || count < 8)) {
    const auto bit = static_cast<std::uint8_t>(1u << (first % 8));
    if (value)
      bits[first / 8] |= bit;
    else
      bits[first / 8] &= static_cast<std::uint8_t>(~bit);
    ++first;
    --count;
  }
  std::memset(bits + first / 8, value ? 0xff : 0, count / 8);
  if (count % 8 != 0) set_bits(bits, first + count / 8 * 8, count % 8, value);
}

bool all_bits(const std::uint8_t* bits, std::uint64_t first, std::uint64_t count) {
  if (first % 8 + count <= 8) {
    const unsigned mask = ((1u << count) - 1) << (first % 8);
    return (bits[first / 8] & mask) == mask;
  }
  if (first % 8 == 0 && count >= 64) {
    std::uint64_t all = ~std::uint64_t{0}, word = 0;
    for (const std::uint8_t* at = bits + first / 8; at < bits + (first + count / 64 * 64) / 8;
         at += 8) {
      std::memcpy(&word, at, 8);
      all &= word;
    }
    if (all != ~std::uint64_t{0}) return false;
    first += count / 64 * 64;
    count %= 64;
  }
  while (count > 0) {
    const std::uint64_t n = std::min<std::uint64_t>(8 - first % 8, count);
    const unsigned mask = ((1u << n) - 1) << (first % 8);
    if ((bits[first / 8] & mask) != mask) return false;
    first += n;
    count -= n;
  }
  return true;
}

Memory::Memory(std::uint64_t limit_bytes)
    : arena_(kGlobalBytes), valid_(arena_.size() / 8), limit_(limit_bytes) {
  ASSERT(arena_.data() != nullptr && valid_.size() >= arena_.size() / 8,
         "no address space for the device memory of the SIMT machine");
}

void Memory::start_at(std::uint64_t bytes) {
  if (allocations_.empty() && bytes < arena_.size() / 2)
    next_ = round_up(kGlobalBase + kAllocationAlign + bytes, kAllocationAlign);
}

std::uint64_t* Memory::race_words(LazyPages& pages) {
  if (pages.data() == nullptr) pages = LazyPages(arena_.size() * 2);
  if (pages.size() < arena_.size() * 2) return nullptr;
  return reinterpret_cast<std::uint64_t*>(pages.data());
}

std::uint64_t* Memory::race_lines() {
  const std::uint64_t bytes = arena_.size() / 128 * 16;
  if (race_lines_.data() == nullptr) race_lines_ = LazyPages(bytes);
  if (race_lines_.size() < bytes) return nullptr;
  return reinterpret_cast<std::uint64_t*>(race_lines_.data());
}

Result<Address> Memory::allocate(std::uint64_t bytes, std::string_view name, std::uint64_t align) {
  ASSERT(align >= kAllocationAlign && std::has_single_bit(align), "a power of two");
  const std::uint64_t begin = round_up(next_, align), end = kGlobalBase + arena_.size();
  const std::uint64_t room = end - std::min(end, begin);
  if (bytes > limit_ - std::min(limit_, in_use_))
    return Error{fmt::format("cannot allocate {} bytes for '{}': {} of {} bytes are in use", bytes,
                             name, in_use_, limit_)};
  if (bytes + kRedZone + kAllocationAlign > room)
    return Error{fmt::format("cannot allocate {} bytes for '{}': the address space is used up",
                             bytes, name)};
  Allocation a;
  a.begin = begin;
  a.size_bytes = bytes;
  a.name = std::string(name);
  next_ = round_up(begin + bytes + kRedZone, kAllocationAlign);
  in_use_ += bytes;
  allocations_.push_back(std::move(a));
  return allocations_.back().begin;
}

Status Memory::free(Address address) {
  const auto it =
      std::lower_bound(allocations_.begin(), allocations_.end(), address,
                       [](const Allocation& a, Address value) { return a.begin < value; });
  if (it == allocations_.end() || it->begin != address)
    return Error{fmt::format("cannot free {:#x}: not the start of an allocation", address)};
  if (!it->live) return Error{fmt::format("cannot free '{}': it was freed before", it->name)};
  it->live = false;
  it->fully_valid = false;
  in_use_ -= it->size_bytes;
  const std::uint64_t offset = address - kGlobalBase;
  arena_.clear(offset, it->size_bytes);
  set_bits(valid_bits(), offset, it->size_bytes, false);
  return {};
}

const Allocation* Memory::nearest(Address address) const {
  auto it = std::upper_bound(allocations_.begin(), allocations_.end(), address,
                             [](Address value, const Allocation& a) { return value < a.begin; });
  return it == allocations_.begin() ? nullptr : &*std::prev(it);
}

const Allocation* Memory::nearest_above(Address address) const {
  auto it = std::upper_bound(allocations_.begin(), allocations_.end(), address,
                             [](Address value, const Allocation& a) { return value < a.begin; });
  return it == allocations_.end() ? nullptr : &*it;
}

Result<Allocation*> Memory::range(Address at, std::uint64_t bytes, std::string_view what) {
  auto* a = const_cast<Allocation*>(nearest(at));
  if (a == nullptr || !a->live || at > a->end() || bytes > a->end() - at)
    return Error{
        fmt::format("cannot {} {} bytes at {:#x}: {}", what, bytes, at, describe(at, bytes))};
  return a;
}

void Memory::mark_valid(Allocation& a, Address at, std::uint64_t bytes) {
  set_bits(valid_bits(), at - kGlobalBase, bytes, true);
  if (at == a.begin && bytes == a.size_bytes) a.fully_valid = true;
}

Status Memory::copy_in(Address to, std::span<const std::byte> from) {
  WW_TRY(Allocation * a, range(to, from.size(), "copy in"));
  if (!from.empty()) std::memcpy(host(to), from.data(), from.size());
  mark_valid(*a, to, from.size());
  return {};
}

Status Memory::copy_out(std::span<std::byte> to, Address from) const {
  WW_CHECK(const_cast<Memory*>(this)->range(from, to.size(), "copy out"));
  if (!to.empty()) std::memcpy(to.data(), host(from), to.size());
  return {};
}

Status Memory::copy(Address to, Address from, std::uint64_t bytes) {
  WW_CHECK(range(from, bytes, "copy from"));
  WW_TRY(Allocation * a, range(to, bytes, "copy to"));
  std::memmove(host(to), host(from), bytes);
  mark_valid(*a, to, bytes);
  return {};
}

Status Memory::set(Address to, std::byte value, std::uint64_t bytes) {
  WW_TRY(Allocation * a, range(to, bytes, "set"));
  std::memset(host(to), std::to_integer<int>(value), bytes);
  mark_valid(*a, to, bytes);
  return {};
}

Status Memory::forget(Address at, std::uint64_t bytes) {
  WW_TRY(Allocation * a, range(at, bytes, "forget"));
  set_bits(valid_bits(), at - kGlobalBase, bytes, false);
  a->fully_valid = false;
  return {};
}

Status Memory::set_read_only(Address address) {
  WW_TRY(Allocation * a, range(address, 0, "protect"));
  a->read_only = true;
  return {};
}

void Memory::assume_valid() {
  for (Allocation& a : allocations_) {
    if (!a.live || a.fully_valid) continue;
    set_bits(valid_bits(), a.begin - kGlobalBase, a.size_bytes, true);
    a.fully_valid = true;
  }
}

std::string Memory::describe(Address address, std::uint64_t bytes) const {
  const Allocation* below = nearest(address);
  const Allocation* above = nearest_above(address);
  const auto named = [](const Allocation& a) {
    return fmt::format("'{}' ({} bytes{})", a.name, a.size_bytes, a.live ? "" : ", freed");
  };
  if (address < 4096) return fmt::format("a null pointer plus {}", address);
  if (below != nullptr && address < below->end() && bytes <= below->end() - address)
    return fmt::format("byte {} of {}", address - below->begin, named(*below));
  if (below != nullptr && address < below->end())
    return fmt::format("{} bytes across the end of {}", bytes - (below->end() - address),
                       named(*below));
  const std::uint64_t past = below != nullptr ? address - below->end() : ~std::uint64_t{0};
  const std::uint64_t before = above != nullptr ? above->begin - address : ~std::uint64_t{0};
  if (below == nullptr && above == nullptr) return "no memory is allocated";
  // Far beyond everything it says more that the address belongs to nothing.
  if (std::min(past, before) > (std::uint64_t{1} << 36)) return "it belongs to no allocation";
  if (before < past) return fmt::format("{} bytes before {}", before, named(*above));
  return fmt::format("{} bytes past the end of {}", past, named(*below));
}

}  // namespace warpwright::simt
