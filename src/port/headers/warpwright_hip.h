// SPDX-License-Identifier: Apache-2.0
// What a program that was carried over from CUDA needs beside HIP's own headers. `warpwright port`
// writes this file; docs/port.md describes it.
//
// Warps keep 32 lanes. On a device whose wavefronts have 64 lanes, each half of a wavefront is a warp.
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

// ---- warps ---------------------------------------------------------------------------------------
static constexpr int WW_WARP_SIZE = 32;

template <class Properties>
static inline hipError_t ww_get_device_properties(Properties* properties, int device) {
  const hipError_t error = hipGetDeviceProperties(properties, device);
  properties->warpSize = WW_WARP_SIZE;
  return error;
}

static inline hipError_t ww_device_get_attribute(int* value, hipDeviceAttribute_t attribute, int device) {
  const hipError_t error = hipDeviceGetAttribute(value, attribute, device);
  if (attribute == hipDeviceAttributeWarpSize) *value = WW_WARP_SIZE;
  return error;
}

#ifdef __HIPCC__

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
  return ww_value_of(value, first + (static_cast<unsigned>(lane) & static_cast<unsigned>(width - 1)));
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
WW_DEVICE T ww_shfl_sync(unsigned, T value, int lane, int width = 32) {
  return ww_shfl(value, lane, width);
}
template <class T>
WW_DEVICE T ww_shfl_up_sync(unsigned, T value, unsigned delta, int width = 32) {
  return ww_shfl_up(value, delta, width);
}
template <class T>
WW_DEVICE T ww_shfl_down_sync(unsigned, T value, unsigned delta, int width = 32) {
  return ww_shfl_down(value, delta, width);
}
template <class T>
WW_DEVICE T ww_shfl_xor_sync(unsigned, T value, int bits, int width = 32) {
  return ww_shfl_xor(value, bits, width);
}

WW_DEVICE unsigned ww_ballot(int predicate) {
  return static_cast<unsigned>(__ballot(predicate) >> (ww_wave_lane() & 32u));
}
WW_DEVICE unsigned ww_activemask() { return ww_ballot(1); }
WW_DEVICE unsigned ww_ballot_sync(unsigned mask, int predicate) { return ww_ballot(predicate) & mask; }
WW_DEVICE int ww_any(int predicate) { return ww_ballot(predicate) != 0u; }
WW_DEVICE int ww_all(int predicate) { return ww_ballot(!predicate) == 0u; }
WW_DEVICE int ww_any_sync(unsigned mask, int predicate) { return (ww_ballot(predicate) & mask) != 0u; }
WW_DEVICE int ww_all_sync(unsigned mask, int predicate) { return (ww_ballot(!predicate) & mask) == 0u; }
WW_DEVICE int ww_uni_sync(unsigned mask, int predicate) {
  const unsigned yes = ww_ballot(predicate) & mask;
  return yes == 0u || yes == (ww_activemask() & mask);
}
WW_DEVICE void ww_syncwarp(unsigned = ~0u) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

template <class T>
WW_DEVICE unsigned ww_match_any_sync(unsigned mask, T value) {
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

// ---- what inline PTX becomes ---------------------------------------------------------------------
// A value as another type: the same bits where the sizes are equal and only one is a floating-point
// number, else the same value.
template <class To, class From>
WW_DEVICE To ww_as(From value) {
  if constexpr (sizeof(To) == sizeof(From) &&
                std::is_floating_point<To>::value != std::is_floating_point<From>::value) {
    To result;
    __builtin_memcpy(&result, &value, sizeof(To));
    return result;
  } else {
    return (To)value;
  }
}
template <class To, class From>
WW_DEVICE void ww_set(To& target, From value) {
  target = ww_as<To>(value);
}
template <class T>
WW_BOTH T ww_min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
WW_BOTH T ww_max(T a, T b) {
  return a < b ? b : a;
}
template <class T>
WW_DEVICE T ww_abs(T a) {
  return a < T(0) ? -a : a;
}
WW_DEVICE float ww_fma(float a, float b, float c) { return fmaf(a, b, c); }
WW_DEVICE double ww_fma(double a, double b, double c) { return fma(a, b, c); }
WW_DEVICE float ww_sqrt(float a) { return sqrtf(a); }
WW_DEVICE double ww_sqrt(double a) { return sqrt(a); }
WW_DEVICE float ww_copysign(float a, float b) { return copysignf(a, b); }
WW_DEVICE double ww_copysign(double a, double b) { return copysign(a, b); }
WW_DEVICE unsigned ww_mul_hi(unsigned a, unsigned b) { return __umulhi(a, b); }
WW_DEVICE int ww_mul_hi(int a, int b) { return __mulhi(a, b); }
WW_DEVICE unsigned long long ww_mul_hi(unsigned long long a, unsigned long long b) {
  return __umul64hi(a, b);
}
WW_DEVICE long long ww_mul_hi(long long a, long long b) { return __mul64hi(a, b); }
WW_DEVICE unsigned long long ww_mul_wide(unsigned a, unsigned b) { return (unsigned long long)a * b; }
WW_DEVICE long long ww_mul_wide(int a, int b) { return (long long)a * b; }
WW_DEVICE unsigned ww_mul_wide(unsigned short a, unsigned short b) { return (unsigned)a * b; }
WW_DEVICE int ww_low24(int a) { return a << 8 >> 8; }
WW_DEVICE unsigned ww_low24(unsigned a) { return a & 0xffffffu; }
// Shifts by the width or more clear the number.
template <class T>
WW_DEVICE T ww_shl(T a, T by) {
  const unsigned count = (unsigned)by;
  return count >= sizeof(T) * 8 ? T(0) : (T)(a << count);
}
template <class T>
WW_DEVICE T ww_shr(T a, T by) {
  const unsigned count = (unsigned)by;
  return count >= sizeof(T) * 8 ? (T)(a < T(0) ? -1 : 0) : (T)(a >> count);
}
WW_DEVICE unsigned ww_shf_l(unsigned low, unsigned high, unsigned by) {
  return (unsigned)(((unsigned long long)high << 32 | low) << (by & 31u) >> 32);
}
WW_DEVICE unsigned ww_shf_r(unsigned low, unsigned high, unsigned by) {
  return (unsigned)(((unsigned long long)high << 32 | low) >> (by & 31u));
}
WW_DEVICE unsigned ww_popc(unsigned a) { return __popc(a); }
WW_DEVICE unsigned ww_popc(unsigned long long a) { return __popcll(a); }
WW_DEVICE unsigned ww_clz(unsigned a) { return a == 0u ? 32u : (unsigned)__builtin_clz(a); }
WW_DEVICE unsigned ww_clz(unsigned long long a) { return a == 0u ? 64u : (unsigned)__builtin_clzll(a); }
WW_DEVICE unsigned ww_brev(unsigned a) { return __brev(a); }
WW_DEVICE unsigned long long ww_brev(unsigned long long a) { return __brevll(a); }
WW_DEVICE unsigned ww_bfind(unsigned a) { return 31u - ww_clz(a); }
WW_DEVICE unsigned ww_bfind(int a) { return 31u - ww_clz((unsigned)(a < 0 ? ~a : a)); }
WW_DEVICE unsigned ww_bfe(unsigned a, unsigned from, unsigned count) {
  from &= 255u;
  count &= 255u;
  if (count == 0u || from > 31u) return 0u;
  return a >> from & (count > 31u ? ~0u : (1u << count) - 1u);
}
WW_DEVICE int ww_bfe(int a, int from, int count) {
  const unsigned at = (unsigned)from & 255u;
  const unsigned bits = (unsigned)count & 255u;
  if (bits == 0u) return 0;
  const unsigned last = at + bits - 1u > 31u ? 31u : at + bits - 1u;
  const unsigned field = ww_bfe((unsigned)a, at, bits);
  const bool negative = ((unsigned)a >> last & 1u) != 0u;
  return (int)(negative && bits < 32u ? field | ~((1u << bits) - 1u) : field);
}
WW_DEVICE unsigned ww_bfi(unsigned a, unsigned b, unsigned from, unsigned count) {
  from &= 255u;
  count &= 255u;
  if (count == 0u || from > 31u) return b;
  const unsigned mask = (count > 31u ? ~0u : (1u << count) - 1u) << from;
  return (b & ~mask) | (a << from & mask);
}
WW_DEVICE unsigned ww_prmt(unsigned a, unsigned b, unsigned choice) {
  const unsigned long long bytes = (unsigned long long)b << 32 | a;
  unsigned result = 0u;
  for (unsigned i = 0; i < 4u; ++i) {
    const unsigned which = choice >> (4u * i) & 15u;
    unsigned byte = (unsigned)(bytes >> (8u * (which & 7u))) & 255u;
    if ((which & 8u) != 0u) byte = (byte & 128u) != 0u ? 255u : 0u;
    result |= byte << (8u * i);
  }
  return result;
}
WW_DEVICE unsigned ww_lop3(unsigned a, unsigned b, unsigned c, unsigned table) {
  unsigned result = 0u;
  if ((table & 1u) != 0u) result |= ~a & ~b & ~c;
  if ((table & 2u) != 0u) result |= ~a & ~b & c;
  if ((table & 4u) != 0u) result |= ~a & b & ~c;
  if ((table & 8u) != 0u) result |= ~a & b & c;
  if ((table & 16u) != 0u) result |= a & ~b & ~c;
  if ((table & 32u) != 0u) result |= a & ~b & c;
  if ((table & 64u) != 0u) result |= a & b & ~c;
  if ((table & 128u) != 0u) result |= a & b & c;
  return result;
}
WW_DEVICE unsigned ww_sm_id() { return __smid(); }
WW_DEVICE unsigned long long ww_global_timer() { return (unsigned long long)clock64(); }

#endif  // __HIPCC__

#include "warpwright_hip_math.h"
#ifdef __HIPCC__
#include "warpwright_hip_device.h"
#endif

// ---- calls that CUDA also takes with a function instead of its address ---------------------------------
template <class R, class... A>
static inline hipError_t hipFuncSetAttribute(R (*function)(A...), hipFuncAttribute attribute, int value) {
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
static inline hipError_t hipLaunchKernel(R (*function)(A...), dim3 grid, dim3 block, void** arguments,
                                         size_t shared = 0, hipStream_t stream = 0) {
  return hipLaunchKernel(reinterpret_cast<const void*>(function), grid, block, arguments, shared, stream);
}

#endif  // __cplusplus

#endif
