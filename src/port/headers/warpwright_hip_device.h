// SPDX-License-Identifier: Apache-2.0
// Device functions that CUDA has and HIP has not; see warpwright_hip.h.
#ifndef WARPWRIGHT_HIP_DEVICE_H
#define WARPWRIGHT_HIP_DEVICE_H

#include "warpwright_hip_minmax.h"
#include "warpwright_hip_rounding.h"
#include "warpwright_hip_video.h"

// ---- dot products of bytes
WW_DEVICE int __dp4a(int a, int b, int c) {
  return c +
         (int)ww_field_sum<8, true>((unsigned)a, (unsigned)b, [](int x, int y) { return x * y; });
}
WW_DEVICE unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  return c + ww_field_sum<8, false>(a, b, [](int x, int y) { return x * y; });
}
WW_DEVICE int __dp4a(char4 a, char4 b, int c) {
  return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
WW_DEVICE unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
  return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
WW_DEVICE int ww_dp4a(int a, int b, int c) { return __dp4a(a, b, c); }
WW_DEVICE unsigned ww_dp4a(unsigned a, unsigned b, unsigned c) { return __dp4a(a, b, c); }
WW_DEVICE int __dp2a_lo(int a, int b, int c) {
  return c + ww_field<16, true>(a, 0) * ww_field<8, true>(b, 0) +
         ww_field<16, true>(a, 1) * ww_field<8, true>(b, 1);
}
WW_DEVICE int __dp2a_hi(int a, int b, int c) {
  return c + ww_field<16, true>(a, 0) * ww_field<8, true>(b, 2) +
         ww_field<16, true>(a, 1) * ww_field<8, true>(b, 3);
}

// ---- loads and stores with a hint
template <class T>
WW_DEVICE T __ldcv(const T* p) {
  return *p;
}
template <class T>
WW_DEVICE T __ldlu(const T* p) {
  return *p;
}
template <class T>
WW_DEVICE void __stcg(T* p, T v) {
  *p = v;
}
template <class T>
WW_DEVICE void __stcs(T* p, T v) {
  *p = v;
}
template <class T>
WW_DEVICE void __stwb(T* p, T v) {
  *p = v;
}
template <class T>
WW_DEVICE void __stwt(T* p, T v) {
  *p = v;
}

// ---- the rest
WW_DEVICE void __nanosleep(unsigned) { __builtin_amdgcn_s_sleep(1); }
WW_DEVICE void __trap() { __builtin_trap(); }
WW_DEVICE void __brkpt() { __builtin_trap(); }
WW_DEVICE void __prof_trigger(int) {}
WW_DEVICE unsigned __fns(unsigned mask, unsigned base, int offset) {
  if (offset == 0) return (mask >> base & 1u) != 0u ? base : ~0u;
  const int step = offset > 0 ? 1 : -1;
  int left = offset > 0 ? offset : -offset;
  for (int at = (int)base; at >= 0 && at < 32; at += step)
    if ((mask >> at & 1u) != 0u && --left == 0) return (unsigned)at;
  return ~0u;
}
WW_DEVICE double fdivide(double a, double b) { return a / b; }
WW_DEVICE size_t __cvta_generic_to_global(const void* p) { return (size_t)p; }
WW_DEVICE size_t __cvta_generic_to_shared(const void* p) {
  return (size_t)(__attribute__((address_space(3))) const void*)p;
}
WW_DEVICE void* __cvta_global_to_generic(size_t p) { return (void*)p; }
WW_DEVICE void* __cvta_shared_to_generic(size_t p) {
  return (void*)(__attribute__((address_space(3))) void*)(unsigned)p;
}

template <class T, class V>
WW_DEVICE T atomicAdd_block(T* p, V v) {
  return atomicAdd(p, (T)v);
}
template <class T, class V>
WW_DEVICE T atomicSub_block(T* p, V v) {
  return atomicSub(p, (T)v);
}
template <class T, class V>
WW_DEVICE T atomicExch_block(T* p, V v) {
  return atomicExch(p, (T)v);
}
template <class T, class V>
WW_DEVICE T atomicMin_block(T* p, V v) {
  return atomicMin(p, (T)v);
}
template <class T, class V>
WW_DEVICE T atomicMax_block(T* p, V v) {
  return atomicMax(p, (T)v);
}
template <class T, class V>
WW_DEVICE T atomicAnd_block(T* p, V v) {
  return atomicAnd(p, (T)v);
}
template <class T, class V>
WW_DEVICE T atomicOr_block(T* p, V v) {
  return atomicOr(p, (T)v);
}
template <class T, class V>
WW_DEVICE T atomicXor_block(T* p, V v) {
  return atomicXor(p, (T)v);
}
template <class T, class V>
WW_DEVICE T atomicInc_block(T* p, V v) {
  return atomicInc(p, (T)v);
}
template <class T, class V>
WW_DEVICE T atomicInc_system(T* p, V v) {
  return atomicInc(p, (T)v);
}
template <class T, class V>
WW_DEVICE T atomicDec_block(T* p, V v) {
  return atomicDec(p, (T)v);
}
template <class T, class V>
WW_DEVICE T atomicDec_system(T* p, V v) {
  return atomicDec(p, (T)v);
}
template <class T>
WW_DEVICE T atomicCAS_block(T* p, T expected, T v) {
  return atomicCAS(p, expected, v);
}

#endif
