// SPDX-License-Identifier: Apache-2.0
#include "device/cuda_memory.h"

#include <algorithm>
#include <bit>

namespace warpwright::device {

namespace {

// As cudaMalloc gives it: texture objects need no less.
constexpr std::uint64_t kAlignment = 512;
constexpr std::uint64_t kPlainMargin = 64 << 10;
constexpr std::size_t kMostKeptBuffers = 1024;

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t to) {
  return (value + to - 1) / to * to;
}

// Sizes that are drawn differ in every judgement. Memory of one of them serves another if both are
// rounded up to the same: to an eighth of a power of two, between these.
constexpr std::uint64_t kExactPages = 16;
constexpr std::uint64_t kMostRounded = std::uint64_t{16} << 30;

std::uint64_t mapped_for(std::uint64_t bytes, std::uint64_t page) {
  const std::uint64_t exact = rounded_up(std::max<std::uint64_t>(bytes, 1), page);
  if (exact <= kExactPages * page || exact > kMostRounded) return exact;
  return rounded_up(exact, std::bit_floor(exact) / 8);
}

}  // namespace

Result<std::unique_ptr<CudaMemory>> CudaMemory::allocate(const CudaDriver& driver, CuDevice device,
                                                         std::uint64_t bytes, Guard guard) {
  std::unique_ptr<CudaMemory> memory(new CudaMemory(driver));
  memory->exact_ = guard == Guard::none;
  if (guard == Guard::unmapped_pages) {
    WW_CHECK(memory->map(device, bytes));
  } else {
    WW_CHECK(memory->take(bytes));
  }
  return memory;
}

Status CudaMemory::map(CuDevice device, std::uint64_t bytes) {
  CuMemProperties properties;
  properties.location.id = device;
  std::size_t page = 0;
  WW_CHECK(driver_.check(driver_.memory_granularity(&page, &properties, 0), "ask for page sizes"));
  page_ = page;
  mapped_bytes_ = mapped_for(bytes, page);
  reserved_bytes_ = mapped_bytes_ + 2 * page;
  CuAddress reserved = 0;
  WW_CHECK(driver_.check(driver_.memory_reserve(&reserved, reserved_bytes_, 0, 0, 0),
                         "reserve device addresses"));
  reserved_ = reserved;
  CuHandle handle = 0;
  WW_CHECK(driver_.check(driver_.memory_create(&handle, mapped_bytes_, &properties, 0),
                         "allocate device memory"));
  handle_ = handle;
  WW_CHECK(driver_.check(driver_.memory_map(reserved_ + page, mapped_bytes_, 0, handle_, 0),
                         "map device memory"));
  mapped_ = reserved_ + page;
  CuMemAccess access;
  access.location.id = device;
  WW_CHECK(driver_.check(driver_.memory_set_access(mapped_, mapped_bytes_, &access, 1),
                         "open device memory"));
  place(bytes);
  return {};
}

void CudaMemory::place(std::uint64_t bytes) {
  const std::uint64_t needed = std::max<std::uint64_t>(rounded_up(bytes, kAlignment), kAlignment);
  address_ = guard() == Guard::unmapped_pages ? end() - needed : mapped_ + kPlainMargin;
  if (exact_) address_ = mapped_;
  bytes_ = bytes;
}

bool CudaMemory::resize(std::uint64_t bytes) {
  if (exact_) return false;
  const std::uint64_t mapped = guard() == Guard::unmapped_pages
                                   ? mapped_for(bytes, page_)
                                   : rounded_up(bytes, kAlignment) + 2 * kPlainMargin;
  if (mapped != mapped_bytes_) return false;
  place(bytes);
  return true;
}

Status CudaMemory::take(std::uint64_t bytes) {
  mapped_bytes_ = rounded_up(bytes, kAlignment) + 2 * kPlainMargin;
  if (exact_) mapped_bytes_ = std::max<std::uint64_t>(bytes, 1);
  CuAddress at = 0;
  WW_CHECK(driver_.check(driver_.memory_alloc(&at, mapped_bytes_), "allocate device memory"));
  mapped_ = at;
  place(bytes);
  return {};
}

CudaMemory::~CudaMemory() {
  if (reserved_ == 0) {
    if (mapped_ != 0) driver_.memory_free(mapped_);
    return;
  }
  if (mapped_ != 0) driver_.memory_unmap(mapped_, mapped_bytes_);
  if (handle_ != 0) driver_.memory_destroy(handle_);
  driver_.memory_unreserve(reserved_, reserved_bytes_);
}

std::unique_ptr<CudaMemory> CudaMemoryPool::placed(std::unique_ptr<CudaMemory> memory) {
  memory->timed_ = use_ == BufferUse::timed;
  if (use_ == BufferUse::validated && (coin_() >> 32 & 1) != 0) memory->move_to_start();
  return memory;
}

Result<std::unique_ptr<CudaMemory>> CudaMemoryPool::take(const CudaDriver& driver, CuDevice device,
                                                         std::uint64_t bytes,
                                                         CudaMemory::Guard guard) {
  const bool timed = use_ == BufferUse::timed;
  for (auto memory = kept_.begin(); memory != kept_.end(); ++memory) {
    if ((*memory)->timed_ != timed || (*memory)->guard() != guard) continue;
    if (!(*memory)->resize(bytes)) continue;
    auto taken = std::move(*memory);
    kept_.erase(memory);
    bytes_[timed ? 1 : 0] -= taken->mapped_bytes();
    return placed(std::move(taken));
  }
  auto fresh = CudaMemory::allocate(driver, device, bytes, guard);
  if (!fresh.ok() && !kept_.empty()) {
    clear();
    fresh = CudaMemory::allocate(driver, device, bytes, guard);
  }
  if (!fresh.ok()) return fresh;
  (*fresh)->number_ = made_++;
  return placed(std::move(*fresh));
}

void CudaMemoryPool::give_back(std::unique_ptr<CudaMemory> memory) {
  if (memory == nullptr || kept_.size() >= kMostKeptBuffers) return;
  std::uint64_t& bytes = bytes_[memory->timed_ ? 1 : 0];
  if (bytes + memory->mapped_bytes() > limit_) return;
  bytes += memory->mapped_bytes();
  const auto behind =
      std::upper_bound(kept_.begin(), kept_.end(), memory,
                       [](const auto& a, const auto& b) { return a->number() < b->number(); });
  kept_.insert(behind, std::move(memory));
}

void CudaMemoryPool::clear() {
  kept_.clear();
  bytes_ = {};
}

void CudaMemoryPool::abandon() {
  for (auto& memory : kept_) static_cast<void>(memory.release());
  clear();
}

}  // namespace warpwright::device
