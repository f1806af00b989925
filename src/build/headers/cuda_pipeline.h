// SPDX-License-Identifier: Apache-2.0
// The pipeline primitives: asynchronous copies from global to shared memory.
#pragma once

#include "cuda_runtime.h"

// What is inlined from here counts as the line of the call.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

#if defined(__CUDA__)

/// Copies size (4, 8 or 16) bytes, of which the last zfill are zeros instead.
static inline __device__ void __pipeline_memcpy_async(void* shared, const void* global, size_t size,
                                                      size_t zfill = 0) {
  const unsigned target = (unsigned)__cvta_generic_to_shared(shared);
  const unsigned source = (unsigned)(size - zfill);
  if (size == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"(target), "l"(global), "r"(source)
                 : "memory");
  } else if (size == 8) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;"
                 :
                 : "r"(target), "l"(global), "r"(source)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                 :
                 : "r"(target), "l"(global), "r"(source)
                 : "memory");
  }
}

static inline __device__ void __pipeline_commit() {
  asm volatile("cp.async.commit_group;" : : : "memory");
}

/// Waits until at most `prior` of the newest groups are under way. The instruction wants a
/// constant; after inlining the switch is one.
static inline __device__ __attribute__((always_inline)) void __pipeline_wait_prior(size_t prior) {
  switch (prior) {
    case 0:
      asm volatile("cp.async.wait_group 0;" : : : "memory");
      break;
    case 1:
      asm volatile("cp.async.wait_group 1;" : : : "memory");
      break;
    case 2:
      asm volatile("cp.async.wait_group 2;" : : : "memory");
      break;
    case 3:
      asm volatile("cp.async.wait_group 3;" : : : "memory");
      break;
    case 4:
      asm volatile("cp.async.wait_group 4;" : : : "memory");
      break;
    case 5:
      asm volatile("cp.async.wait_group 5;" : : : "memory");
      break;
    case 6:
      asm volatile("cp.async.wait_group 6;" : : : "memory");
      break;
    default:
      asm volatile("cp.async.wait_group 7;" : : : "memory");
      break;
  }
}

#endif

#pragma clang attribute pop
