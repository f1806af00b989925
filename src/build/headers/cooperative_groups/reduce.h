// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../cooperative_groups.h"

// What is inlined from here counts as the line of the call.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

#if defined(__CUDA__)

namespace cooperative_groups {

#define __WW_OPERATOR(NAME, EXPRESSION)                     \
  template <class T = void>                                 \
  struct NAME {                                             \
    template <class A>                                      \
    __device__ A operator()(const A& a, const A& b) const { \
      return EXPRESSION;                                    \
    }                                                       \
  };
__WW_OPERATOR(plus, a + b)
__WW_OPERATOR(less, b < a ? b : a)
__WW_OPERATOR(greater, a < b ? b : a)
__WW_OPERATOR(bit_and, a& b)
__WW_OPERATOR(bit_or, a | b)
__WW_OPERATOR(bit_xor, a ^ b)
#undef __WW_OPERATOR

/// Every thread of the tile gets the result.
template <unsigned Size, class Parent, class T, class Operator>
static inline __device__ T reduce(const thread_block_tile<Size, Parent>& tile, T value,
                                  Operator combine) {
  for (unsigned lanes = Size / 2; lanes > 0; lanes /= 2) {
    value = combine(value, tile.shfl_xor(value, lanes));
  }
  return value;
}

template <class T, class Operator>
static inline __device__ T reduce(const coalesced_group& group, T value, Operator combine) {
  const unsigned rank = group.thread_rank(), size = group.size();
  for (unsigned delta = 1; delta < size; delta *= 2) {
    const T other = group.shfl_down(value, delta);
    if (rank % (2 * delta) == 0 && rank + delta < size) value = combine(value, other);
  }
  return group.shfl(value, 0);
}

}  // namespace cooperative_groups

#endif

#pragma clang attribute pop
