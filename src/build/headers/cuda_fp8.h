// SPDX-License-Identifier: Apache-2.0
// The 8-bit floating-point types: e4m3 (no infinities) and e5m2. Conversions round to nearest even,
// and are computed in binary32 on both sides.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#define __WW_FP8 static inline __host__ __device__

__WW_FP8 unsigned __ww_float_bits(float x) {
  unsigned bits;
  __builtin_memcpy(&bits, &x, 4);
  return bits;
}
__WW_FP8 float __ww_float_of(unsigned bits) {
  float x;
  __builtin_memcpy(&x, &bits, 4);
  return x;
}

// A number of `fraction` bits behind the point whose exponent field is biased by `bias`.
__WW_FP8 __nv_fp8_storage_t __ww_fp8_of(float x, __nv_saturation_t saturate, int fraction, int bias,
                                        unsigned largest, unsigned infinity, unsigned nan) {
  const unsigned bits = __ww_float_bits(x), sign = bits >> 24 & 0x80u;
  unsigned magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)
    return (__nv_fp8_storage_t)(nan == 0x7fu && infinity == nan ? nan : sign | nan);
  const int exponent = (int)(magnitude >> 23) - 127;
  const int least = 1 - bias;
  unsigned result;
  if (exponent < least - fraction - 1) {
    result = 0;
  } else {
    const unsigned whole = (magnitude & 0x7fffffu) | (magnitude >> 23 != 0 ? 0x800000u : 0);
    const int below = exponent < least ? least - exponent : 0;
    const int dropped = 23 - fraction + below;
    const unsigned kept = dropped > 31 ? 0 : whole >> dropped;
    const unsigned rest = dropped > 31 ? whole : whole & ((1u << dropped) - 1);
    const unsigned half = dropped > 31 ? 0xffffffffu : 1u << (dropped - 1);
    const unsigned up = rest > half || (rest == half && (kept & 1u) != 0) ? 1u : 0u;
    const unsigned field = below != 0 ? 0u : (unsigned)(exponent + bias - 1) << fraction;
    result = field + kept + up;
  }
  if (magnitude == 0x7f800000u || result > largest)
    result = saturate == __NV_SATFINITE ? largest : infinity;
  return (__nv_fp8_storage_t)(sign | result);
}

__WW_FP8 float __ww_float_of_fp8(unsigned bits, int fraction, int bias, unsigned infinity,
                                 unsigned nan) {
  const unsigned magnitude = bits & 0x7fu;
  const float sign = (bits & 0x80u) != 0 ? -1.0f : 1.0f;
  if (magnitude >= nan) return __ww_float_of(0x7fffffffu);
  if (magnitude == infinity) return sign * __ww_float_of(0x7f800000u);
  const unsigned field = magnitude >> fraction, low = magnitude & ((1u << fraction) - 1);
  const float step = __ww_float_of((unsigned)(127 + 1 - bias - fraction) << 23);
  if (field == 0) return sign * (float)low * step;
  const float scale = __ww_float_of((field - 1 + (unsigned)(127 + 1 - bias - fraction)) << 23);
  return sign * (float)(low | 1u << fraction) * scale;
}

__WW_FP8 __nv_fp8_storage_t __nv_cvt_float_to_fp8(const float x, const __nv_saturation_t saturate,
                                                  const __nv_fp8_interpretation_t kind) {
  return kind == __NV_E4M3 ? __ww_fp8_of(x, saturate, 3, 7, 0x7eu, 0x7fu, 0x7fu)
                           : __ww_fp8_of(x, saturate, 2, 15, 0x7bu, 0x7cu, 0x7fu);
}
__WW_FP8 float __ww_fp8_to_float(__nv_fp8_storage_t bits, __nv_fp8_interpretation_t kind) {
  return kind == __NV_E4M3 ? __ww_float_of_fp8(bits, 3, 7, 0xffu, 0x7fu)
                           : __ww_float_of_fp8(bits, 2, 15, 0x7cu, 0x7du);
}
__WW_FP8 __nv_fp8_storage_t __nv_cvt_double_to_fp8(const double x, const __nv_saturation_t saturate,
                                                   const __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8((float)x, saturate, kind);
}
__WW_FP8 __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(const float2 x,
                                                       const __nv_saturation_t saturate,
                                                       const __nv_fp8_interpretation_t kind) {
  return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(x.x, saturate, kind) |
                                (unsigned)__nv_cvt_float_to_fp8(x.y, saturate, kind) << 8);
}
__WW_FP8 __half_raw __nv_cvt_fp8_to_halfraw(const __nv_fp8_storage_t x,
                                            const __nv_fp8_interpretation_t kind) {
  return (__half_raw)__float2half(__ww_fp8_to_float(x, kind));
}
__WW_FP8 __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(const __half_raw x,
                                                    const __nv_saturation_t saturate,
                                                    const __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8(__half2float(__half(x)), saturate, kind);
}

__WW_FP8 __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(const __nv_bfloat16_raw x,
                                                        const __nv_saturation_t saturate,
                                                        const __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8(__bfloat162float(__nv_bfloat16(x)), saturate, kind);
}
__WW_FP8 __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(const double2 x,
                                                        const __nv_saturation_t saturate,
                                                        const __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float2_to_fp8x2(make_float2((float)x.x, (float)x.y), saturate, kind);
}

#define __WW_FP8_CLASS(NAME, KIND)                                                               \
  struct NAME {                                                                                  \
    __nv_fp8_storage_t __x;                                                                      \
    NAME() = default;                                                                            \
    __host__ __device__ explicit NAME(float x)                                                   \
        : __x(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, KIND)) {}                                 \
    __host__ __device__ explicit NAME(double x) : NAME((float)x) {}                              \
    __host__ __device__ explicit NAME(int x) : NAME((float)x) {}                                 \
    __host__ __device__ explicit NAME(unsigned x) : NAME((float)x) {}                            \
    __host__ __device__ explicit NAME(__half x) : NAME(__half2float(x)) {}                       \
    __host__ __device__ explicit NAME(__nv_bfloat16 x) : NAME(__bfloat162float(x)) {}            \
    __host__ __device__ explicit operator float() const { return __ww_fp8_to_float(__x, KIND); } \
    __host__ __device__ explicit operator double() const {                                       \
      return (double)__ww_fp8_to_float(__x, KIND);                                               \
    }                                                                                            \
    __host__ __device__ explicit operator int() const {                                          \
      return (int)__ww_fp8_to_float(__x, KIND);                                                  \
    }                                                                                            \
    __host__ __device__ explicit operator bool() const { return (__x & 0x7fu) != 0; }            \
    __host__ __device__ explicit operator __half() const {                                       \
      return __float2half(__ww_fp8_to_float(__x, KIND));                                         \
    }                                                                                            \
    __host__ __device__ explicit operator __nv_bfloat16() const {                                \
      return __float2bfloat16(__ww_fp8_to_float(__x, KIND));                                     \
    }                                                                                            \
  };
__WW_FP8_CLASS(__nv_fp8_e4m3, __NV_E4M3)
__WW_FP8_CLASS(__nv_fp8_e5m2, __NV_E5M2)
#undef __WW_FP8_CLASS

#define __WW_FP8_PAIR(NAME, KIND)                                                        \
  struct NAME {                                                                          \
    __nv_fp8x2_storage_t __x;                                                            \
    NAME() = default;                                                                    \
    __host__ __device__ explicit NAME(float2 v)                                          \
        : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, KIND)) {}                      \
    __host__ __device__ explicit NAME(__half2 v) : NAME(__half22float2(v)) {}            \
    __host__ __device__ explicit NAME(__nv_bfloat162 v) : NAME(__bfloat1622float2(v)) {} \
    __host__ __device__ explicit operator float2() const {                               \
      return make_float2(__ww_fp8_to_float((__nv_fp8_storage_t)(__x & 255u), KIND),      \
                         __ww_fp8_to_float((__nv_fp8_storage_t)(__x >> 8), KIND));       \
    }                                                                                    \
  };
__WW_FP8_PAIR(__nv_fp8x2_e4m3, __NV_E4M3)
__WW_FP8_PAIR(__nv_fp8x2_e5m2, __NV_E5M2)
#undef __WW_FP8_PAIR

#define __WW_FP8_FOUR(NAME, KIND)                                                                \
  struct NAME {                                                                                  \
    __nv_fp8x4_storage_t __x;                                                                    \
    NAME() = default;                                                                            \
    __host__ __device__ explicit NAME(float4 v)                                                  \
        : __x(__nv_cvt_float2_to_fp8x2(make_float2(v.x, v.y), __NV_SATFINITE, KIND) |            \
              (unsigned)__nv_cvt_float2_to_fp8x2(make_float2(v.z, v.w), __NV_SATFINITE, KIND)    \
                  << 16) {}                                                                      \
    __host__ __device__ explicit NAME(__half2 low, __half2 high)                                 \
        : NAME(make_float4(__half22float2(low).x, __half22float2(low).y, __half22float2(high).x, \
                           __half22float2(high).y)) {}                                           \
    __host__ __device__ explicit NAME(__nv_bfloat162 low, __nv_bfloat162 high)                   \
        : NAME(make_float4(__bfloat1622float2(low).x, __bfloat1622float2(low).y,                 \
                           __bfloat1622float2(high).x, __bfloat1622float2(high).y)) {}           \
    __host__ __device__ explicit operator float4() const {                                       \
      return make_float4(__ww_fp8_to_float((__nv_fp8_storage_t)(__x & 255u), KIND),              \
                         __ww_fp8_to_float((__nv_fp8_storage_t)(__x >> 8 & 255u), KIND),         \
                         __ww_fp8_to_float((__nv_fp8_storage_t)(__x >> 16 & 255u), KIND),        \
                         __ww_fp8_to_float((__nv_fp8_storage_t)(__x >> 24), KIND));              \
    }                                                                                            \
  };
__WW_FP8_FOUR(__nv_fp8x4_e4m3, __NV_E4M3)
__WW_FP8_FOUR(__nv_fp8x4_e5m2, __NV_E5M2)
#undef __WW_FP8_FOUR
#undef __WW_FP8
