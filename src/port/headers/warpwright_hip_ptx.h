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
// Fields of 64 bits.
WW_DEVICE unsigned long long ww_bfe(unsigned long long a, unsigned long long from,
                                    unsigned long long count) {
  from &= 255u;
  count &= 255u;
  if (count == 0u || from > 63u) return 0u;
  return a >> from & (count > 63u ? ~0ull : (1ull << count) - 1u);
}
WW_DEVICE long long ww_bfe(long long a, long long from, long long count) {
  const unsigned at = (unsigned)from & 255u;
  const unsigned bits = (unsigned)count & 255u;
  if (bits == 0u) return 0;
  if (at > 63u) return a < 0 ? -1 : 0;
  const unsigned above = at + bits > 64u ? 0u : 64u - at - bits;
  return (long long)((unsigned long long)a << above) >> (above + at);
}
WW_DEVICE unsigned long long ww_bfi(unsigned long long a, unsigned long long b,
                                    unsigned long long from, unsigned long long count) {
  from &= 255u;
  count &= 255u;
  if (count == 0u || from > 63u) return b;
  const unsigned long long mask = (count > 63u ? ~0ull : (1ull << count) - 1u) << from;
  return (b & ~mask) | (a << from & mask);
}
WW_DEVICE unsigned ww_bfind(unsigned long long a) { return a == 0u ? ~0u : 63u - ww_clz(a); }
WW_DEVICE unsigned ww_bfind(long long a) { return ww_bfind((unsigned long long)(a < 0 ? ~a : a)); }

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

WW_DEVICE unsigned short ww_to_half(double value) {
  const _Float16 half = (_Float16)value;
  return ww_get<unsigned short>(&half, 0);
}
template <class T>
WW_DEVICE typename std::enable_if<std::is_integral<T>::value, unsigned short>::type ww_to_half(
    T value) {
  const _Float16 half = (_Float16)value;
  return ww_get<unsigned short>(&half, 0);
}
// A float rounds sums and products of halves to the same halves: it has more than twice the digits.
// Nothing is fused that PTX does not fuse.
WW_DEVICE unsigned short ww_half_add(unsigned short a, unsigned short b) {
#pragma clang fp contract(off)
  return ww_to_half(ww_from_half(a) + ww_from_half(b));
}
WW_DEVICE unsigned short ww_half_sub(unsigned short a, unsigned short b) {
#pragma clang fp contract(off)
  return ww_to_half(ww_from_half(a) - ww_from_half(b));
}
WW_DEVICE unsigned short ww_half_mul(unsigned short a, unsigned short b) {
#pragma clang fp contract(off)
  return ww_to_half(ww_from_half(a) * ww_from_half(b));
}
WW_DEVICE unsigned short ww_half_fma(unsigned short a, unsigned short b, unsigned short c) {
  const _Float16 result =
      __builtin_fmaf16(ww_get<_Float16>(&a, 0), ww_get<_Float16>(&b, 0), ww_get<_Float16>(&c, 0));
  return ww_get<unsigned short>(&result, 0);
}
WW_DEVICE unsigned short ww_half_min(unsigned short a, unsigned short b) {
  return ww_to_half(fminf(ww_from_half(a), ww_from_half(b)));
}
WW_DEVICE unsigned short ww_half_max(unsigned short a, unsigned short b) {
  return ww_to_half(fmaxf(ww_from_half(a), ww_from_half(b)));
}
WW_DEVICE unsigned short ww_half_neg(unsigned short a) { return (unsigned short)(a ^ 0x8000u); }
WW_DEVICE unsigned short ww_half_abs(unsigned short a) { return (unsigned short)(a & 0x7fffu); }
WW_DEVICE unsigned short ww_half_ex2(unsigned short a) {
  return ww_to_half(ww_approx_ex2(ww_from_half(a)));
}
WW_DEVICE unsigned short ww_half_tanh(unsigned short a) {
  return ww_to_half(ww_approx_tanh(ww_from_half(a)));
}
// Pairs of them in a word.
WW_DEVICE unsigned ww_pair(unsigned short upper, unsigned short lower) {
  return (unsigned)upper << 16 | lower;
}
#define WW_PAIR_OF_ONE(name)                                                                      \
  WW_DEVICE unsigned ww_pair_##name(unsigned a) {                                                 \
    return ww_pair(ww_half_##name((unsigned short)(a >> 16)), ww_half_##name((unsigned short)a)); \
  }
#define WW_PAIR_OF_TWO(name)                                                             \
  WW_DEVICE unsigned ww_pair_##name(unsigned a, unsigned b) {                            \
    return ww_pair(ww_half_##name((unsigned short)(a >> 16), (unsigned short)(b >> 16)), \
                   ww_half_##name((unsigned short)a, (unsigned short)b));                \
  }
WW_PAIR_OF_ONE(neg)
WW_PAIR_OF_ONE(abs)
WW_PAIR_OF_ONE(ex2)
WW_PAIR_OF_ONE(tanh)
WW_PAIR_OF_TWO(add)
WW_PAIR_OF_TWO(sub)
WW_PAIR_OF_TWO(mul)
WW_PAIR_OF_TWO(min)
WW_PAIR_OF_TWO(max)
WW_DEVICE unsigned ww_pair_fma(unsigned a, unsigned b, unsigned c) {
  return ww_pair(
      ww_half_fma((unsigned short)(a >> 16), (unsigned short)(b >> 16), (unsigned short)(c >> 16)),
      ww_half_fma((unsigned short)a, (unsigned short)b, (unsigned short)c));
}

// ---- assertions: addresses of the texts
WW_DEVICE void ww_assert_fail(unsigned long long message, unsigned long long file, unsigned line,
                              unsigned long long function, unsigned long long) {
  __assert_fail((const char*)message, (const char*)file, line, (const char*)function);
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
