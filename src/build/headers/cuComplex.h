// SPDX-License-Identifier: Apache-2.0
// Complex numbers as pairs, for both sides.
#pragma once

#include <math.h>

#include "host_defines.h"
#include "vector_types.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define __WW_COMPLEX(NAME, SUFFIX, C, R, ABS, SQRT)                                               \
  static inline __host__ __device__ C make_##NAME(R x, R y) {                                     \
    C z;                                                                                          \
    z.x = x;                                                                                      \
    z.y = y;                                                                                      \
    return z;                                                                                     \
  }                                                                                               \
  static inline __host__ __device__ R cuCreal##SUFFIX(C a) { return a.x; }                        \
  static inline __host__ __device__ R cuCimag##SUFFIX(C a) { return a.y; }                        \
  static inline __host__ __device__ C cuConj##SUFFIX(C a) { return make_##NAME(a.x, -a.y); }      \
  static inline __host__ __device__ C cuCadd##SUFFIX(C a, C b) {                                  \
    return make_##NAME(a.x + b.x, a.y + b.y);                                                     \
  }                                                                                               \
  static inline __host__ __device__ C cuCsub##SUFFIX(C a, C b) {                                  \
    return make_##NAME(a.x - b.x, a.y - b.y);                                                     \
  }                                                                                               \
  static inline __host__ __device__ C cuCmul##SUFFIX(C a, C b) {                                  \
    return make_##NAME(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                             \
  }                                                                                               \
  static inline __host__ __device__ C cuCdiv##SUFFIX(C a, C b) {                                  \
    const R scale = R(1) / (ABS(b.x) + ABS(b.y));                                                 \
    const C p = make_##NAME(a.x * scale, a.y * scale), q = make_##NAME(b.x * scale, b.y * scale); \
    const R over = R(1) / (q.x * q.x + q.y * q.y);                                                \
    return make_##NAME((p.x * q.x + p.y * q.y) * over, (p.y * q.x - p.x * q.y) * over);           \
  }                                                                                               \
  static inline __host__ __device__ R cuCabs##SUFFIX(C a) {                                       \
    const R x = ABS(a.x), y = ABS(a.y), large = x > y ? x : y, small = x > y ? y : x;             \
    if (large == 0 || large > 1e300 * 1e10) return large + small;                                 \
    const R ratio = small / large;                                                                \
    return large * SQRT(R(1) + ratio * ratio);                                                    \
  }                                                                                               \
  static inline __host__ __device__ C cuCfma##SUFFIX(C a, C b, C c) {                             \
    return make_##NAME(a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x);                 \
  }

__WW_COMPLEX(cuFloatComplex, f, cuFloatComplex, float, fabsf, sqrtf)
__WW_COMPLEX(cuDoubleComplex, , cuDoubleComplex, double, fabs, sqrt)
#undef __WW_COMPLEX

static inline __host__ __device__ cuComplex make_cuComplex(float x, float y) {
  return make_cuFloatComplex(x, y);
}
static inline __host__ __device__ cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) {
  return make_cuDoubleComplex(a.x, a.y);
}
static inline __host__ __device__ cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) {
  return make_cuFloatComplex((float)a.x, (float)a.y);
}
