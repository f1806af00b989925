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

// Functions of wavefronts without a mask: the lanes that are active take part.
template <class T>
WW_DEVICE T ww_hip_shfl(T value, int lane, int width = 32) {
  return __shfl_sync(__activemask(), value, lane, width);
}
template <class T>
WW_DEVICE T ww_hip_shfl_up(T value, unsigned delta, int width = 32) {
  return __shfl_up_sync(__activemask(), value, delta, width);
}
template <class T>
WW_DEVICE T ww_hip_shfl_down(T value, unsigned delta, int width = 32) {
  return __shfl_down_sync(__activemask(), value, delta, width);
}
template <class T>
WW_DEVICE T ww_hip_shfl_xor(T value, int bits, int width = 32) {
  return __shfl_xor_sync(__activemask(), value, bits, width);
}
WW_DEVICE unsigned long long ww_hip_ballot(int predicate) {
  return __ballot_sync(__activemask(), predicate);
}
WW_DEVICE int ww_hip_any(int predicate) { return __any_sync(__activemask(), predicate); }
WW_DEVICE int ww_hip_all(int predicate) { return __all_sync(__activemask(), predicate); }
#define __shfl ww_hip_shfl
#define __shfl_up ww_hip_shfl_up
#define __shfl_down ww_hip_shfl_down
#define __shfl_xor ww_hip_shfl_xor
#define __ballot ww_hip_ballot
#define __any ww_hip_any
#define __all ww_hip_all
#define __lane_id ww_lane_id

WW_DEVICE int ww_dp4a(int a, int b, int c) { return __dp4a(a, b, c); }
WW_DEVICE unsigned ww_dp4a(unsigned a, unsigned b, unsigned c) { return __dp4a(a, b, c); }

#endif  // __CUDACC__

#endif
