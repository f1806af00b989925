// SPDX-License-Identifier: Apache-2.0
// The members of libdevice that are one or a few instructions, so that PTX needs no library for
// them. What is left undefined here (expf, logf, sinf, ...) stays an external __nv_ function.
#pragma once

#include "host_defines.h"

#define __WW_DEFINE extern "C" __device__ inline __attribute__((always_inline))

// Integers and bits.
__WW_DEFINE int __nv_clz(int a) { return a == 0 ? 32 : __builtin_clz((unsigned)a); }
__WW_DEFINE int __nv_clzll(long long a) {
  return a == 0 ? 64 : __builtin_clzll((unsigned long long)a);
}
__WW_DEFINE int __nv_popc(unsigned int a) { return __builtin_popcount(a); }
__WW_DEFINE int __nv_popcll(unsigned long long a) { return __builtin_popcountll(a); }
__WW_DEFINE int __nv_ffs(int a) { return a == 0 ? 0 : __builtin_ctz((unsigned)a) + 1; }
__WW_DEFINE int __nv_ffsll(long long a) {
  return a == 0 ? 0 : __builtin_ctzll((unsigned long long)a) + 1;
}
__WW_DEFINE unsigned int __nv_brev(unsigned int a) { return __builtin_bitreverse32(a); }
__WW_DEFINE unsigned long long __nv_brevll(unsigned long long a) {
  return __builtin_bitreverse64(a);
}
__WW_DEFINE unsigned int __nv_byte_perm(unsigned int a, unsigned int b, unsigned int c) {
  return __nvvm_prmt(a, b, c);
}
__WW_DEFINE int __nv_abs(int a) { return a < 0 ? -a : a; }
__WW_DEFINE long long __nv_llabs(long long a) { return a < 0 ? -a : a; }
__WW_DEFINE int __nv_max(int a, int b) { return a < b ? b : a; }
__WW_DEFINE int __nv_min(int a, int b) { return b < a ? b : a; }
__WW_DEFINE unsigned int __nv_umax(unsigned int a, unsigned int b) { return a < b ? b : a; }
__WW_DEFINE unsigned int __nv_umin(unsigned int a, unsigned int b) { return b < a ? b : a; }
__WW_DEFINE long long __nv_llmax(long long a, long long b) { return a < b ? b : a; }
__WW_DEFINE long long __nv_llmin(long long a, long long b) { return b < a ? b : a; }
__WW_DEFINE unsigned long long __nv_ullmax(unsigned long long a, unsigned long long b) {
  return a < b ? b : a;
}
__WW_DEFINE unsigned long long __nv_ullmin(unsigned long long a, unsigned long long b) {
  return b < a ? b : a;
}
__WW_DEFINE int __nv_mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
__WW_DEFINE unsigned int __nv_umulhi(unsigned int a, unsigned int b) {
  return (unsigned)(((unsigned long long)a * b) >> 32);
}
__WW_DEFINE long long __nv_mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
__WW_DEFINE unsigned long long __nv_umul64hi(unsigned long long a, unsigned long long b) {
  return __nvvm_mulhi_ull(a, b);
}
__WW_DEFINE int __nv_mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
__WW_DEFINE unsigned int __nv_umul24(unsigned int a, unsigned int b) {
  return __nvvm_mul24_ui(a, b);
}
__WW_DEFINE int __nv_hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
__WW_DEFINE int __nv_rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
__WW_DEFINE unsigned int __nv_sad(int a, int b, unsigned int c) {
  return c + (a < b ? (unsigned)b - (unsigned)a : (unsigned)a - (unsigned)b);
}
__WW_DEFINE unsigned int __nv_usad(unsigned int a, unsigned int b, unsigned int c) {
  return c + (a < b ? b - a : a - b);
}

// Bit casts.
__WW_DEFINE int __nv_float_as_int(float a) { return __builtin_bit_cast(int, a); }
__WW_DEFINE unsigned int __nv_float_as_uint(float a) { return __builtin_bit_cast(unsigned, a); }
__WW_DEFINE float __nv_int_as_float(int a) { return __builtin_bit_cast(float, a); }
__WW_DEFINE float __nv_uint_as_float(unsigned int a) { return __builtin_bit_cast(float, a); }
__WW_DEFINE unsigned long long __nv_double_as_longlong(double a) {
  return __builtin_bit_cast(unsigned long long, a);
}
__WW_DEFINE double __nv_longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
__WW_DEFINE int __nv_double2hiint(double a) {
  return (int)(__builtin_bit_cast(unsigned long long, a) >> 32);
}
__WW_DEFINE int __nv_double2loint(double a) {
  return (int)__builtin_bit_cast(unsigned long long, a);
}
__WW_DEFINE double __nv_hiloint2double(int a, int b) {
  return __builtin_bit_cast(double, ((unsigned long long)(unsigned)a << 32) | (unsigned)b);
}

// Exact floating-point functions.
#define __WW_BOTH(NAME, BUILTIN)                                              \
  __WW_DEFINE double __nv_##NAME(double a) { return __builtin_##BUILTIN(a); } \
  __WW_DEFINE float __nv_##NAME##f(float a) { return __builtin_##BUILTIN##f(a); }
__WW_BOTH(fabs, fabs)
__WW_BOTH(ceil, ceil)
__WW_BOTH(floor, floor)
__WW_BOTH(trunc, trunc)
__WW_BOTH(rint, rint)
__WW_BOTH(nearbyint, nearbyint)
#undef __WW_BOTH
__WW_DEFINE double __nv_sqrt(double a) { return __nvvm_sqrt_rn_d(a); }
// clang links libdevice without asking for exact roots; nvcc asks for them.
#ifdef __WW_ROOTS_OF_CLANG__
__WW_DEFINE float __nv_sqrtf(float a) { return __nvvm_sqrt_approx_f(a); }
#else
__WW_DEFINE float __nv_sqrtf(float a) { return __nvvm_sqrt_rn_f(a); }
#endif
__WW_DEFINE float __nv_rsqrtf(float a) { return __nvvm_rsqrt_approx_f(a); }
__WW_DEFINE float __nv_frsqrt_rn(float a) { return (float)(1.0 / __nvvm_sqrt_rn_d((double)a)); }
__WW_DEFINE double __nv_fma(double a, double b, double c) { return __nvvm_fma_rn_d(a, b, c); }
__WW_DEFINE float __nv_fmaf(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
__WW_DEFINE double __nv_fmax(double a, double b) { return __builtin_fmax(a, b); }
__WW_DEFINE float __nv_fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
__WW_DEFINE double __nv_fmin(double a, double b) { return __builtin_fmin(a, b); }
__WW_DEFINE float __nv_fminf(float a, float b) { return __builtin_fminf(a, b); }
__WW_DEFINE double __nv_copysign(double a, double b) { return __builtin_copysign(a, b); }
__WW_DEFINE float __nv_copysignf(float a, float b) { return __builtin_copysignf(a, b); }
__WW_DEFINE float __nv_saturatef(float a) { return __nvvm_saturate_f(a); }
__WW_DEFINE double __nv_fdim(double a, double b) { return a <= b ? 0.0 : a - b; }
__WW_DEFINE float __nv_fdimf(float a, float b) { return a <= b ? 0.0f : a - b; }
__WW_DEFINE int __nv_signbitd(double a) { return __builtin_bit_cast(long long, a) < 0; }
__WW_DEFINE int __nv_signbitf(float a) { return __builtin_bit_cast(int, a) < 0; }
__WW_DEFINE int __nv_isnand(double a) { return a != a; }
__WW_DEFINE int __nv_isnanf(float a) { return a != a; }
__WW_DEFINE int __nv_isinfd(double a) { return __builtin_fabs(a) == __builtin_inf(); }
__WW_DEFINE int __nv_isinff(float a) { return __builtin_fabsf(a) == __builtin_inff(); }
__WW_DEFINE int __nv_isfinited(double a) { return __builtin_fabs(a) < __builtin_inf(); }
__WW_DEFINE int __nv_finitef(float a) { return __builtin_fabsf(a) < __builtin_inff(); }
/// Halves away from zero; the sum is exact enough because rounding goes towards zero.
__WW_DEFINE float __nv_roundf(float a) {
  const float t = __builtin_truncf(a);
  return __builtin_fabsf(a - t) >= 0.5f ? t + __builtin_copysignf(1.0f, a) : t;
}
__WW_DEFINE double __nv_round(double a) {
  const double t = __builtin_trunc(a);
  return __builtin_fabs(a - t) >= 0.5 ? t + __builtin_copysign(1.0, a) : t;
}
__WW_DEFINE long long __nv_llrint(double a) { return __nvvm_d2ll_rn(a); }
__WW_DEFINE long long __nv_llrintf(float a) { return __nvvm_f2ll_rn(a); }
__WW_DEFINE long long __nv_llround(double a) { return __nvvm_d2ll_rz(__nv_round(a)); }
__WW_DEFINE long long __nv_llroundf(float a) { return __nvvm_f2ll_rz(__nv_roundf(a)); }

// Each rounding under CUDA's name: nearest, down, up, towards zero.
#define __WW_ROUND(PAIR) PAIR(rn, rn) PAIR(rd, rm) PAIR(ru, rp) PAIR(rz, rz)
#define __WW_ARITHMETIC(CUDA, PTX)                                                                \
  __WW_DEFINE float __nv_fadd_##CUDA(float a, float b) { return __nvvm_add_##PTX##_f(a, b); }     \
  __WW_DEFINE float __nv_fsub_##CUDA(float a, float b) { return __nvvm_add_##PTX##_f(a, -b); }    \
  __WW_DEFINE float __nv_fmul_##CUDA(float a, float b) { return __nvvm_mul_##PTX##_f(a, b); }     \
  __WW_DEFINE float __nv_fdiv_##CUDA(float a, float b) { return __nvvm_div_##PTX##_f(a, b); }     \
  __WW_DEFINE float __nv_frcp_##CUDA(float a) { return __nvvm_rcp_##PTX##_f(a); }                 \
  __WW_DEFINE float __nv_fsqrt_##CUDA(float a) { return __nvvm_sqrt_##PTX##_f(a); }               \
  __WW_DEFINE float __nv_fmaf_##CUDA(float a, float b, float c) {                                 \
    return __nvvm_fma_##PTX##_f(a, b, c);                                                         \
  }                                                                                               \
  __WW_DEFINE float __nv_fmaf_ieee_##CUDA(float a, float b, float c) {                            \
    return __nvvm_fma_##PTX##_f(a, b, c);                                                         \
  }                                                                                               \
  __WW_DEFINE double __nv_dadd_##CUDA(double a, double b) { return __nvvm_add_##PTX##_d(a, b); }  \
  __WW_DEFINE double __nv_dsub_##CUDA(double a, double b) { return __nvvm_add_##PTX##_d(a, -b); } \
  __WW_DEFINE double __nv_dmul_##CUDA(double a, double b) { return __nvvm_mul_##PTX##_d(a, b); }  \
  __WW_DEFINE double __nv_ddiv_##CUDA(double a, double b) { return __nvvm_div_##PTX##_d(a, b); }  \
  __WW_DEFINE double __nv_drcp_##CUDA(double a) { return __nvvm_rcp_##PTX##_d(a); }               \
  __WW_DEFINE double __nv_dsqrt_##CUDA(double a) { return __nvvm_sqrt_##PTX##_d(a); }             \
  __WW_DEFINE double __nv_fma_##CUDA(double a, double b, double c) {                              \
    return __nvvm_fma_##PTX##_d(a, b, c);                                                         \
  }
__WW_ROUND(__WW_ARITHMETIC)
#undef __WW_ARITHMETIC

#define __WW_CONVERSIONS(CUDA, PTX)                                                               \
  __WW_DEFINE float __nv_double2float_##CUDA(double a) { return __nvvm_d2f_##PTX(a); }            \
  __WW_DEFINE int __nv_double2int_##CUDA(double a) { return __nvvm_d2i_##PTX(a); }                \
  __WW_DEFINE unsigned int __nv_double2uint_##CUDA(double a) { return __nvvm_d2ui_##PTX(a); }     \
  __WW_DEFINE long long __nv_double2ll_##CUDA(double a) { return __nvvm_d2ll_##PTX(a); }          \
  __WW_DEFINE unsigned long long __nv_double2ull_##CUDA(double a) {                               \
    return __nvvm_d2ull_##PTX(a);                                                                 \
  }                                                                                               \
  __WW_DEFINE int __nv_float2int_##CUDA(float a) { return __nvvm_f2i_##PTX(a); }                  \
  __WW_DEFINE unsigned int __nv_float2uint_##CUDA(float a) { return __nvvm_f2ui_##PTX(a); }       \
  __WW_DEFINE long long __nv_float2ll_##CUDA(float a) { return __nvvm_f2ll_##PTX(a); }            \
  __WW_DEFINE unsigned long long __nv_float2ull_##CUDA(float a) { return __nvvm_f2ull_##PTX(a); } \
  __WW_DEFINE float __nv_int2float_##CUDA(int a) { return __nvvm_i2f_##PTX(a); }                  \
  __WW_DEFINE float __nv_uint2float_##CUDA(unsigned int a) { return __nvvm_ui2f_##PTX(a); }       \
  __WW_DEFINE float __nv_ll2float_##CUDA(long long a) { return __nvvm_ll2f_##PTX(a); }            \
  __WW_DEFINE float __nv_ull2float_##CUDA(unsigned long long a) { return __nvvm_ull2f_##PTX(a); } \
  __WW_DEFINE double __nv_ll2double_##CUDA(long long a) { return __nvvm_ll2d_##PTX(a); }          \
  __WW_DEFINE double __nv_ull2double_##CUDA(unsigned long long a) { return __nvvm_ull2d_##PTX(a); }
__WW_ROUND(__WW_CONVERSIONS)
#undef __WW_CONVERSIONS
#undef __WW_ROUND
__WW_DEFINE double __nv_int2double_rn(int a) { return (double)a; }
__WW_DEFINE double __nv_uint2double_rn(unsigned int a) { return (double)a; }

// The fast intrinsics, as CUDA's programming guide defines them by instructions.
__WW_DEFINE float __nv_fast_expf(float a) { return __nvvm_ex2_approx_f(a * 1.4426950216f); }
__WW_DEFINE float __nv_fast_exp10f(float a) { return __nvvm_ex2_approx_f(a * 3.3219280243f); }
__WW_DEFINE float __nv_fast_log2f(float a) { return __nvvm_lg2_approx_f(a); }
__WW_DEFINE float __nv_fast_logf(float a) { return __nvvm_lg2_approx_f(a) * 0.6931471825f; }
__WW_DEFINE float __nv_fast_log10f(float a) { return __nvvm_lg2_approx_f(a) * 0.3010300100f; }
__WW_DEFINE float __nv_fast_sinf(float a) { return __nvvm_sin_approx_f(a); }
__WW_DEFINE float __nv_fast_cosf(float a) { return __nvvm_cos_approx_f(a); }
__WW_DEFINE float __nv_fast_tanf(float a) {
  return __nvvm_div_approx_f(__nvvm_sin_approx_f(a), __nvvm_cos_approx_f(a));
}
__WW_DEFINE void __nv_fast_sincosf(float a, float* s, float* c) {
  *s = __nvvm_sin_approx_f(a);
  *c = __nvvm_cos_approx_f(a);
}
__WW_DEFINE float __nv_fast_powf(float a, float b) {
  return __nvvm_ex2_approx_f(b * __nvvm_lg2_approx_f(a));
}
__WW_DEFINE float __nv_fast_fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }

__WW_DEFINE void __nv_sincosf(float a, float* s, float* c) {
  *s = __nv_sinf(a);
  *c = __nv_cosf(a);
}
__WW_DEFINE void __nv_sincos(double a, double* s, double* c) {
  *s = __nv_sin(a);
  *c = __nv_cos(a);
}

__WW_DEFINE void __nv_sincospif(float a, float* s, float* c) {
  *s = __nv_sinpif(a);
  *c = __nv_cospif(a);
}
__WW_DEFINE void __nv_sincospi(double a, double* s, double* c) {
  *s = __nv_sinpi(a);
  *c = __nv_cospi(a);
}

// Parts of a number. Those of an infinity, of a NaN and of 0 are the number itself, and the
// exponent is 0.
#define __WW_PARTS(T, END)                                                          \
  __WW_DEFINE T __nv_modf##END(T a, T* whole) {                                     \
    *whole = __nv_trunc##END(a);                                                    \
    return __nv_copysign##END(*whole == a ? (T)0 : a - *whole, a);                  \
  }                                                                                 \
  __WW_DEFINE T __nv_frexp##END(T a, int* exponent) {                               \
    *exponent = 0;                                                                  \
    if (a == (T)0 || a - a != (T)0) return a;                                       \
    *exponent = __nv_ilogb##END(a) + 1;                                             \
    return __nv_scalbn##END(a, -*exponent);                                         \
  }                                                                                 \
  /* The last three bits of the quotient; differences of such numbers are exact. */ \
  __WW_DEFINE T __nv_remquo##END(T a, T b, int* quotient) {                         \
    const T size = __nv_fabs##END(b);                                               \
    T left = __nv_fmod##END(__nv_fabs##END(a), 8 * size);                           \
    int bits = 0;                                                                   \
    for (int bit = 4; bit > 0; bit >>= 1) {                                         \
      if (!(left >= bit * size)) continue;                                          \
      left -= bit * size;                                                           \
      bits += bit;                                                                  \
    }                                                                               \
    if (left > size - left || (left == size - left && (bits & 1) != 0)) ++bits;     \
    *quotient = (a < (T)0) != (b < (T)0) ? -bits : bits;                            \
    return __nv_remainder##END(a, b);                                               \
  }
__WW_PARTS(float, f)
__WW_PARTS(double, )
#undef __WW_PARTS

// Lengths of vectors, without an overflow on the way.
__WW_DEFINE double __nv_norm3d(double a, double b, double c) {
  return __nv_hypot(__nv_hypot(a, b), c);
}
__WW_DEFINE double __nv_norm4d(double a, double b, double c, double d) {
  return __nv_hypot(__nv_hypot(a, b), __nv_hypot(c, d));
}
__WW_DEFINE double __nv_norm(int count, const double* a) {
  double sum = 0;
  for (int k = 0; k < count; ++k) sum = __nv_hypot(sum, a[k]);
  return sum;
}
__WW_DEFINE float __nv_norm3df(float a, float b, float c) {
  return (float)__nv_norm3d((double)a, (double)b, (double)c);
}
__WW_DEFINE float __nv_norm4df(float a, float b, float c, float d) {
  return (float)__nv_norm4d((double)a, (double)b, (double)c, (double)d);
}
__WW_DEFINE float __nv_normf(int count, const float* a) {
  double sum = 0;
  for (int k = 0; k < count; ++k) sum = __nv_hypot(sum, (double)a[k]);
  return (float)sum;
}
__WW_DEFINE double __nv_rhypot(double a, double b) { return 1 / __nv_hypot(a, b); }
__WW_DEFINE float __nv_rhypotf(float a, float b) {
  return (float)(1 / __nv_hypot((double)a, (double)b));
}
__WW_DEFINE double __nv_rnorm3d(double a, double b, double c) { return 1 / __nv_norm3d(a, b, c); }
__WW_DEFINE float __nv_rnorm3df(float a, float b, float c) {
  return (float)(1 / __nv_norm3d((double)a, (double)b, (double)c));
}
__WW_DEFINE double __nv_rnorm4d(double a, double b, double c, double d) {
  return 1 / __nv_norm4d(a, b, c, d);
}
__WW_DEFINE float __nv_rnorm4df(float a, float b, float c, float d) {
  return (float)(1 / __nv_norm4d((double)a, (double)b, (double)c, (double)d));
}
__WW_DEFINE double __nv_rnorm(int count, const double* a) { return 1 / __nv_norm(count, a); }
__WW_DEFINE float __nv_rnormf(int count, const float* a) { return 1 / __nv_normf(count, a); }

#undef __WW_DEFINE
