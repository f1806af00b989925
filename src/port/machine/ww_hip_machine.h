// SPDX-License-Identifier: Apache-2.0
// HIP in the words of CUDA: what HIP sources include as hip/hip_runtime.h where they are compiled
// for the SIMT machine (by clang, with WW_WAVE_SIZE = 32 or 64) or for a GPU of NVIDIA (by nvcc).
//
// The names of the runtime are in ww_hip_names.h, which is made from the table of the translator.
// Here are the functions of the device. On the SIMT machine a wavefront has WW_WAVE_SIZE lanes, and
// those take part in an exchange that are active, as on a device of AMD. A GPU of NVIDIA has
// wavefronts of 32.
#ifndef WW_HIP_MACHINE_H
#define WW_HIP_MACHINE_H

// What stands for these has the names that CUDA's own headers have already given to something.
#define WARPWRIGHT_HIP_MATH_H
#define WARPWRIGHT_HIP_FP16_H

#include <cuda_runtime.h>
#include <math_constants.h>

#ifdef __cplusplus

#ifdef __CUDACC__
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#ifndef __HIPCC__
#define __HIPCC__ 1
#endif
#endif

#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif
#if defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__)
#define __HIP_DEVICE_COMPILE__ 1
#endif
#define HIP_VERSION 50200000
#define HIP_VERSION_MAJOR 5
#define HIP_VERSION_MINOR 2

#define WW_HOST static inline __host__
#define HIP_SYMBOL(X) X
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define ww_hip_launch(kernel, grid, block, shared, stream, ...) \
  kernel<<<(grid), (block), (shared), (stream)>>>(__VA_ARGS__)
#define hipLaunchKernelGGL(kernel, ...) ww_hip_launch((kernel), __VA_ARGS__)

#ifdef __CUDACC__

#define WW_WAVE static __device__ __forceinline__

#ifdef WW_WAVE_SIZE

// ---- wavefronts of the SIMT machine: these two are its own
extern "C" __device__ unsigned long long ww_wave_ballot(unsigned predicate, unsigned width);
extern "C" __device__ unsigned ww_wave_pick(unsigned value, unsigned lane, unsigned width);

WW_WAVE unsigned long long ww_hip_ballot(int predicate) {
  return ww_wave_ballot(predicate != 0, WW_WAVE_SIZE);
}
WW_WAVE int ww_hip_pick(int address, int value) {
  return (int)ww_wave_pick((unsigned)value, (unsigned)address >> 2, WW_WAVE_SIZE);
}
WW_WAVE unsigned ww_hip_lane() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) &
         (WW_WAVE_SIZE - 1u);
}
WW_WAVE void ww_hip_wave_barrier() { ww_wave_ballot(0u, WW_WAVE_SIZE); }

#else

// ---- wavefronts of a GPU of NVIDIA
#define WW_WAVE_SIZE 32
WW_WAVE unsigned long long ww_hip_ballot(int predicate) {
  return __ballot_sync(__activemask(), predicate);
}
WW_WAVE int ww_hip_pick(int address, int value) {
  return __shfl_sync(__activemask(), value, (address >> 2) & 31);
}
WW_WAVE unsigned ww_hip_lane() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
WW_WAVE void ww_hip_wave_barrier() { __syncwarp(__activemask()); }
#define WW_ON_NVIDIA 1
#define WW_CONVERGE(mask) __syncwarp(mask)
// Of the compatibility header whose other functions CUDA has itself.
#define WARPWRIGHT_HIP_DEVICE_H
WW_WAVE int ww_dp4a(int a, int b, int c) { return __dp4a(a, b, c); }
WW_WAVE unsigned ww_dp4a(unsigned a, unsigned b, unsigned c) { return __dp4a(a, b, c); }

#endif

// ---- built-in functions of the compiler for AMD devices
WW_WAVE unsigned ww_hip_mbcnt_lo(unsigned mask, unsigned more) {
  const unsigned lane = ww_hip_lane();
  return more + (unsigned)__popc(lane >= 32u ? mask : mask & ((1u << lane) - 1u));
}
WW_WAVE unsigned ww_hip_mbcnt_hi(unsigned mask, unsigned more) {
  const unsigned lane = ww_hip_lane();
  return lane <= 32u ? more : more + (unsigned)__popc(mask & ((1u << (lane - 32u)) - 1u));
}
WW_WAVE int ww_hip_read_first_lane(int value) {
  return ww_hip_pick(4 * (__ffsll((long long)ww_hip_ballot(1)) - 1), value);
}
#define __builtin_amdgcn_mbcnt_lo ww_hip_mbcnt_lo
#define __builtin_amdgcn_mbcnt_hi ww_hip_mbcnt_hi
#define __builtin_amdgcn_ds_bpermute ww_hip_pick
#define __builtin_amdgcn_readfirstlane ww_hip_read_first_lane
#define __builtin_amdgcn_readlane(value, lane) ww_hip_pick(4 * (lane), value)
#define __builtin_amdgcn_wave_barrier ww_hip_wave_barrier
#define __builtin_amdgcn_fence(order, scope) __threadfence_block()
#define __builtin_amdgcn_s_barrier __syncthreads
#define __builtin_amdgcn_s_sleep(time) ((void)0)
#define __builtin_amdgcn_wavefrontsize() WW_WAVE_SIZE
#define __builtin_amdgcn_ballot_w64 ww_hip_ballot
#define __builtin_amdgcn_uicmp(a, b, kind) ww_hip_ballot((a) != (b))
#define __AMDGCN_WAVEFRONT_SIZE WW_WAVE_SIZE
#define __AMDGCN_WAVEFRONT_SIZE__ WW_WAVE_SIZE

// ---- functions of HIP's own headers
WW_WAVE unsigned __lane_id() { return ww_hip_lane(); }
WW_WAVE unsigned ww_hip_sm() {
  unsigned number;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  return number;
}
#define __smid ww_hip_sm
WW_WAVE long long wall_clock64() { return clock64(); }

template <class T>
WW_WAVE T ww_hip_value_of(T value, int lane) {
  constexpr unsigned kWords = (sizeof(T) + 3) / 4;
  int words[kWords] = {};
  memcpy(words, &value, sizeof(T));
  for (unsigned i = 0; i < kWords; ++i) words[i] = ww_hip_pick(4 * lane, words[i]);
  memcpy(&value, words, sizeof(T));
  return value;
}
template <class T>
WW_WAVE T ww_hip_shfl(T value, int lane, int width = WW_WAVE_SIZE) {
  const int self = (int)ww_hip_lane();
  return ww_hip_value_of(value, lane + (self & ~(width - 1)));
}
template <class T>
WW_WAVE T ww_hip_shfl_up(T value, unsigned delta, int width = WW_WAVE_SIZE) {
  const int self = (int)ww_hip_lane(), from = self - (int)delta;
  return ww_hip_value_of(value, from < (self & ~(width - 1)) ? self : from);
}
template <class T>
WW_WAVE T ww_hip_shfl_down(T value, unsigned delta, int width = WW_WAVE_SIZE) {
  const int self = (int)ww_hip_lane();
  return ww_hip_value_of(value,
                         (self & (width - 1)) + (int)delta >= width ? self : self + (int)delta);
}
template <class T>
WW_WAVE T ww_hip_shfl_xor(T value, int bits, int width = WW_WAVE_SIZE) {
  const int self = (int)ww_hip_lane(), from = self ^ bits;
  return ww_hip_value_of(value, from >= ((self + width) & ~(width - 1)) ? self : from);
}
#define __shfl ww_hip_shfl
#define __shfl_up ww_hip_shfl_up
#define __shfl_down ww_hip_shfl_down
#define __shfl_xor ww_hip_shfl_xor
#define __ballot ww_hip_ballot
#define __ballot64 ww_hip_ballot
WW_WAVE int ww_hip_any(int predicate) { return ww_hip_ballot(predicate) != 0u; }
WW_WAVE int ww_hip_all(int predicate) { return ww_hip_ballot(!predicate) == 0u; }
#define __any ww_hip_any
#define __all ww_hip_all

#ifndef WW_ON_NVIDIA
WW_WAVE unsigned long long ww_hip_active() { return ww_hip_ballot(1); }
#define __activemask ww_hip_active
// Masks of 64 bits, as newer versions of HIP have them; who is not active is not waited for.
#define __shfl_sync(mask, ...) ((void)(mask), ww_hip_shfl(__VA_ARGS__))
#define __shfl_up_sync(mask, ...) ((void)(mask), ww_hip_shfl_up(__VA_ARGS__))
#define __shfl_down_sync(mask, ...) ((void)(mask), ww_hip_shfl_down(__VA_ARGS__))
#define __shfl_xor_sync(mask, ...) ((void)(mask), ww_hip_shfl_xor(__VA_ARGS__))
#define __ballot_sync(mask, predicate) (ww_hip_ballot(predicate) & (unsigned long long)(mask))
#define __any_sync(mask, predicate) ((ww_hip_ballot(predicate) & (unsigned long long)(mask)) != 0u)
#define __all_sync(mask, predicate) \
  ((ww_hip_ballot(!(predicate)) & (unsigned long long)(mask)) == 0u)
#define __syncwarp(...) ww_hip_wave_barrier()
#endif

WW_WAVE void ww_hip_grid_sync() { cooperative_groups::this_grid().sync(); }
WW_WAVE int ww_hip_grid_is_valid() { return 1; }
#define __ockl_grid_sync ww_hip_grid_sync
#define __ockl_grid_is_valid ww_hip_grid_is_valid
#define cooperative_groups ww_hip_cooperative_groups

#endif  // __CUDACC__

#include "ww_hip_names.h"

#endif  // __cplusplus

#endif
