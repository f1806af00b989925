// SPDX-License-Identifier: Apache-2.0
// min, max and the few overloads that CUDA has and neither C++ nor clang's wrappers bring.
#pragma once

#include "host_defines.h"

#define __WW_MIN_MAX(T)                                                       \
  static inline __host__ __device__ T min(T a, T b) { return b < a ? b : a; } \
  static inline __host__ __device__ T max(T a, T b) { return a < b ? b : a; }

// clang's wrappers hold the device forms for int.
static inline __host__ int min(int a, int b) { return b < a ? b : a; }
static inline __host__ int max(int a, int b) { return a < b ? b : a; }
__WW_MIN_MAX(unsigned int)
__WW_MIN_MAX(long)
__WW_MIN_MAX(unsigned long)
__WW_MIN_MAX(long long)
__WW_MIN_MAX(unsigned long long)
#undef __WW_MIN_MAX
static inline __device__ float min(float a, float b) { return fminf(a, b); }
static inline __device__ float max(float a, float b) { return fmaxf(a, b); }
static inline __device__ double min(double a, double b) { return fmin(a, b); }
static inline __device__ double max(double a, double b) { return fmax(a, b); }
static inline __host__ float min(float a, float b) { return __builtin_fminf(a, b); }
static inline __host__ float max(float a, float b) { return __builtin_fmaxf(a, b); }
static inline __host__ double min(double a, double b) { return __builtin_fmin(a, b); }
static inline __host__ double max(double a, double b) { return __builtin_fmax(a, b); }

// Mixed operands, as CUDA's headers resolve them.
static inline __host__ __device__ unsigned min(int a, unsigned b) { return min((unsigned)a, b); }
static inline __host__ __device__ unsigned min(unsigned a, int b) { return min(a, (unsigned)b); }
static inline __host__ __device__ unsigned max(int a, unsigned b) { return max((unsigned)a, b); }
static inline __host__ __device__ unsigned max(unsigned a, int b) { return max(a, (unsigned)b); }
static inline __host__ __device__ double min(float a, double b) { return min((double)a, b); }
static inline __host__ __device__ double min(double a, float b) { return min(a, (double)b); }
static inline __host__ __device__ double max(float a, double b) { return max((double)a, b); }
static inline __host__ __device__ double max(double a, float b) { return max(a, (double)b); }

// clang declares these and leaves their definitions to the toolkit's headers. The text, which names
// a NaN among others, is not looked at.
static inline __device__ double nan(const char*) { return __builtin_nan(""); }
static inline __device__ float nanf(const char*) { return __builtin_nanf(""); }

// clang declares these for single precision and leaves their definitions to the toolkit's headers.
#define __WW_SINGLE(NAME) \
  static inline __device__ float NAME(float a) { return NAME##f(a); }
#define __WW_SINGLE_OF_TWO(NAME) \
  static inline __device__ float NAME(float a, float b) { return NAME##f(a, b); }
#define __WW_INTEGER_OF_SINGLE(T, NAME) \
  static inline __device__ T NAME(float a) { return NAME##f(a); }
__WW_SINGLE(acosh)
__WW_SINGLE(asinh)
__WW_SINGLE(atanh)
__WW_SINGLE(cbrt)
__WW_SINGLE(erf)
__WW_SINGLE(erfc)
__WW_SINGLE(exp2)
__WW_SINGLE(expm1)
__WW_SINGLE(lgamma)
__WW_SINGLE(log1p)
__WW_SINGLE(log2)
__WW_SINGLE(logb)
__WW_SINGLE(nearbyint)
__WW_SINGLE(rint)
__WW_SINGLE(round)
__WW_SINGLE(tgamma)
__WW_SINGLE(trunc)
__WW_SINGLE_OF_TWO(copysign)
__WW_SINGLE_OF_TWO(fdim)
__WW_SINGLE_OF_TWO(fmax)
__WW_SINGLE_OF_TWO(fmin)
__WW_SINGLE_OF_TWO(hypot)
__WW_SINGLE_OF_TWO(nextafter)
__WW_SINGLE_OF_TWO(remainder)
__WW_INTEGER_OF_SINGLE(int, ilogb)
__WW_INTEGER_OF_SINGLE(long, lrint)
__WW_INTEGER_OF_SINGLE(long, lround)
__WW_INTEGER_OF_SINGLE(long long, llrint)
__WW_INTEGER_OF_SINGLE(long long, llround)
#undef __WW_SINGLE
#undef __WW_SINGLE_OF_TWO
#undef __WW_INTEGER_OF_SINGLE

static inline __device__ float rsqrt(float a) { return rsqrtf(a); }
static inline __device__ float rcbrt(float a) { return rcbrtf(a); }
static inline __device__ float sinpi(float a) { return sinpif(a); }
static inline __device__ float cospi(float a) { return cospif(a); }
static inline __device__ float erfcinv(float a) { return erfcinvf(a); }
static inline __device__ float erfinv(float a) { return erfinvf(a); }
static inline __device__ float normcdf(float a) { return normcdff(a); }
static inline __device__ float normcdfinv(float a) { return normcdfinvf(a); }
static inline __device__ float erfcx(float a) { return erfcxf(a); }
static inline __host__ double sinpi(double a) { return __builtin_sin(a * 3.14159265358979323846); }
static inline __host__ double cospi(double a) { return __builtin_cos(a * 3.14159265358979323846); }
static inline __host__ float sinpif(float a) { return (float)sinpi((double)a); }
static inline __host__ float cospif(float a) { return (float)cospi((double)a); }
static inline __host__ float rsqrtf(float a) { return 1.0f / __builtin_sqrtf(a); }
static inline __host__ double rsqrt(double a) { return 1.0 / __builtin_sqrt(a); }
static inline __host__ double rcbrt(double a) { return 1.0 / __builtin_cbrt(a); }
static inline __host__ float rcbrtf(float a) { return (float)rcbrt((double)a); }
static inline __host__ double normcdf(double a) {
  return 0.5 * __builtin_erfc(-a * 0.70710678118654752440);
}
static inline __host__ float normcdff(float a) { return (float)normcdf((double)a); }
// Newton's steps from a rough first value.
static inline __host__ double erfcinv(double y) {
  if (!(y > 0 && y < 2))
    return y == 0 ? __builtin_inf() : y == 2 ? -__builtin_inf() : __builtin_nan("");
  const double lesser = y < 1 ? y : 2 - y, t = __builtin_sqrt(-2 * __builtin_log(lesser / 2));
  double x = 0.70710678 * (t - (2.30753 + t * 0.27061) / (1 + t * (0.99229 + t * 0.04481)));
  for (int step = 0; step < 3; ++step)
    x += (__builtin_erfc(x) - lesser) / (1.12837916709551257390 * __builtin_exp(-x * x));
  return y < 1 ? x : -x;
}
static inline __host__ float erfcinvf(float y) { return (float)erfcinv((double)y); }
static inline __host__ double erfinv(double y) { return erfcinv(1 - y); }
static inline __host__ float erfinvf(float y) { return (float)erfinv((double)y); }
static inline __host__ double normcdfinv(double p) {
  return -1.41421356237309504880 * erfcinv(2 * p);
}
static inline __host__ float normcdfinvf(float p) { return (float)normcdfinv((double)p); }
