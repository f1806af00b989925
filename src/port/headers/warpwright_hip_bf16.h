// SPDX-License-Identifier: Apache-2.0
// 16-bit numbers with an exponent of 8 bits, for a program that was carried over from CUDA.
#ifndef WARPWRIGHT_HIP_BF16_H
#define WARPWRIGHT_HIP_BF16_H

#include "warpwright_hip.h"
#include "warpwright_hip_fp16.h"

#ifdef __HIPCC__

struct __nv_bfloat16_raw {
  unsigned short x;
};

// To the nearest, ties to even.
WW_BOTH unsigned short ww_bf16_bits(float a) {
  unsigned bits;
  __builtin_memcpy(&bits, &a, 4);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fffu;
  return (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
WW_BOTH float ww_bf16_value(unsigned short x) {
  const unsigned bits = (unsigned)x << 16;
  float a;
  __builtin_memcpy(&a, &bits, 4);
  return a;
}

struct __nv_bfloat16 {
  unsigned short x;
  __nv_bfloat16() = default;
  __host__ __device__ __nv_bfloat16(float a) : x(ww_bf16_bits(a)) {}
  __host__ __device__ __nv_bfloat16(double a) : x(ww_bf16_bits((float)a)) {}
  __host__ __device__ __nv_bfloat16(int a) : x(ww_bf16_bits((float)a)) {}
  __host__ __device__ __nv_bfloat16(unsigned a) : x(ww_bf16_bits((float)a)) {}
  __host__ __device__ __nv_bfloat16(long long a) : x(ww_bf16_bits((float)a)) {}
  __host__ __device__ __nv_bfloat16(const __nv_bfloat16_raw& a) : x(a.x) {}
  __host__ __device__ operator float() const { return ww_bf16_value(x); }
  __host__ __device__ operator __nv_bfloat16_raw() const { return {x}; }
  __host__ __device__ explicit operator double() const { return (double)ww_bf16_value(x); }
  __host__ __device__ explicit operator int() const { return (int)ww_bf16_value(x); }
  __host__ __device__ explicit operator bool() const { return (x & 0x7fffu) != 0u; }
};
struct alignas(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __host__ __device__ __nv_bfloat162(const __nv_bfloat16& a, const __nv_bfloat16& b) : x(a), y(b) {}
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

WW_BOTH __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) {
  return __nv_bfloat16(__nv_bfloat16_raw{a});
}
WW_BOTH __nv_bfloat16 __short_as_bfloat16(short a) {
  return __ushort_as_bfloat16((unsigned short)a);
}
WW_BOTH unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.x; }
WW_BOTH short __bfloat16_as_short(__nv_bfloat16 a) { return (short)a.x; }
WW_BOTH __nv_bfloat16 __float2bfloat16(float a) { return __nv_bfloat16(a); }
WW_BOTH __nv_bfloat16 __float2bfloat16_rn(float a) { return __nv_bfloat16(a); }
WW_BOTH __nv_bfloat16 __float2bfloat16_rz(float a) {
  unsigned bits;
  __builtin_memcpy(&bits, &a, 4);
  return __ushort_as_bfloat16((unsigned short)(bits >> 16));
}
WW_BOTH __nv_bfloat16 __double2bfloat16(double a) { return __nv_bfloat16((float)a); }
WW_BOTH __nv_bfloat16 __int2bfloat16_rn(int a) { return __nv_bfloat16((float)a); }
WW_BOTH __nv_bfloat16 __uint2bfloat16_rn(unsigned a) { return __nv_bfloat16((float)a); }
WW_BOTH __nv_bfloat16 __short2bfloat16_rn(short a) { return __nv_bfloat16((float)a); }
WW_BOTH __nv_bfloat16 __ushort2bfloat16_rn(unsigned short a) { return __nv_bfloat16((float)a); }
WW_BOTH float __bfloat162float(__nv_bfloat16 a) { return (float)a; }
WW_BOTH int __bfloat162int_rz(__nv_bfloat16 a) { return (int)(float)a; }
WW_BOTH int __bfloat162int_rn(__nv_bfloat16 a) { return (int)rintf((float)a); }
WW_BOTH unsigned __bfloat162uint_rz(__nv_bfloat16 a) { return (unsigned)(float)a; }
WW_BOTH short __bfloat162short_rz(__nv_bfloat16 a) { return (short)(float)a; }
WW_BOTH __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return {a, a}; }
WW_BOTH __nv_bfloat162 __float2bfloat162_rn(float a) {
  return {__nv_bfloat16(a), __nv_bfloat16(a)};
}
WW_BOTH __nv_bfloat162 __floats2bfloat162_rn(float a, float b) {
  return {__nv_bfloat16(a), __nv_bfloat16(b)};
}
WW_BOTH __nv_bfloat162 __float22bfloat162_rn(float2 a) { return __floats2bfloat162_rn(a.x, a.y); }
WW_BOTH float2 __bfloat1622float2(__nv_bfloat162 a) { return make_float2((float)a.x, (float)a.y); }
WW_BOTH __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
WW_BOTH __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
WW_BOTH __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
WW_BOTH __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
WW_BOTH __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return {a.x, a.x}; }
WW_BOTH __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return {a.y, a.y}; }
WW_BOTH __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) { return {a.y, a.x}; }
WW_BOTH float __low2float(__nv_bfloat162 a) { return (float)a.x; }
WW_BOTH float __high2float(__nv_bfloat162 a) { return (float)a.y; }

// One by one, as a float.
template <class F>
WW_BOTH __nv_bfloat162 ww_bf16_pairs(__nv_bfloat162 a, __nv_bfloat162 b, F f) {
  return {__nv_bfloat16(f((float)a.x, (float)b.x)), __nv_bfloat16(f((float)a.y, (float)b.y))};
}

WW_BOTH __nv_bfloat16 operator+(const __nv_bfloat16& a, const __nv_bfloat16& b) {
  return __nv_bfloat16((float)a + (float)b);
}
WW_BOTH __nv_bfloat16& operator+=(__nv_bfloat16& a, const __nv_bfloat16& b) { return a = a + b; }
WW_BOTH __nv_bfloat162 operator+(const __nv_bfloat162& a, const __nv_bfloat162& b) {
  return {a.x + b.x, a.y + b.y};
}
WW_BOTH __nv_bfloat162& operator+=(__nv_bfloat162& a, const __nv_bfloat162& b) { return a = a + b; }
WW_BOTH __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) { return a + b; }
WW_BOTH __nv_bfloat16 __hadd_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return a + b; }
WW_BOTH __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b) { return a + b; }
WW_BOTH __nv_bfloat16 operator-(const __nv_bfloat16& a, const __nv_bfloat16& b) {
  return __nv_bfloat16((float)a - (float)b);
}
WW_BOTH __nv_bfloat16& operator-=(__nv_bfloat16& a, const __nv_bfloat16& b) { return a = a - b; }
WW_BOTH __nv_bfloat162 operator-(const __nv_bfloat162& a, const __nv_bfloat162& b) {
  return {a.x - b.x, a.y - b.y};
}
WW_BOTH __nv_bfloat162& operator-=(__nv_bfloat162& a, const __nv_bfloat162& b) { return a = a - b; }
WW_BOTH __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) { return a - b; }
WW_BOTH __nv_bfloat16 __hsub_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return a - b; }
WW_BOTH __nv_bfloat162 __hsub2(__nv_bfloat162 a, __nv_bfloat162 b) { return a - b; }
WW_BOTH __nv_bfloat16 operator*(const __nv_bfloat16& a, const __nv_bfloat16& b) {
  return __nv_bfloat16((float)a * (float)b);
}
WW_BOTH __nv_bfloat16& operator*=(__nv_bfloat16& a, const __nv_bfloat16& b) { return a = a * b; }
WW_BOTH __nv_bfloat162 operator*(const __nv_bfloat162& a, const __nv_bfloat162& b) {
  return {a.x * b.x, a.y * b.y};
}
WW_BOTH __nv_bfloat162& operator*=(__nv_bfloat162& a, const __nv_bfloat162& b) { return a = a * b; }
WW_BOTH __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) { return a * b; }
WW_BOTH __nv_bfloat16 __hmul_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return a * b; }
WW_BOTH __nv_bfloat162 __hmul2(__nv_bfloat162 a, __nv_bfloat162 b) { return a * b; }
WW_BOTH __nv_bfloat16 operator/(const __nv_bfloat16& a, const __nv_bfloat16& b) {
  return __nv_bfloat16((float)a / (float)b);
}
WW_BOTH __nv_bfloat16& operator/=(__nv_bfloat16& a, const __nv_bfloat16& b) { return a = a / b; }
WW_BOTH __nv_bfloat162 operator/(const __nv_bfloat162& a, const __nv_bfloat162& b) {
  return {a.x / b.x, a.y / b.y};
}
WW_BOTH __nv_bfloat162& operator/=(__nv_bfloat162& a, const __nv_bfloat162& b) { return a = a / b; }
WW_BOTH __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) { return a / b; }
WW_BOTH __nv_bfloat16 __hdiv_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return a / b; }
WW_BOTH __nv_bfloat162 __h2div(__nv_bfloat162 a, __nv_bfloat162 b) { return a / b; }
WW_BOTH bool operator==(const __nv_bfloat16& a, const __nv_bfloat16& b) {
  return (float)a == (float)b;
}
WW_BOTH bool __heq(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a == (float)b; }
WW_BOTH __nv_bfloat162 __heq2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return ww_bf16_pairs(a, b, [](float x, float y) { return x == y ? 1.0f : 0.0f; });
}
WW_BOTH bool __hbeq2(__nv_bfloat162 a, __nv_bfloat162 b) { return a.x == b.x && a.y == b.y; }
WW_BOTH bool operator!=(const __nv_bfloat16& a, const __nv_bfloat16& b) {
  return (float)a != (float)b;
}
WW_BOTH bool __hne(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a != (float)b; }
WW_BOTH __nv_bfloat162 __hne2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return ww_bf16_pairs(a, b, [](float x, float y) { return x != y ? 1.0f : 0.0f; });
}
WW_BOTH bool __hbne2(__nv_bfloat162 a, __nv_bfloat162 b) { return a.x != b.x && a.y != b.y; }
WW_BOTH bool operator<(const __nv_bfloat16& a, const __nv_bfloat16& b) {
  return (float)a < (float)b;
}
WW_BOTH bool __hlt(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a < (float)b; }
WW_BOTH __nv_bfloat162 __hlt2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return ww_bf16_pairs(a, b, [](float x, float y) { return x < y ? 1.0f : 0.0f; });
}
WW_BOTH bool __hblt2(__nv_bfloat162 a, __nv_bfloat162 b) { return a.x < b.x && a.y < b.y; }
WW_BOTH bool operator>(const __nv_bfloat16& a, const __nv_bfloat16& b) {
  return (float)a > (float)b;
}
WW_BOTH bool __hgt(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a > (float)b; }
WW_BOTH __nv_bfloat162 __hgt2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return ww_bf16_pairs(a, b, [](float x, float y) { return x > y ? 1.0f : 0.0f; });
}
WW_BOTH bool __hbgt2(__nv_bfloat162 a, __nv_bfloat162 b) { return a.x > b.x && a.y > b.y; }
WW_BOTH bool operator<=(const __nv_bfloat16& a, const __nv_bfloat16& b) {
  return (float)a <= (float)b;
}
WW_BOTH bool __hle(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a <= (float)b; }
WW_BOTH __nv_bfloat162 __hle2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return ww_bf16_pairs(a, b, [](float x, float y) { return x <= y ? 1.0f : 0.0f; });
}
WW_BOTH bool __hble2(__nv_bfloat162 a, __nv_bfloat162 b) { return a.x <= b.x && a.y <= b.y; }
WW_BOTH bool operator>=(const __nv_bfloat16& a, const __nv_bfloat16& b) {
  return (float)a >= (float)b;
}
WW_BOTH bool __hge(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a >= (float)b; }
WW_BOTH __nv_bfloat162 __hge2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return ww_bf16_pairs(a, b, [](float x, float y) { return x >= y ? 1.0f : 0.0f; });
}
WW_BOTH bool __hbge2(__nv_bfloat162 a, __nv_bfloat162 b) { return a.x >= b.x && a.y >= b.y; }
WW_BOTH __nv_bfloat16 operator-(const __nv_bfloat16& a) {
  return __ushort_as_bfloat16(a.x ^ 0x8000u);
}
WW_BOTH __nv_bfloat162 operator-(const __nv_bfloat162& a) { return {-a.x, -a.y}; }
WW_BOTH __nv_bfloat16 __hneg(__nv_bfloat16 a) { return -a; }
WW_BOTH __nv_bfloat162 __hneg2(__nv_bfloat162 a) { return -a; }
WW_BOTH __nv_bfloat16 __habs(__nv_bfloat16 a) { return __ushort_as_bfloat16(a.x & 0x7fffu); }
WW_BOTH __nv_bfloat162 __habs2(__nv_bfloat162 a) { return {__habs(a.x), __habs(a.y)}; }
WW_BOTH bool __hisnan(__nv_bfloat16 a) { return (a.x & 0x7fffu) > 0x7f80u; }
WW_BOTH int __hisinf(__nv_bfloat16 a) { return a.x == 0x7f80u ? 1 : a.x == 0xff80u ? -1 : 0; }
WW_BOTH __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return __nv_bfloat16(fmaf((float)a, (float)b, (float)c));
}
WW_BOTH __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
WW_BOTH __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat16(fmaxf((float)a, (float)b));
}
WW_BOTH __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat16(fminf((float)a, (float)b));
}
WW_BOTH __nv_bfloat162 __hmax2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return {__hmax(a.x, b.x), __hmax(a.y, b.y)};
}
WW_BOTH __nv_bfloat162 __hmin2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return {__hmin(a.x, b.x), __hmin(a.y, b.y)};
}

WW_DEVICE __nv_bfloat16 hexp(__nv_bfloat16 a) { return __nv_bfloat16(expf((float)a)); }
WW_DEVICE __nv_bfloat162 h2exp(__nv_bfloat162 a) { return {hexp(a.x), hexp(a.y)}; }
WW_DEVICE __nv_bfloat16 hlog(__nv_bfloat16 a) { return __nv_bfloat16(logf((float)a)); }
WW_DEVICE __nv_bfloat162 h2log(__nv_bfloat162 a) { return {hlog(a.x), hlog(a.y)}; }
WW_DEVICE __nv_bfloat16 hsqrt(__nv_bfloat16 a) { return __nv_bfloat16(sqrtf((float)a)); }
WW_DEVICE __nv_bfloat162 h2sqrt(__nv_bfloat162 a) { return {hsqrt(a.x), hsqrt(a.y)}; }
WW_DEVICE __nv_bfloat16 hsin(__nv_bfloat16 a) { return __nv_bfloat16(sinf((float)a)); }
WW_DEVICE __nv_bfloat162 h2sin(__nv_bfloat162 a) { return {hsin(a.x), hsin(a.y)}; }
WW_DEVICE __nv_bfloat16 hcos(__nv_bfloat16 a) { return __nv_bfloat16(cosf((float)a)); }
WW_DEVICE __nv_bfloat162 h2cos(__nv_bfloat162 a) { return {hcos(a.x), hcos(a.y)}; }
WW_DEVICE __nv_bfloat16 hfloor(__nv_bfloat16 a) { return __nv_bfloat16(floorf((float)a)); }
WW_DEVICE __nv_bfloat162 h2floor(__nv_bfloat162 a) { return {hfloor(a.x), hfloor(a.y)}; }
WW_DEVICE __nv_bfloat16 hceil(__nv_bfloat16 a) { return __nv_bfloat16(ceilf((float)a)); }
WW_DEVICE __nv_bfloat162 h2ceil(__nv_bfloat162 a) { return {hceil(a.x), hceil(a.y)}; }
WW_DEVICE __nv_bfloat16 htrunc(__nv_bfloat16 a) { return __nv_bfloat16(truncf((float)a)); }
WW_DEVICE __nv_bfloat162 h2trunc(__nv_bfloat162 a) { return {htrunc(a.x), htrunc(a.y)}; }
WW_DEVICE __nv_bfloat16 hrint(__nv_bfloat16 a) { return __nv_bfloat16(rintf((float)a)); }
WW_DEVICE __nv_bfloat162 h2rint(__nv_bfloat162 a) { return {hrint(a.x), hrint(a.y)}; }
WW_DEVICE __nv_bfloat16 hexp2(__nv_bfloat16 a) { return __nv_bfloat16(exp2f((float)a)); }
WW_DEVICE __nv_bfloat162 h2exp2(__nv_bfloat162 a) { return {hexp2(a.x), hexp2(a.y)}; }
WW_DEVICE __nv_bfloat16 hlog2(__nv_bfloat16 a) { return __nv_bfloat16(log2f((float)a)); }
WW_DEVICE __nv_bfloat162 h2log2(__nv_bfloat162 a) { return {hlog2(a.x), hlog2(a.y)}; }
WW_DEVICE __nv_bfloat16 hlog10(__nv_bfloat16 a) { return __nv_bfloat16(log10f((float)a)); }
WW_DEVICE __nv_bfloat162 h2log10(__nv_bfloat162 a) { return {hlog10(a.x), hlog10(a.y)}; }
WW_DEVICE __nv_bfloat16 htanh(__nv_bfloat16 a) { return __nv_bfloat16(tanhf((float)a)); }
WW_DEVICE __nv_bfloat162 h2tanh(__nv_bfloat162 a) { return {htanh(a.x), htanh(a.y)}; }
WW_DEVICE __nv_bfloat16 hrsqrt(__nv_bfloat16 a) { return __nv_bfloat16(rsqrtf((float)a)); }
WW_DEVICE __nv_bfloat16 hrcp(__nv_bfloat16 a) { return __nv_bfloat16(1.0f / (float)a); }
WW_DEVICE __nv_bfloat162 h2rsqrt(__nv_bfloat162 a) { return {hrsqrt(a.x), hrsqrt(a.y)}; }
WW_DEVICE __nv_bfloat162 h2rcp(__nv_bfloat162 a) { return {hrcp(a.x), hrcp(a.y)}; }

// The word around the number is exchanged until nobody came between.
WW_DEVICE __nv_bfloat16 atomicAdd(__nv_bfloat16* p, __nv_bfloat16 v) {
  unsigned* word = (unsigned*)((size_t)p & ~(size_t)3);
  const unsigned shift = ((size_t)p & 2) != 0 ? 16u : 0u;
  unsigned seen = *word;
  for (;;) {
    const __nv_bfloat16 old = __ushort_as_bfloat16((unsigned short)(seen >> shift));
    const unsigned next = (seen & ~(0xffffu << shift)) | (unsigned)(old + v).x << shift;
    const unsigned found = atomicCAS(word, seen, next);
    if (found == seen) return old;
    seen = found;
  }
}
WW_DEVICE __nv_bfloat162 atomicAdd(__nv_bfloat162* p, __nv_bfloat162 v) {
  return {atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y)};
}

#endif  // __HIPCC__

#endif
