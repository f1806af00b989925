// SPDX-License-Identifier: Apache-2.0
// Copies by all threads of a group. They are done when the call returns, which is one of the
// moments that the interface allows; wait() makes them known to the group.
#pragma once

#include "../cooperative_groups.h"

namespace cooperative_groups {

template <class Group, class To, class From>
__device__ inline void memcpy_async(const Group& group, To* to, const From* from, size_t bytes) {
  const size_t first = group.thread_rank(), step = group.size();
  const size_t both = reinterpret_cast<size_t>(to) | reinterpret_cast<size_t>(from) | bytes;
  if (both % 16 == 0) {
    for (size_t i = first; i < bytes / 16; i += step) {
      reinterpret_cast<uint4*>(to)[i] = reinterpret_cast<const uint4*>(from)[i];
    }
  } else if (both % 4 == 0) {
    for (size_t i = first; i < bytes / 4; i += step) {
      reinterpret_cast<unsigned*>(to)[i] = reinterpret_cast<const unsigned*>(from)[i];
    }
  } else {
    for (size_t i = first; i < bytes; i += step) {
      reinterpret_cast<unsigned char*>(to)[i] = reinterpret_cast<const unsigned char*>(from)[i];
    }
  }
}

/// Counts of elements: as many as both have.
template <class Group, class T, class ToCount, class FromCount>
__device__ inline void memcpy_async(const Group& group, T* to, ToCount to_count, const T* from,
                                    FromCount from_count) {
  const size_t a = to_count, b = from_count;
  memcpy_async(group, to, from, (a < b ? a : b) * sizeof(T));
}

template <class Group>
__device__ inline void wait(const Group& group) {
  group.sync();
}

/// All but the last Stages copies, and here those too.
template <unsigned Stages, class Group>
__device__ inline void wait_prior(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups
