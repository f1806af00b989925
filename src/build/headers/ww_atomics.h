// SPDX-License-Identifier: Apache-2.0
// atomicAdd and its family over clang's wrappers, in the three scopes.
#pragma once

#include "host_defines.h"

#define __WW_ATOMIC2(NAME, T, WRAPPED)                                                 \
  static inline __device__ T NAME(T* p, T v) { return WRAPPED(p, v); }                 \
  static inline __device__ T NAME##_block(T* p, T v) { return WRAPPED##_block(p, v); } \
  static inline __device__ T NAME##_system(T* p, T v) { return WRAPPED##_system(p, v); }

__WW_ATOMIC2(atomicAdd, int, __iAtomicAdd)
__WW_ATOMIC2(atomicAdd, unsigned int, __uAtomicAdd)
__WW_ATOMIC2(atomicAdd, unsigned long long, __ullAtomicAdd)
__WW_ATOMIC2(atomicAdd, float, __fAtomicAdd)
__WW_ATOMIC2(atomicAdd, double, __dAtomicAdd)
__WW_ATOMIC2(atomicExch, int, __iAtomicExch)
__WW_ATOMIC2(atomicExch, unsigned int, __uAtomicExch)
__WW_ATOMIC2(atomicExch, unsigned long long, __ullAtomicExch)
__WW_ATOMIC2(atomicExch, float, __fAtomicExch)
__WW_ATOMIC2(atomicMin, int, __iAtomicMin)
__WW_ATOMIC2(atomicMin, unsigned int, __uAtomicMin)
__WW_ATOMIC2(atomicMin, long long, __illAtomicMin)
__WW_ATOMIC2(atomicMin, unsigned long long, __ullAtomicMin)
__WW_ATOMIC2(atomicMax, int, __iAtomicMax)
__WW_ATOMIC2(atomicMax, unsigned int, __uAtomicMax)
__WW_ATOMIC2(atomicMax, long long, __illAtomicMax)
__WW_ATOMIC2(atomicMax, unsigned long long, __ullAtomicMax)
__WW_ATOMIC2(atomicAnd, int, __iAtomicAnd)
__WW_ATOMIC2(atomicAnd, unsigned int, __uAtomicAnd)
__WW_ATOMIC2(atomicAnd, unsigned long long, __ullAtomicAnd)
__WW_ATOMIC2(atomicOr, int, __iAtomicOr)
__WW_ATOMIC2(atomicOr, unsigned int, __uAtomicOr)
__WW_ATOMIC2(atomicOr, unsigned long long, __ullAtomicOr)
__WW_ATOMIC2(atomicXor, int, __iAtomicXor)
__WW_ATOMIC2(atomicXor, unsigned int, __uAtomicXor)
__WW_ATOMIC2(atomicXor, unsigned long long, __ullAtomicXor)
__WW_ATOMIC2(atomicInc, unsigned int, __uAtomicInc)
__WW_ATOMIC2(atomicDec, unsigned int, __uAtomicDec)
#undef __WW_ATOMIC2

// Subtraction is the addition of the negative, modulo 2^n.
static inline __device__ int atomicSub(int* p, int v) {
  return __iAtomicAdd(p, (int)(0U - (unsigned)v));
}
static inline __device__ unsigned int atomicSub(unsigned int* p, unsigned int v) {
  return __uAtomicAdd(p, 0U - v);
}

static inline __device__ int atomicCAS(int* p, int compare, int v) {
  return __iAtomicCAS(p, compare, v);
}
static inline __device__ unsigned int atomicCAS(unsigned int* p, unsigned int compare,
                                                unsigned int v) {
  return __uAtomicCAS(p, compare, v);
}
static inline __device__ unsigned long long atomicCAS(unsigned long long* p,
                                                      unsigned long long compare,
                                                      unsigned long long v) {
  return __ullAtomicCAS(p, compare, v);
}
static inline __device__ int atomicCAS_block(int* p, int compare, int v) {
  return __iAtomicCAS_block(p, compare, v);
}
static inline __device__ int atomicCAS_system(int* p, int compare, int v) {
  return __iAtomicCAS_system(p, compare, v);
}
static inline __device__ unsigned short atomicCAS(unsigned short* p, unsigned short compare,
                                                  unsigned short v) {
  unsigned short old;
  asm volatile("atom.cas.b16 %0, [%1], %2, %3;"
               : "=h"(old)
               : "l"(p), "h"(compare), "h"(v)
               : "memory");
  return old;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
// Of vectors in global memory, element by element.
#define __WW_ATOMIC_VECTORS(NAME, SCOPE)                                                      \
  static inline __device__ float2 NAME(float2* p, float2 v) {                                 \
    float2 old;                                                                               \
    asm volatile("atom.global." SCOPE ".add.v2.f32 {%0, %1}, [%2], {%3, %4};"                 \
                 : "=f"(old.x), "=f"(old.y)                                                   \
                 : "l"(p), "f"(v.x), "f"(v.y)                                                 \
                 : "memory");                                                                 \
    return old;                                                                               \
  }                                                                                           \
  static inline __device__ float4 NAME(float4* p, float4 v) {                                 \
    float4 old;                                                                               \
    asm volatile("atom.global." SCOPE ".add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};" \
                 : "=f"(old.x), "=f"(old.y), "=f"(old.z), "=f"(old.w)                         \
                 : "l"(p), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)                             \
                 : "memory");                                                                 \
    return old;                                                                               \
  }
__WW_ATOMIC_VECTORS(atomicAdd, "gpu")
__WW_ATOMIC_VECTORS(atomicAdd_block, "cta")
__WW_ATOMIC_VECTORS(atomicAdd_system, "sys")
#undef __WW_ATOMIC_VECTORS
#endif
