// SPDX-License-Identifier: Apache-2.0
// Loads and stores with cache hints, dot products, and other one-instruction intrinsics that
// clang's wrappers leave to the toolkit.
#pragma once

#include "vector_types.h"

#define __WW_LOAD(NAME, HINT, T, SUFFIX, LETTER)                                        \
  static inline __device__ T NAME(const T* p) {                                         \
    T v;                                                                                \
    asm("ld.global." HINT "." SUFFIX " %0, [%1];" : "=" LETTER(v) : "l"(p) : "memory"); \
    return v;                                                                           \
  }
#define __WW_LOAD2(NAME, HINT, T, SUFFIX, LETTER)          \
  static inline __device__ T NAME(const T* p) {            \
    T v;                                                   \
    asm("ld.global." HINT ".v2." SUFFIX " {%0, %1}, [%2];" \
        : "=" LETTER(v.x), "=" LETTER(v.y)                 \
        : "l"(p)                                           \
        : "memory");                                       \
    return v;                                              \
  }
#define __WW_LOAD4(NAME, HINT, T, SUFFIX, LETTER)                            \
  static inline __device__ T NAME(const T* p) {                              \
    T v;                                                                     \
    asm("ld.global." HINT ".v4." SUFFIX " {%0, %1, %2, %3}, [%4];"           \
        : "=" LETTER(v.x), "=" LETTER(v.y), "=" LETTER(v.z), "=" LETTER(v.w) \
        : "l"(p)                                                             \
        : "memory");                                                         \
    return v;                                                                \
  }
#define __WW_STORE(NAME, HINT, T, SUFFIX, LETTER)                                             \
  static inline __device__ void NAME(T* p, T v) {                                             \
    asm volatile("st.global." HINT "." SUFFIX " [%0], %1;" : : "l"(p), LETTER(v) : "memory"); \
  }
#define __WW_STORE2(NAME, HINT, T, SUFFIX, LETTER)                  \
  static inline __device__ void NAME(T* p, T v) {                   \
    asm volatile("st.global." HINT ".v2." SUFFIX " [%0], {%1, %2};" \
                 :                                                  \
                 : "l"(p), LETTER(v.x), LETTER(v.y)                 \
                 : "memory");                                       \
  }
#define __WW_STORE4(NAME, HINT, T, SUFFIX, LETTER)                            \
  static inline __device__ void NAME(T* p, T v) {                             \
    asm volatile("st.global." HINT ".v4." SUFFIX " [%0], {%1, %2, %3, %4};"   \
                 :                                                            \
                 : "l"(p), LETTER(v.x), LETTER(v.y), LETTER(v.z), LETTER(v.w) \
                 : "memory");                                                 \
  }

#define __WW_ALL_TYPES(ONE, TWO, FOUR, NAME, HINT) \
  ONE(NAME, HINT, short, "s16", "h")               \
  ONE(NAME, HINT, unsigned short, "u16", "h")      \
  ONE(NAME, HINT, int, "s32", "r")                 \
  ONE(NAME, HINT, unsigned int, "u32", "r")        \
  ONE(NAME, HINT, long, "s64", "l")                \
  ONE(NAME, HINT, unsigned long, "u64", "l")       \
  ONE(NAME, HINT, long long, "s64", "l")           \
  ONE(NAME, HINT, unsigned long long, "u64", "l")  \
  ONE(NAME, HINT, float, "f32", "f")               \
  ONE(NAME, HINT, double, "f64", "d")              \
  TWO(NAME, HINT, int2, "s32", "r")                \
  TWO(NAME, HINT, uint2, "u32", "r")               \
  TWO(NAME, HINT, float2, "f32", "f")              \
  TWO(NAME, HINT, double2, "f64", "d")             \
  TWO(NAME, HINT, longlong2, "s64", "l")           \
  TWO(NAME, HINT, ulonglong2, "u64", "l")          \
  FOUR(NAME, HINT, int4, "s32", "r")               \
  FOUR(NAME, HINT, uint4, "u32", "r")              \
  FOUR(NAME, HINT, float4, "f32", "f")

// Bytes arrive in registers of 16 bits; types of the same size as one above travel as that one.
#define __WW_LOAD_BYTE(NAME, HINT, T)                                     \
  static inline __device__ T NAME(const T* p) {                           \
    unsigned short v;                                                     \
    asm("ld.global." HINT ".u8 %0, [%1];" : "=h"(v) : "l"(p) : "memory"); \
    return (T)v;                                                          \
  }
#define __WW_STORE_BYTE(NAME, HINT, T)                           \
  static inline __device__ void NAME(T* p, T v) {                \
    asm volatile("st.global." HINT ".u8 [%0], %1;"               \
                 :                                               \
                 : "l"(p), "h"((unsigned short)(unsigned char)v) \
                 : "memory");                                    \
  }
#define __WW_LOAD_AS(NAME, T, SAME)                                       \
  static inline __device__ T NAME(const T* p) {                           \
    return __builtin_bit_cast(T, NAME(reinterpret_cast<const SAME*>(p))); \
  }
#define __WW_STORE_AS(NAME, T, SAME)                               \
  static inline __device__ void NAME(T* p, T v) {                  \
    NAME(reinterpret_cast<SAME*>(p), __builtin_bit_cast(SAME, v)); \
  }
#define __WW_MORE_TYPES(BYTE, AS, NAME, HINT) \
  BYTE(NAME, HINT, char)                      \
  BYTE(NAME, HINT, signed char)               \
  BYTE(NAME, HINT, unsigned char)             \
  AS(NAME, char2, unsigned short)             \
  AS(NAME, uchar2, unsigned short)            \
  AS(NAME, char4, unsigned)                   \
  AS(NAME, uchar4, unsigned)                  \
  AS(NAME, short2, unsigned)                  \
  AS(NAME, ushort2, unsigned)                 \
  AS(NAME, short4, uint2)                     \
  AS(NAME, ushort4, uint2)

__WW_ALL_TYPES(__WW_LOAD, __WW_LOAD2, __WW_LOAD4, __ldcg, "cg")
__WW_ALL_TYPES(__WW_LOAD, __WW_LOAD2, __WW_LOAD4, __ldca, "ca")
__WW_ALL_TYPES(__WW_LOAD, __WW_LOAD2, __WW_LOAD4, __ldcs, "cs")
__WW_ALL_TYPES(__WW_LOAD, __WW_LOAD2, __WW_LOAD4, __ldlu, "lu")
__WW_ALL_TYPES(__WW_LOAD, __WW_LOAD2, __WW_LOAD4, __ldcv, "cv")
__WW_ALL_TYPES(__WW_STORE, __WW_STORE2, __WW_STORE4, __stwb, "wb")
__WW_ALL_TYPES(__WW_STORE, __WW_STORE2, __WW_STORE4, __stcg, "cg")
__WW_ALL_TYPES(__WW_STORE, __WW_STORE2, __WW_STORE4, __stcs, "cs")
__WW_ALL_TYPES(__WW_STORE, __WW_STORE2, __WW_STORE4, __stwt, "wt")
__WW_MORE_TYPES(__WW_LOAD_BYTE, __WW_LOAD_AS, __ldcg, "cg")
__WW_MORE_TYPES(__WW_LOAD_BYTE, __WW_LOAD_AS, __ldca, "ca")
__WW_MORE_TYPES(__WW_LOAD_BYTE, __WW_LOAD_AS, __ldcs, "cs")
__WW_MORE_TYPES(__WW_LOAD_BYTE, __WW_LOAD_AS, __ldlu, "lu")
__WW_MORE_TYPES(__WW_LOAD_BYTE, __WW_LOAD_AS, __ldcv, "cv")
__WW_MORE_TYPES(__WW_STORE_BYTE, __WW_STORE_AS, __stwb, "wb")
__WW_MORE_TYPES(__WW_STORE_BYTE, __WW_STORE_AS, __stcg, "cg")
__WW_MORE_TYPES(__WW_STORE_BYTE, __WW_STORE_AS, __stcs, "cs")
__WW_MORE_TYPES(__WW_STORE_BYTE, __WW_STORE_AS, __stwt, "wt")
#undef __WW_MORE_TYPES
#undef __WW_LOAD_BYTE
#undef __WW_STORE_BYTE
#undef __WW_LOAD_AS
#undef __WW_STORE_AS
#undef __WW_ALL_TYPES
#undef __WW_LOAD
#undef __WW_LOAD2
#undef __WW_LOAD4
#undef __WW_STORE
#undef __WW_STORE2
#undef __WW_STORE4

static inline __device__ int __dp4a(int a, int b, int c) {
  int d;
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
static inline __device__ unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  unsigned d;
  asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
static inline __device__ int __dp4a(char4 a, char4 b, int c) {
  return __dp4a(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
static inline __device__ int __dp2a_lo(int a, int b, int c) {
  int d;
  asm("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
static inline __device__ int __dp2a_hi(int a, int b, int c) {
  int d;
  asm("dp2a.hi.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}

static inline __device__ void __nanosleep(unsigned ns) {
  asm volatile("nanosleep.u32 %0;" : : "r"(ns));
}
static inline __device__ void cudaGridDependencySynchronize() {
  asm volatile("griddepcontrol.wait;" : : : "memory");
}
static inline __device__ void cudaTriggerProgrammaticLaunchCompletion() {
  asm volatile("griddepcontrol.launch_dependents;" : : : "memory");
}
static inline __device__ unsigned __smid() { return __nvvm_read_ptx_sreg_smid(); }

static inline __device__ size_t __cvta_generic_to_shared(const void* p) {
  return __nv_cvta_generic_to_shared_impl(p);
}
static inline __device__ size_t __cvta_generic_to_global(const void* p) {
  return __nv_cvta_generic_to_global_impl(p);
}
static inline __device__ void* __cvta_shared_to_generic(size_t p) {
  return __nv_cvta_shared_to_generic_impl(p);
}
static inline __device__ void* __cvta_global_to_generic(size_t p) {
  return __nv_cvta_global_to_generic_impl(p);
}
static inline __device__ void __prefetch_global_l1(const void* p) {
  asm volatile("prefetch.global.L1 [%0];" : : "l"(p));
}
static inline __device__ void __prefetch_global_l2(const void* p) {
  asm volatile("prefetch.global.L2 [%0];" : : "l"(p));
}

#define __WW_MATCH(T, BITS, AS)                                                                \
  static inline __device__ unsigned __match_any_sync(unsigned mask, T value) {                 \
    return __match##BITS##_any_sync(mask, __builtin_bit_cast(AS, value));                      \
  }                                                                                            \
  static inline __device__ unsigned __match_all_sync(unsigned mask, T value, int* predicate) { \
    return __match##BITS##_all_sync(mask, __builtin_bit_cast(AS, value), predicate);           \
  }
__WW_MATCH(int, 32, unsigned)
__WW_MATCH(unsigned, 32, unsigned)
__WW_MATCH(float, 32, unsigned)
__WW_MATCH(long, 64, unsigned long long)
__WW_MATCH(unsigned long, 64, unsigned long long)
__WW_MATCH(long long, 64, unsigned long long)
__WW_MATCH(unsigned long long, 64, unsigned long long)
__WW_MATCH(double, 64, unsigned long long)
#undef __WW_MATCH

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define __WW_REDUX(NAME, T, INSTRUCTION)                    \
  static inline __device__ T NAME(unsigned mask, T value) { \
    T result;                                               \
    asm volatile("redux.sync." INSTRUCTION " %0, %1, %2;"   \
                 : "=r"(result)                             \
                 : "r"(value), "r"(mask)                    \
                 : "memory");                               \
    return result;                                          \
  }
__WW_REDUX(__reduce_add_sync, unsigned, "add.u32")
__WW_REDUX(__reduce_min_sync, unsigned, "min.u32")
__WW_REDUX(__reduce_max_sync, unsigned, "max.u32")
__WW_REDUX(__reduce_add_sync, int, "add.s32")
__WW_REDUX(__reduce_min_sync, int, "min.s32")
__WW_REDUX(__reduce_max_sync, int, "max.s32")
__WW_REDUX(__reduce_and_sync, unsigned, "and.b32")
__WW_REDUX(__reduce_or_sync, unsigned, "or.b32")
__WW_REDUX(__reduce_xor_sync, unsigned, "xor.b32")
#undef __WW_REDUX
#endif
