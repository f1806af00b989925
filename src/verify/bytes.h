// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

namespace warpwright::verify {

/// Memory of a process for buffers that come and go with every candidate. Blocks that are given
/// back are kept for later ones, up to a share of the machine's memory: getting pages anew takes
/// longer than filling them. Safe on several threads.
void* take_block(std::size_t bytes);
void give_block_back(void* at, std::size_t bytes);

/// Does not clear what it gives: the buffers are written in full right after they are made.
template <class T>
struct RawAllocator {
  using value_type = T;
  RawAllocator() = default;
  template <class U>
  RawAllocator(const RawAllocator<U>& /*other*/) {}

  T* allocate(std::size_t count) { return static_cast<T*>(take_block(count * sizeof(T))); }
  void deallocate(T* at, std::size_t count) { give_block_back(at, count * sizeof(T)); }
  template <class U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
  }
  friend bool operator==(const RawAllocator&, const RawAllocator&) { return true; }
};

/// The content of one buffer. resize() leaves what it adds undefined.
using Bytes = std::vector<std::byte, RawAllocator<std::byte>>;

}  // namespace warpwright::verify

// Made once, in bytes.cpp: code that is not optimised would construct and destroy it byte by byte.
extern template class std::vector<std::byte, warpwright::verify::RawAllocator<std::byte>>;
