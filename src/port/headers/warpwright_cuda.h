// SPDX-License-Identifier: Apache-2.0
// What a program that was carried over from HIP needs beside CUDA's own headers. `warpwright port`
// writes this file; docs/port.md describes it.
#ifndef WARPWRIGHT_CUDA_H
#define WARPWRIGHT_CUDA_H

#include <cuda.h>
#include <cuda_runtime.h>
#include <math_constants.h>

#ifdef __CUDACC__

#include <type_traits>

#define WW_DEVICE static __device__ __forceinline__
#define WW_BOTH static __host__ __device__ __forceinline__

#include "warpwright_ptx.h"

WW_DEVICE unsigned ww_lane_id() {
  unsigned value;
  asm("mov.u32 %0, %%laneid;" : "=r"(value));
  return value;
}
WW_DEVICE unsigned ww_lanemask_eq() { return 1u << ww_lane_id(); }
WW_DEVICE unsigned ww_lanemask_lt() { return ww_lanemask_eq() - 1u; }
WW_DEVICE unsigned ww_lanemask_le() { return ww_lanemask_lt() | ww_lanemask_eq(); }
WW_DEVICE unsigned ww_lanemask_gt() { return ~ww_lanemask_le(); }
WW_DEVICE unsigned ww_lanemask_ge() { return ~ww_lanemask_lt(); }
WW_DEVICE unsigned ww_warp_id() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / 32u;
}
WW_DEVICE unsigned ww_sm_id() {
  unsigned value;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(value));
  return value;
}
WW_DEVICE unsigned long long ww_global_timer() {
  unsigned long long value;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(value));
  return value;
}
WW_DEVICE int ww_dp4a(int a, int b, int c) { return __dp4a(a, b, c); }
WW_DEVICE unsigned ww_dp4a(unsigned a, unsigned b, unsigned c) { return __dp4a(a, b, c); }

#endif  // __CUDACC__

#endif
