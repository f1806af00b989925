// SPDX-License-Identifier: Apache-2.0
// What a program that was carried over from PTX needs beside warpwright_hip.h: parameters and
// memory as bytes, and what PTX computes otherwise than C++. `warpwright port FILE.ptx` writes this
// file; docs/port.md describes it.
#ifndef WARPWRIGHT_HIP_PTX_H
#define WARPWRIGHT_HIP_PTX_H

#include "warpwright_hip.h"

#ifdef __HIPCC__

#define WW_SHARED __attribute__((address_space(3)))
#define WW_GLOBAL __attribute__((address_space(1)))

// ---- parameters and memory are bytes that are read as any type
template <unsigned kSize, unsigned kAlign>
struct alignas(kAlign) ww_bytes {
  unsigned char bytes[kSize];
};
template <class T>
struct ww_aliased {
  typedef T __attribute__((__may_alias__)) type;
};
template <class T>
WW_DEVICE T ww_get(const void* from, long long offset) {
  T value;
  __builtin_memcpy(&value, (const char*)from + offset, sizeof(T));
  return value;
}
template <class T>
WW_DEVICE void ww_put(void* to, long long offset, T value) {
  __builtin_memcpy((char*)to + offset, &value, sizeof(T));
}
template <class T>
WW_DEVICE T ww_load(unsigned long long at) {
  return *(const typename ww_aliased<T>::type*)at;
}
template <class T>
WW_DEVICE void ww_store(unsigned long long at, T value) {
  *(typename ww_aliased<T>::type*)at = value;
}
template <class T>
WW_DEVICE T ww_load_volatile(unsigned long long at) {
  return *(const volatile typename ww_aliased<T>::type*)at;
}
template <class T>
WW_DEVICE void ww_store_volatile(unsigned long long at, T value) {
  *(volatile typename ww_aliased<T>::type*)at = value;
}
// Addresses within shared memory are numbers of their own.
WW_DEVICE unsigned long long ww_shared_to_generic(unsigned long long at) {
  return (unsigned long long)(char*)(WW_SHARED char*)(__SIZE_TYPE__)at;
}
WW_DEVICE unsigned long long ww_generic_to_shared(const void* at) {
  return (unsigned long long)(WW_SHARED char*)at;
}
template <class T>
WW_DEVICE T ww_load_shared(unsigned long long at) {
  return *(const WW_SHARED typename ww_aliased<T>::type*)(__SIZE_TYPE__)at;
}
template <class T>
WW_DEVICE void ww_store_shared(unsigned long long at, T value) {
  *(WW_SHARED typename ww_aliased<T>::type*)(__SIZE_TYPE__)at = value;
}
template <class T>
WW_DEVICE T ww_load_shared_volatile(unsigned long long at) {
  return *(const volatile WW_SHARED typename ww_aliased<T>::type*)(__SIZE_TYPE__)at;
}
template <class T>
WW_DEVICE void ww_store_shared_volatile(unsigned long long at, T value) {
  *(volatile WW_SHARED typename ww_aliased<T>::type*)(__SIZE_TYPE__)at = value;
}

// ---- numbers
WW_DEVICE float ww_flushed(float a) {
  return __builtin_fabsf(a) < 1.17549435e-38f ? __builtin_copysignf(0.0f, a) : a;
}
WW_DEVICE double ww_flushed(double a) { return a; }
template <class T>
WW_DEVICE T ww_saturated(T a) {
  return a > T(0) ? (a < T(1) ? a : T(1)) : T(0);
}
WW_DEVICE float ww_real_min(float a, float b) { return fminf(a, b); }
WW_DEVICE double ww_real_min(double a, double b) { return fmin(a, b); }
WW_DEVICE float ww_real_max(float a, float b) { return fmaxf(a, b); }
WW_DEVICE double ww_real_max(double a, double b) { return fmax(a, b); }
WW_DEVICE float ww_real_abs(float a) { return __builtin_fabsf(a); }
WW_DEVICE double ww_real_abs(double a) { return __builtin_fabs(a); }
WW_DEVICE float ww_rint(float a) { return rintf(a); }
WW_DEVICE double ww_rint(double a) { return rint(a); }
WW_DEVICE float ww_trunc(float a) { return truncf(a); }
WW_DEVICE double ww_trunc(double a) { return trunc(a); }
WW_DEVICE float ww_floor(float a) { return floorf(a); }
WW_DEVICE double ww_floor(double a) { return floor(a); }
WW_DEVICE float ww_ceil(float a) { return ceilf(a); }
WW_DEVICE double ww_ceil(double a) { return ceil(a); }
template <class To, class From>
WW_DEVICE To ww_clamped(From a, From least, From most) {
  return (To)(a < least ? least : a > most ? most : a);
}
WW_DEVICE unsigned short ww_mul_hi(unsigned short a, unsigned short b) {
  return (unsigned short)((unsigned)a * b >> 16);
}
WW_DEVICE short ww_mul_hi(short a, short b) { return (short)((int)a * b >> 16); }
template <class T>
WW_DEVICE T ww_int_abs(T a) {
  return a < 0 ? (T)(0 - a) : a;
}
// The carry of an extended addition or subtraction is kept by the caller.
template <class T>
WW_DEVICE T ww_add_carry(T a, T b, bool in, bool& out) {
  const T part = (T)(a + b), sum = (T)(part + (in ? 1 : 0));
  out = part < a || sum < part;
  return sum;
}
template <class T>
WW_DEVICE T ww_sub_borrow(T a, T b, bool in, bool& out) {
  const T part = (T)(a - b), difference = (T)(part - (in ? 1 : 0));
  out = a < b || (in && part == 0);
  return difference;
}

// ---- approximations: each device has its own
#if defined(__NVPTX__)
#define WW_APPROXIMATION(name, instruction)                  \
  WW_DEVICE float name(float a) {                            \
    float result;                                            \
    asm(instruction ".f32 %0, %1;" : "=f"(result) : "f"(a)); \
    return result;                                           \
  }
WW_APPROXIMATION(ww_approx_rcp, "rcp.approx")
WW_APPROXIMATION(ww_approx_sqrt, "sqrt.approx")
WW_APPROXIMATION(ww_approx_rsqrt, "rsqrt.approx")
WW_APPROXIMATION(ww_approx_sin, "sin.approx")
WW_APPROXIMATION(ww_approx_cos, "cos.approx")
WW_APPROXIMATION(ww_approx_ex2, "ex2.approx")
WW_APPROXIMATION(ww_approx_lg2, "lg2.approx")
WW_APPROXIMATION(ww_approx_tanh, "tanh.approx")
WW_DEVICE float ww_approx_div(float a, float b) {
  float result;
  asm("div.approx.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}
WW_DEVICE double ww_approx_rsqrt(double a) {
  double result;
  asm("rsqrt.approx.f64 %0, %1;" : "=d"(result) : "d"(a));
  return result;
}
WW_DEVICE double ww_approx_rcp(double a) {
  double result;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(result) : "d"(a));
  return result;
}
#else
WW_DEVICE float ww_approx_rcp(float a) { return 1.0f / a; }
WW_DEVICE float ww_approx_sqrt(float a) { return sqrtf(a); }
WW_DEVICE float ww_approx_rsqrt(float a) { return rsqrtf(a); }
WW_DEVICE float ww_approx_sin(float a) { return __sinf(a); }
WW_DEVICE float ww_approx_cos(float a) { return __cosf(a); }
WW_DEVICE float ww_approx_ex2(float a) { return exp2f(a); }
WW_DEVICE float ww_approx_lg2(float a) { return __log2f(a); }
WW_DEVICE float ww_approx_tanh(float a) { return tanhf(a); }
WW_DEVICE float ww_approx_div(float a, float b) { return a / b; }
WW_DEVICE double ww_approx_rsqrt(double a) { return rsqrt(a); }
WW_DEVICE double ww_approx_rcp(double a) { return 1.0 / a; }
#endif

// ---- half precision, as bits
WW_DEVICE float ww_from_half(unsigned short bits) { return (float)ww_get<_Float16>(&bits, 0); }
WW_DEVICE unsigned short ww_to_half(float value) {
  const _Float16 half = (_Float16)value;
  return ww_get<unsigned short>(&half, 0);
}

// ---- shuffles with PTX's operands: c holds the last lane of a segment and the segment's mask
WW_DEVICE unsigned ww_shuffled(unsigned value, bool inside, unsigned from, unsigned mask,
                               bool& valid) {
  valid = inside;
  return ww_shfl_sync(mask, value, (int)(inside ? from : ww_lane_id()));
}
WW_DEVICE unsigned ww_shfl_last(unsigned c) {
  const unsigned segment = c >> 8 & 31u;
  return (ww_lane_id() & segment) | (c & 31u & ~segment);
}
WW_DEVICE unsigned ww_ptx_shfl_idx(unsigned value, unsigned b, unsigned c, unsigned mask,
                                   bool& valid) {
  const unsigned segment = c >> 8 & 31u;
  const unsigned from = (ww_lane_id() & segment) | (b & 31u & ~segment);
  return ww_shuffled(value, from <= ww_shfl_last(c), from, mask, valid);
}
WW_DEVICE unsigned ww_ptx_shfl_up(unsigned value, unsigned b, unsigned c, unsigned mask,
                                  bool& valid) {
  const int from = (int)ww_lane_id() - (int)(b & 31u);
  return ww_shuffled(value, from >= (int)ww_shfl_last(c), (unsigned)from, mask, valid);
}
WW_DEVICE unsigned ww_ptx_shfl_down(unsigned value, unsigned b, unsigned c, unsigned mask,
                                    bool& valid) {
  const unsigned from = ww_lane_id() + (b & 31u);
  return ww_shuffled(value, from <= ww_shfl_last(c), from, mask, valid);
}
WW_DEVICE unsigned ww_ptx_shfl_bfly(unsigned value, unsigned b, unsigned c, unsigned mask,
                                    bool& valid) {
  const unsigned from = ww_lane_id() ^ (b & 31u);
  return ww_shuffled(value, from <= ww_shfl_last(c), from, mask, valid);
}

#endif  // __HIPCC__

#endif
