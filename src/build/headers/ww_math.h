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
