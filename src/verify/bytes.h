// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

#include <sys/mman.h>

namespace warpwright::verify {

/// Memory for buffers of up to gigabytes that are written in full right after they are made: not
/// cleared first, and in large pages where the system has them.
template <class T>
struct RawAllocator {
  using value_type = T;
  RawAllocator() = default;
  template <class U>
  RawAllocator(const RawAllocator<U>& /*other*/) {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kLargeBytes) return static_cast<T*>(::operator new(bytes));
    const std::size_t whole = (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
    void* at = std::aligned_alloc(kPageBytes, whole);
    if (at == nullptr) throw std::bad_alloc();  // what a vector expects of its allocator
    ::madvise(at, whole, MADV_HUGEPAGE);
    return static_cast<T*>(at);
  }
  void deallocate(T* at, std::size_t count) {
    if (count * sizeof(T) < kLargeBytes) {
      ::operator delete(at);
    } else {
      std::free(at);
    }
  }
  /// resize() leaves what it adds undefined.
  template <class U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
  }
  friend bool operator==(const RawAllocator&, const RawAllocator&) { return true; }

 private:
  static constexpr std::size_t kLargeBytes = std::size_t{4} << 20;
  static constexpr std::size_t kPageBytes = std::size_t{2} << 20;
};

/// The content of one buffer. resize() does not clear.
using Bytes = std::vector<std::byte, RawAllocator<std::byte>>;

}  // namespace warpwright::verify
