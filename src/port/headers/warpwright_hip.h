// SPDX-License-Identifier: Apache-2.0
// What a program that was carried over from CUDA needs beside HIP's own headers. `warpwright port`
// writes this file; docs/port.md describes it.
//
// Warps keep 32 lanes. On a device whose wavefronts have 64 lanes, each half of a wavefront is a
// warp.
#ifndef WARPWRIGHT_HIP_H
#define WARPWRIGHT_HIP_H

// nvcc's own header brings these with it.
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __cplusplus
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>
#endif

#include <hip/hip_runtime.h>

#define WW_CUDART_VERSION 12000
#if defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__
#define WW_CUDA_ARCH 700
#endif

#ifdef __cplusplus

// ---- warps
// ---------------------------------------------------------------------------------------
static constexpr int WW_WARP_SIZE = 32;

template <class Properties>
static inline hipError_t ww_get_device_properties(Properties* properties, int device) {
  const hipError_t error = hipGetDeviceProperties(properties, device);
  properties->warpSize = WW_WARP_SIZE;
  return error;
}

static inline hipError_t ww_device_get_attribute(int* value, hipDeviceAttribute_t attribute,
                                                 int device) {
  const hipError_t error = hipDeviceGetAttribute(value, attribute, device);
  if (attribute == hipDeviceAttributeWarpSize) *value = WW_WARP_SIZE;
  return error;
}

#ifdef __HIPCC__

// Lanes of a wavefront walk together; where they do not, whoever compiles this says how they meet.
#ifndef WW_CONVERGE
#define WW_CONVERGE(mask) ((void)(mask))
#endif

#define WW_DEVICE static __device__ __forceinline__
#define WW_BOTH static __host__ __device__ __forceinline__

// The lane's number in its wavefront, then in its warp.
WW_DEVICE unsigned ww_wave_lane() {
  return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
}
WW_DEVICE unsigned ww_lane_id() { return ww_wave_lane() & 31u; }
WW_DEVICE unsigned ww_lanemask_eq() { return 1u << ww_lane_id(); }
WW_DEVICE unsigned ww_lanemask_lt() { return ww_lanemask_eq() - 1u; }
WW_DEVICE unsigned ww_lanemask_le() { return ww_lanemask_lt() | ww_lanemask_eq(); }
WW_DEVICE unsigned ww_lanemask_gt() { return ~ww_lanemask_le(); }
WW_DEVICE unsigned ww_lanemask_ge() { return ~ww_lanemask_lt(); }
WW_DEVICE unsigned ww_warp_id() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / 32u;
}

// The value that lane `from` of the wavefront has.
template <class T>
WW_DEVICE T ww_value_of(T value, unsigned from) {
  constexpr unsigned kWords = (sizeof(T) + 3) / 4;
  int words[kWords] = {};
  __builtin_memcpy(words, &value, sizeof(T));
  for (unsigned i = 0; i < kWords; ++i)
    words[i] = __builtin_amdgcn_ds_bpermute(static_cast<int>(from * 4u), words[i]);
  __builtin_memcpy(&value, words, sizeof(T));
  return value;
}

template <class T>
WW_DEVICE T ww_shfl(T value, int lane, int width = 32) {
  const unsigned self = ww_wave_lane();
  const unsigned first = self & ~static_cast<unsigned>(width - 1);
  return ww_value_of(value,
                     first + (static_cast<unsigned>(lane) & static_cast<unsigned>(width - 1)));
}
template <class T>
WW_DEVICE T ww_shfl_up(T value, unsigned delta, int width = 32) {
  const unsigned self = ww_wave_lane();
  const unsigned inside = self & static_cast<unsigned>(width - 1);
  return ww_value_of(value, delta > inside ? self : self - delta);
}
template <class T>
WW_DEVICE T ww_shfl_down(T value, unsigned delta, int width = 32) {
  const unsigned self = ww_wave_lane();
  const unsigned inside = self & static_cast<unsigned>(width - 1);
  return ww_value_of(value, inside + delta >= static_cast<unsigned>(width) ? self : self + delta);
}
template <class T>
WW_DEVICE T ww_shfl_xor(T value, int bits, int width = 32) {
  const unsigned self = ww_wave_lane();
  const unsigned first = self & ~static_cast<unsigned>(width - 1);
  const unsigned from = self ^ (static_cast<unsigned>(bits) & 31u);
  return ww_value_of(value, from >= first + static_cast<unsigned>(width) ? self : from);
}
template <class T>
WW_DEVICE T ww_shfl_sync(unsigned mask, T value, int lane, int width = 32) {
  WW_CONVERGE(mask);
  return ww_shfl(value, lane, width);
}
template <class T>
WW_DEVICE T ww_shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  WW_CONVERGE(mask);
  return ww_shfl_up(value, delta, width);
}
template <class T>
WW_DEVICE T ww_shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  WW_CONVERGE(mask);
  return ww_shfl_down(value, delta, width);
}
template <class T>
WW_DEVICE T ww_shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
  WW_CONVERGE(mask);
  return ww_shfl_xor(value, bits, width);
}

WW_DEVICE unsigned ww_ballot(int predicate) {
  return static_cast<unsigned>(__ballot(predicate) >> (ww_wave_lane() & 32u));
}
WW_DEVICE unsigned ww_activemask() { return ww_ballot(1); }
WW_DEVICE unsigned ww_ballot_sync(unsigned mask, int predicate) {
  WW_CONVERGE(mask);
  return ww_ballot(predicate) & mask;
}
WW_DEVICE int ww_any(int predicate) { return ww_ballot(predicate) != 0u; }
WW_DEVICE int ww_all(int predicate) { return ww_ballot(!predicate) == 0u; }
WW_DEVICE int ww_any_sync(unsigned mask, int predicate) {
  return ww_ballot_sync(mask, predicate) != 0u;
}
WW_DEVICE int ww_all_sync(unsigned mask, int predicate) {
  return ww_ballot_sync(mask, !predicate) == 0u;
}
WW_DEVICE int ww_uni_sync(unsigned mask, int predicate) {
  const unsigned yes = ww_ballot_sync(mask, predicate);
  return yes == 0u || yes == (ww_activemask() & mask);
}
WW_DEVICE void ww_syncwarp(unsigned mask = ~0u) {
  WW_CONVERGE(mask);
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

template <class T>
WW_DEVICE unsigned ww_match_any_sync(unsigned mask, T value) {
  WW_CONVERGE(mask);
  unsigned same = 0;
  for (unsigned lane = 0; lane < 32u; ++lane) {
    const T other = ww_shfl(value, static_cast<int>(lane));
    if (__builtin_memcmp(&other, &value, sizeof(T)) == 0) same |= 1u << lane;
  }
  return same & mask & ww_activemask();
}
template <class T>
WW_DEVICE unsigned ww_match_all_sync(unsigned mask, T value, int* predicate) {
  const bool all = ww_match_any_sync(mask, value) == (mask & ww_activemask());
  const bool every = ww_all_sync(mask, all);
  *predicate = every;
  return every ? mask : 0u;
}

template <class T, class Combine>
WW_DEVICE T ww_reduce_sync(unsigned mask, T value, Combine combine) {
  WW_CONVERGE(mask);
  const unsigned active = mask & ww_activemask();
  T result = value;
  for (unsigned lane = 0; lane < 32u; ++lane) {
    const T other = ww_shfl(value, static_cast<int>(lane));
    if ((active >> lane & 1u) != 0u && lane != ww_lane_id()) result = combine(result, other);
  }
  return result;
}
template <class T>
WW_DEVICE T ww_reduce_add_sync(unsigned mask, T value) {
  return ww_reduce_sync(mask, value, [](T a, T b) { return a + b; });
}
template <class T>
WW_DEVICE T ww_reduce_min_sync(unsigned mask, T value) {
  return ww_reduce_sync(mask, value, [](T a, T b) { return a < b ? a : b; });
}
template <class T>
WW_DEVICE T ww_reduce_max_sync(unsigned mask, T value) {
  return ww_reduce_sync(mask, value, [](T a, T b) { return a < b ? b : a; });
}
template <class T>
WW_DEVICE T ww_reduce_and_sync(unsigned mask, T value) {
  return ww_reduce_sync(mask, value, [](T a, T b) { return a & b; });
}
template <class T>
WW_DEVICE T ww_reduce_or_sync(unsigned mask, T value) {
  return ww_reduce_sync(mask, value, [](T a, T b) { return a | b; });
}
template <class T>
WW_DEVICE T ww_reduce_xor_sync(unsigned mask, T value) {
  return ww_reduce_sync(mask, value, [](T a, T b) { return a ^ b; });
}

#include "warpwright_ptx.h"

WW_DEVICE unsigned ww_sm_id() { return __smid(); }
WW_DEVICE unsigned long long ww_global_timer() { return (unsigned long long)clock64(); }

#endif  // __HIPCC__

#include "warpwright_hip_math.h"
#ifdef __HIPCC__
#include "warpwright_hip_device.h"
#endif

// ---- a uint3 that is also taken for a dim3
// ----------------------------------------------------------------
struct ww_uint3 : uint3 {
  __host__ __device__ ww_uint3(unsigned a, unsigned b, unsigned c) : uint3{a, b, c} {}
  __host__ __device__ operator dim3() const { return dim3(x, y, z); }
};
static inline __host__ __device__ ww_uint3 ww_make_uint3(unsigned a, unsigned b, unsigned c) {
  return ww_uint3(a, b, c);
}

// ---- calls that CUDA also takes with a function instead of its address
// ---------------------------------
template <class R, class... A>
static inline hipError_t hipFuncSetAttribute(R (*function)(A...), hipFuncAttribute attribute,
                                             int value) {
  return hipFuncSetAttribute(reinterpret_cast<const void*>(function), attribute, value);
}
template <class R, class... A>
static inline hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, R (*function)(A...)) {
  return hipFuncGetAttributes(attributes, reinterpret_cast<const void*>(function));
}
template <class R, class... A>
static inline hipError_t hipFuncSetCacheConfig(R (*function)(A...), hipFuncCache_t config) {
  return hipFuncSetCacheConfig(reinterpret_cast<const void*>(function), config);
}
template <class R, class... A>
static inline hipError_t hipLaunchKernel(R (*function)(A...), dim3 grid, dim3 block,
                                         void** arguments, size_t shared = 0,
                                         hipStream_t stream = 0) {
  return hipLaunchKernel(reinterpret_cast<const void*>(function), grid, block, arguments, shared,
                         stream);
}

#endif  // __cplusplus

#endif
