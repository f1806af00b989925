// SPDX-License-Identifier: Apache-2.0
// What half and bfloat16 share: arithmetic, comparisons, functions and the pair forms, written once
// over the compiler's own 16-bit types on the device and over float on the host.
#pragma once

#include "cuda_runtime.h"

// What is inlined from here counts as the line of the call.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

#if defined(__CUDA__)
#define __WW_HD static inline __host__ __device__
#define __WW_D static inline __device__
#else
#define __WW_HD static inline
#define __WW_D static inline
#endif

/// T: the class, T2: its pair, NATIVE: the compiler's type (device side only).
#if defined(__CUDA_ARCH__)
#define __WW_BINARY(T, NATIVE, OP) \
  T::__ww_from(__builtin_bit_cast(NATIVE, a.__x) OP __builtin_bit_cast(NATIVE, b.__x))
#define __WW_FMA(T, NATIVE)                                                 \
  T::__ww_from(__builtin_elementwise_fma(__builtin_bit_cast(NATIVE, a.__x), \
                                         __builtin_bit_cast(NATIVE, b.__x), \
                                         __builtin_bit_cast(NATIVE, c.__x)))
#else
#define __WW_BINARY(T, NATIVE, OP) T((float)a OP(float) b)
#define __WW_FMA(T, NATIVE) T(__builtin_fmaf((float)a, (float)b, (float)c))
#endif

#define __WW_HALF_ARITHMETIC(T, NATIVE)                                                     \
  __WW_HD T operator+(const T& a, const T& b) { return __WW_BINARY(T, NATIVE, +); }         \
  __WW_HD T operator-(const T& a, const T& b) { return __WW_BINARY(T, NATIVE, -); }         \
  __WW_HD T operator*(const T& a, const T& b) { return __WW_BINARY(T, NATIVE, *); }         \
  __WW_HD T operator/(const T& a, const T& b) { return T((float)a / (float)b); }            \
  __WW_HD T& operator+=(T& a, const T& b) { return a = a + b; }                             \
  __WW_HD T& operator-=(T& a, const T& b) { return a = a - b; }                             \
  __WW_HD T& operator*=(T& a, const T& b) { return a = a * b; }                             \
  __WW_HD T& operator/=(T& a, const T& b) { return a = a / b; }                             \
  __WW_HD T operator+(const T& a) { return a; }                                             \
  __WW_HD T operator-(const T& a) {                                                         \
    T r;                                                                                    \
    r.__x = (unsigned short)(a.__x ^ 0x8000);                                               \
    return r;                                                                               \
  }                                                                                         \
  __WW_HD T& operator++(T& a) { return a += T(1.0f); }                                      \
  __WW_HD T& operator--(T& a) { return a -= T(1.0f); }                                      \
  __WW_HD bool operator==(const T& a, const T& b) { return (float)a == (float)b; }          \
  __WW_HD bool operator!=(const T& a, const T& b) { return (float)a != (float)b; }          \
  __WW_HD bool operator<(const T& a, const T& b) { return (float)a < (float)b; }            \
  __WW_HD bool operator<=(const T& a, const T& b) { return (float)a <= (float)b; }          \
  __WW_HD bool operator>(const T& a, const T& b) { return (float)a > (float)b; }            \
  __WW_HD bool operator>=(const T& a, const T& b) { return (float)a >= (float)b; }          \
  __WW_HD T __hadd(const T a, const T b) { return a + b; }                                  \
  __WW_HD T __hsub(const T a, const T b) { return a - b; }                                  \
  __WW_HD T __hmul(const T a, const T b) { return a * b; }                                  \
  __WW_HD T __hdiv(const T a, const T b) { return a / b; }                                  \
  __WW_HD T __hadd_rn(const T a, const T b) { return T((float)a + (float)b); }              \
  __WW_HD T __hmul_rn(const T a, const T b) { return T((float)a * (float)b); }              \
  __WW_HD T __hneg(const T a) { return -a; }                                                \
  __WW_HD T __habs(const T a) {                                                             \
    T r;                                                                                    \
    r.__x = (unsigned short)(a.__x & 0x7FFF);                                               \
    return r;                                                                               \
  }                                                                                         \
  __WW_HD T __hfma(const T a, const T b, const T c) { return __WW_FMA(T, NATIVE); }         \
  __WW_HD T __hmax(const T a, const T b) { return T(__builtin_fmaxf((float)a, (float)b)); } \
  __WW_HD T __hmin(const T a, const T b) { return T(__builtin_fminf((float)a, (float)b)); } \
  __WW_HD T __hfma_relu(const T a, const T b, const T c) {                                  \
    const T r = __hfma(a, b, c);                                                            \
    const float f = (float)r;                                                               \
    T nan;                                                                                  \
    nan.__x = 0x7FFF;                                                                       \
    return f > 0.0f ? r : f != f ? nan : T(0.0f);                                           \
  }                                                                                         \
  __WW_HD bool __heq(const T a, const T b) { return a == b; }                               \
  __WW_HD bool __hne(const T a, const T b) { return a < b || a > b; }                       \
  __WW_HD bool __hneu(const T a, const T b) { return a != b; }                              \
  __WW_HD bool __hlt(const T a, const T b) { return a < b; }                                \
  __WW_HD bool __hle(const T a, const T b) { return a <= b; }                               \
  __WW_HD bool __hgt(const T a, const T b) { return a > b; }                                \
  __WW_HD bool __hge(const T a, const T b) { return a >= b; }                               \
  __WW_HD bool __hisnan(const T a) { return (float)a != (float)a; }                         \
  __WW_HD int __hisinf(const T a) {                                                         \
    const float f = (float)a;                                                               \
    return f == __builtin_inff() ? 1 : f == -__builtin_inff() ? -1 : 0;                     \
  }

/// Loads and stores with cache hints, as the integer of the same size.
#define __WW_HINTED_LOAD(T, SAME, NAME)                                   \
  __WW_D T NAME(const T* p) {                                             \
    return __builtin_bit_cast(T, NAME(reinterpret_cast<const SAME*>(p))); \
  }
#define __WW_HINTED_STORE(T, SAME, NAME) \
  __WW_D void NAME(T* p, T v) { NAME(reinterpret_cast<SAME*>(p), __builtin_bit_cast(SAME, v)); }
#define __WW_HINTED(T, SAME)         \
  __WW_HINTED_LOAD(T, SAME, __ldcg)  \
  __WW_HINTED_LOAD(T, SAME, __ldca)  \
  __WW_HINTED_LOAD(T, SAME, __ldcs)  \
  __WW_HINTED_LOAD(T, SAME, __ldlu)  \
  __WW_HINTED_LOAD(T, SAME, __ldcv)  \
  __WW_HINTED_STORE(T, SAME, __stwb) \
  __WW_HINTED_STORE(T, SAME, __stcg) \
  __WW_HINTED_STORE(T, SAME, __stcs) \
  __WW_HINTED_STORE(T, SAME, __stwt)

#define __WW_HALF_FUNCTIONS(T)                                          \
  __WW_D T hsqrt(const T a) { return T(sqrtf((float)a)); }              \
  __WW_D T hrsqrt(const T a) { return T(rsqrtf((float)a)); }            \
  __WW_D T hrcp(const T a) { return T(1.0f / (float)a); }               \
  __WW_D T hexp(const T a) { return T(__expf((float)a)); }              \
  __WW_D T hexp2(const T a) { return T(exp2f((float)a)); }              \
  __WW_D T hlog(const T a) { return T(__logf((float)a)); }              \
  __WW_D T hlog2(const T a) { return T(__log2f((float)a)); }            \
  __WW_D T hlog10(const T a) { return T(__log10f((float)a)); }          \
  __WW_D T hsin(const T a) { return T(sinf((float)a)); }                \
  __WW_D T hcos(const T a) { return T(cosf((float)a)); }                \
  __WW_D T htanh(const T a) { return T(tanhf((float)a)); }              \
  __WW_D T hceil(const T a) { return T(ceilf((float)a)); }              \
  __WW_D T hfloor(const T a) { return T(floorf((float)a)); }            \
  __WW_D T htrunc(const T a) { return T(truncf((float)a)); }            \
  __WW_D T hrint(const T a) { return T(rintf((float)a)); }              \
  __WW_D T __ldg(const T* p) {                                          \
    T r;                                                                \
    r.__x = __ldg(reinterpret_cast<const unsigned short*>(p));          \
    return r;                                                           \
  }                                                                     \
  __WW_HINTED(T, unsigned short)                                        \
  __WW_D T __shfl_sync(unsigned m, T v, int l, int w = 32) {            \
    v.__x = (unsigned short)__shfl_sync(m, (unsigned)v.__x, l, w);      \
    return v;                                                           \
  }                                                                     \
  __WW_D T __shfl_up_sync(unsigned m, T v, unsigned d, int w = 32) {    \
    v.__x = (unsigned short)__shfl_up_sync(m, (unsigned)v.__x, d, w);   \
    return v;                                                           \
  }                                                                     \
  __WW_D T __shfl_down_sync(unsigned m, T v, unsigned d, int w = 32) {  \
    v.__x = (unsigned short)__shfl_down_sync(m, (unsigned)v.__x, d, w); \
    return v;                                                           \
  }                                                                     \
  __WW_D T __shfl_xor_sync(unsigned m, T v, int l, int w = 32) {        \
    v.__x = (unsigned short)__shfl_xor_sync(m, (unsigned)v.__x, l, w);  \
    return v;                                                           \
  }

/// Pairs: one instruction per operation where the device has it.
#if defined(__CUDA_ARCH__)
#define __WW_PAIR(T2, PAIR, OP) \
  __builtin_bit_cast(T2, (PAIR)(__builtin_bit_cast(PAIR, a) OP __builtin_bit_cast(PAIR, b)))
#define __WW_PAIR_FMA(T2, PAIR)                                                       \
  __builtin_bit_cast(T2, (PAIR)__builtin_elementwise_fma(__builtin_bit_cast(PAIR, a), \
                                                         __builtin_bit_cast(PAIR, b), \
                                                         __builtin_bit_cast(PAIR, c)))
#else
#define __WW_PAIR(T2, PAIR, OP) T2(a.x OP b.x, a.y OP b.y)
#define __WW_PAIR_FMA(T2, PAIR) T2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y))
#endif
#define __WW_EACH(T2, FUNCTION) T2(FUNCTION(a.x), FUNCTION(a.y))

#define __WW_PAIR_ARITHMETIC(T, T2, PAIR)                                                       \
  __WW_HD T2 operator+(const T2& a, const T2& b) { return __WW_PAIR(T2, PAIR, +); }             \
  __WW_HD T2 operator-(const T2& a, const T2& b) { return __WW_PAIR(T2, PAIR, -); }             \
  __WW_HD T2 operator*(const T2& a, const T2& b) { return __WW_PAIR(T2, PAIR, *); }             \
  __WW_HD T2 operator/(const T2& a, const T2& b) { return T2(a.x / b.x, a.y / b.y); }           \
  __WW_HD T2& operator+=(T2& a, const T2& b) { return a = a + b; }                              \
  __WW_HD T2& operator-=(T2& a, const T2& b) { return a = a - b; }                              \
  __WW_HD T2& operator*=(T2& a, const T2& b) { return a = a * b; }                              \
  __WW_HD T2& operator/=(T2& a, const T2& b) { return a = a / b; }                              \
  __WW_HD T2 operator-(const T2& a) { return T2(-a.x, -a.y); }                                  \
  __WW_HD bool operator==(const T2& a, const T2& b) { return a.x == b.x && a.y == b.y; }        \
  __WW_HD T2 __hadd2(const T2 a, const T2 b) { return a + b; }                                  \
  __WW_HD T2 __hsub2(const T2 a, const T2 b) { return a - b; }                                  \
  __WW_HD T2 __hmul2(const T2 a, const T2 b) { return a * b; }                                  \
  __WW_HD T2 __h2div(const T2 a, const T2 b) { return a / b; }                                  \
  __WW_HD T2 __hfma2(const T2 a, const T2 b, const T2 c) { return __WW_PAIR_FMA(T2, PAIR); }    \
  __WW_HD T2 __hneg2(const T2 a) { return -a; }                                                 \
  __WW_HD T2 __habs2(const T2 a) { return __WW_EACH(T2, __habs); }                              \
  __WW_HD T2 __hmax2(const T2 a, const T2 b) { return T2(__hmax(a.x, b.x), __hmax(a.y, b.y)); } \
  __WW_HD T2 __hmin2(const T2 a, const T2 b) { return T2(__hmin(a.x, b.x), __hmin(a.y, b.y)); } \
  __WW_HD T2 __heq2(const T2 a, const T2 b) { return T2(T(a.x == b.x), T(a.y == b.y)); }        \
  __WW_HD T2 __hlt2(const T2 a, const T2 b) { return T2(T(a.x < b.x), T(a.y < b.y)); }          \
  __WW_HD T2 __hgt2(const T2 a, const T2 b) { return T2(T(a.x > b.x), T(a.y > b.y)); }          \
  __WW_HD bool __hbeq2(const T2 a, const T2 b) { return a == b; }                               \
  __WW_HD bool __hblt2(const T2 a, const T2 b) { return a.x < b.x && a.y < b.y; }               \
  __WW_HD bool __hbgt2(const T2 a, const T2 b) { return a.x > b.x && a.y > b.y; }               \
  __WW_HD float __low2float(const T2 a) { return (float)a.x; }                                  \
  __WW_HD float __high2float(const T2 a) { return (float)a.y; }

#define __WW_PAIR_FUNCTIONS(T, T2)                                                  \
  __WW_D T2 h2sqrt(const T2 a) { return __WW_EACH(T2, hsqrt); }                     \
  __WW_D T2 h2rsqrt(const T2 a) { return __WW_EACH(T2, hrsqrt); }                   \
  __WW_D T2 h2rcp(const T2 a) { return __WW_EACH(T2, hrcp); }                       \
  __WW_D T2 h2exp(const T2 a) { return __WW_EACH(T2, hexp); }                       \
  __WW_D T2 h2exp2(const T2 a) { return __WW_EACH(T2, hexp2); }                     \
  __WW_D T2 h2log(const T2 a) { return __WW_EACH(T2, hlog); }                       \
  __WW_D T2 h2log2(const T2 a) { return __WW_EACH(T2, hlog2); }                     \
  __WW_D T2 h2sin(const T2 a) { return __WW_EACH(T2, hsin); }                       \
  __WW_D T2 h2cos(const T2 a) { return __WW_EACH(T2, hcos); }                       \
  __WW_D T2 h2tanh(const T2 a) { return __WW_EACH(T2, htanh); }                     \
  __WW_D unsigned __ww_bits(const T2 a) { return __builtin_bit_cast(unsigned, a); } \
  __WW_D T2 __ldg(const T2* p) {                                                    \
    return __builtin_bit_cast(T2, __ldg(reinterpret_cast<const unsigned*>(p)));     \
  }                                                                                 \
  __WW_HINTED(T2, unsigned)                                                         \
  __WW_D T2 __shfl_sync(unsigned m, T2 v, int l, int w = 32) {                      \
    return __builtin_bit_cast(T2, __shfl_sync(m, __ww_bits(v), l, w));              \
  }                                                                                 \
  __WW_D T2 __shfl_up_sync(unsigned m, T2 v, unsigned d, int w = 32) {              \
    return __builtin_bit_cast(T2, __shfl_up_sync(m, __ww_bits(v), d, w));           \
  }                                                                                 \
  __WW_D T2 __shfl_down_sync(unsigned m, T2 v, unsigned d, int w = 32) {            \
    return __builtin_bit_cast(T2, __shfl_down_sync(m, __ww_bits(v), d, w));         \
  }                                                                                 \
  __WW_D T2 __shfl_xor_sync(unsigned m, T2 v, int l, int w = 32) {                  \
    return __builtin_bit_cast(T2, __shfl_xor_sync(m, __ww_bits(v), l, w));          \
  }

/// The class itself: 16 bits, conversions from and to the arithmetic types.
#define __WW_HALF_CLASS(T, RAW, NATIVE)                                                \
  struct RAW {                                                                         \
    unsigned short x;                                                                  \
  };                                                                                   \
  struct __align__(2) T {                                                              \
    unsigned short __x;                                                                \
    T() = default;                                                                     \
    __host__ __device__ constexpr T(RAW raw) : __x(raw.x) {}                           \
    __host__ __device__ T(float f) : __x(__ww_to_bits_##T(f)) {}                       \
    __host__ __device__ T(double f) : __x(__ww_to_bits_##T((float)f)) {}               \
    __host__ __device__ T(int i) : __x(__ww_to_bits_##T((float)i)) {}                  \
    __host__ __device__ T(unsigned i) : __x(__ww_to_bits_##T((float)i)) {}             \
    __host__ __device__ T(short i) : __x(__ww_to_bits_##T((float)i)) {}                \
    __host__ __device__ T(unsigned short i) : __x(__ww_to_bits_##T((float)i)) {}       \
    __host__ __device__ T(long long i) : __x(__ww_to_bits_##T((float)i)) {}            \
    __host__ __device__ T(unsigned long long i) : __x(__ww_to_bits_##T((float)i)) {}   \
    __host__ __device__ operator float() const { return __ww_from_bits_##T(__x); }     \
    __host__ __device__ explicit operator bool() const { return (__x & 0x7FFF) != 0; } \
    __host__ __device__ operator RAW() const { return RAW{__x}; }                      \
    __device__ static T __ww_from(NATIVE v) {                                          \
      T r;                                                                             \
      r.__x = __builtin_bit_cast(unsigned short, v);                                   \
      return r;                                                                        \
    }                                                                                  \
  };

#define __WW_PAIR_CLASS(T, T2, RAW, RAW2)                                     \
  struct __align__(4) RAW2 {                                                  \
    unsigned short x, y;                                                      \
  };                                                                          \
  struct __align__(4) T2 {                                                    \
    T x, y;                                                                   \
    T2() = default;                                                           \
    __host__ __device__ T2(const T& a, const T& b) : x(a), y(b) {}            \
    __host__ __device__ T2(const RAW2& raw) : x(RAW{raw.x}), y(RAW{raw.y}) {} \
    __host__ __device__ operator RAW2() const { return RAW2{x.__x, y.__x}; }  \
  };

#pragma clang attribute pop
