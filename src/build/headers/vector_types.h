// SPDX-License-Identifier: Apache-2.0
// char1 ... double4 with CUDA's alignments, their make_ functions, and dim3.
#pragma once

#include "host_defines.h"

#define __WW_VECTOR_TYPES(T, NAME, ALIGN2, ALIGN4)                                              \
  struct NAME##1 {                                                                              \
    T x;                                                                                        \
  };                                                                                            \
  struct __align__(ALIGN2) NAME##2 {                                                            \
    T x, y;                                                                                     \
  };                                                                                            \
  struct NAME##3 {                                                                              \
    T x, y, z;                                                                                  \
  };                                                                                            \
  struct __align__(ALIGN4) NAME##4 {                                                            \
    T x, y, z, w;                                                                               \
  };                                                                                            \
  static inline __host__ __device__ NAME##1 make_##NAME##1(T x) { return {x}; }                 \
  static inline __host__ __device__ NAME##2 make_##NAME##2(T x, T y) { return {x, y}; }         \
  static inline __host__ __device__ NAME##3 make_##NAME##3(T x, T y, T z) { return {x, y, z}; } \
  static inline __host__ __device__ NAME##4 make_##NAME##4(T x, T y, T z, T w) {                \
    return {x, y, z, w};                                                                        \
  }

__WW_VECTOR_TYPES(signed char, char, 2, 4)
__WW_VECTOR_TYPES(unsigned char, uchar, 2, 4)
__WW_VECTOR_TYPES(short, short, 4, 8)
__WW_VECTOR_TYPES(unsigned short, ushort, 4, 8)
__WW_VECTOR_TYPES(int, int, 8, 16)
__WW_VECTOR_TYPES(unsigned int, uint, 8, 16)
__WW_VECTOR_TYPES(long, long, 16, 16)
__WW_VECTOR_TYPES(unsigned long, ulong, 16, 16)
__WW_VECTOR_TYPES(long long, longlong, 16, 16)
__WW_VECTOR_TYPES(unsigned long long, ulonglong, 16, 16)
__WW_VECTOR_TYPES(float, float, 8, 16)
__WW_VECTOR_TYPES(double, double, 16, 16)
#undef __WW_VECTOR_TYPES

struct dim3 {
  unsigned int x, y, z;
  __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};
