// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reduce.h"

// What is inlined from here counts as the line of the call.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

#if defined(__CUDA__)

namespace cooperative_groups {

template <class Group, class T, class Operator = plus<T>>
static inline __device__ T inclusive_scan(const Group& group, T value, Operator combine = {}) {
  const unsigned rank = group.thread_rank();
  for (unsigned delta = 1; delta < group.size(); delta *= 2) {
    const T other = group.shfl_up(value, delta);
    if (rank >= delta) value = combine(other, value);
  }
  return value;
}

template <class Group, class T, class Operator = plus<T>>
static inline __device__ T exclusive_scan(const Group& group, T value, Operator combine = {}) {
  const T inclusive = inclusive_scan(group, value, combine);
  const T before = group.shfl_up(inclusive, 1);
  return group.thread_rank() == 0 ? T{} : before;
}

}  // namespace cooperative_groups

#endif

#pragma clang attribute pop
