// SPDX-License-Identifier: Apache-2.0
// Reads and writes of surface objects: surf2Dread<T>(surface, x, y) and its kin; x counts bytes. A
// value goes as bits of its size.
#pragma once

#include "texture_types.h"

#if defined(__CUDA__)

struct __ww_surface_pair {
  unsigned long long low, high;
};
template <int Bytes>
struct __ww_surface_bits;
template <>
struct __ww_surface_bits<1> {
  typedef unsigned char type;
};
template <>
struct __ww_surface_bits<2> {
  typedef unsigned short type;
};
template <>
struct __ww_surface_bits<4> {
  typedef unsigned type;
};
template <>
struct __ww_surface_bits<8> {
  typedef unsigned long long type;
};
template <>
struct __ww_surface_bits<16> {
  typedef __ww_surface_pair type;
};

// An access of one register; a, b and c are coordinates as PTX orders them, of which AT names those
// that the geometry has.
#define __WW_SURFACE_WORD(NAME, GEOMETRY, AT, EDGE, TYPE, WORD, BITS, LETTER)                      \
  static __device__ __forceinline__ void __ww_##NAME##_read_##EDGE(TYPE& v, cudaSurfaceObject_t s, \
                                                                   int a, int b, int c) {          \
    WORD word;                                                                                     \
    asm volatile("suld.b." GEOMETRY "." BITS "." #EDGE " {%0}, [%1, " AT "];"                      \
                 : "=" LETTER(word)                                                                \
                 : "l"(s), "r"(a), "r"(b), "r"(c)                                                  \
                 : "memory");                                                                      \
    v = (TYPE)word;                                                                                \
  }                                                                                                \
  static __device__ __forceinline__ void __ww_##NAME##_write_##EDGE(TYPE v, cudaSurfaceObject_t s, \
                                                                    int a, int b, int c) {         \
    asm volatile("sust.b." GEOMETRY "." BITS "." #EDGE " [%1, " AT "], {%0};" ::LETTER((WORD)v),   \
                 "l"(s), "r"(a), "r"(b), "r"(c)                                                    \
                 : "memory");                                                                      \
  }
// 16 bytes are two of 8.
#define __WW_SURFACE_EDGE(NAME, GEOMETRY, AT, EDGE, PAIR_AT)                                       \
  __WW_SURFACE_WORD(NAME, GEOMETRY, AT, EDGE, unsigned char, unsigned short, "b8", "h")            \
  __WW_SURFACE_WORD(NAME, GEOMETRY, AT, EDGE, unsigned short, unsigned short, "b16", "h")          \
  __WW_SURFACE_WORD(NAME, GEOMETRY, AT, EDGE, unsigned, unsigned, "b32", "r")                      \
  __WW_SURFACE_WORD(NAME, GEOMETRY, AT, EDGE, unsigned long long, unsigned long long, "b64", "l")  \
  static __device__ __forceinline__ void __ww_##NAME##_read_##EDGE(                                \
      __ww_surface_pair& v, cudaSurfaceObject_t s, int a, int b, int c) {                          \
    asm volatile("suld.b." GEOMETRY ".v2.b64." #EDGE " {%0, %1}, [%2, " PAIR_AT "];"               \
                 : "=l"(v.low), "=l"(v.high)                                                       \
                 : "l"(s), "r"(a), "r"(b), "r"(c)                                                  \
                 : "memory");                                                                      \
  }                                                                                                \
  static __device__ __forceinline__ void __ww_##NAME##_write_##EDGE(                               \
      __ww_surface_pair v, cudaSurfaceObject_t s, int a, int b, int c) {                           \
    asm volatile("sust.b." GEOMETRY ".v2.b64." #EDGE " [%2, " PAIR_AT "], {%0, %1};" ::"l"(v.low), \
                 "l"(v.high), "l"(s), "r"(a), "r"(b), "r"(c)                                       \
                 : "memory");                                                                      \
  }

#define __WW_LIST(...) __VA_ARGS__
// PARAMETERS and ABC are lists in parentheses: what the user gives, and a, b, c made of it.
#define __WW_SURFACE(NAME, GEOMETRY, AT, PAIR_AT, PARAMETERS, ARGUMENTS, ABC) \
  __WW_SURFACE_EDGE(NAME, GEOMETRY, AT, trap, PAIR_AT)                        \
  __WW_SURFACE_EDGE(NAME, GEOMETRY, AT, clamp, PAIR_AT)                       \
  __WW_SURFACE_EDGE(NAME, GEOMETRY, AT, zero, PAIR_AT)                        \
  template <class T>                                                          \
  static __device__ __forceinline__ T NAME##read(                             \
      cudaSurfaceObject_t surface, __WW_LIST PARAMETERS,                      \
      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                  \
    typename __ww_surface_bits<sizeof(T)>::type bits;                         \
    if (mode == cudaBoundaryModeTrap) {                                       \
      __ww_##NAME##_read_trap(bits, surface, __WW_LIST ABC);                  \
    } else if (mode == cudaBoundaryModeClamp) {                               \
      __ww_##NAME##_read_clamp(bits, surface, __WW_LIST ABC);                 \
    } else {                                                                  \
      __ww_##NAME##_read_zero(bits, surface, __WW_LIST ABC);                  \
    }                                                                         \
    T value;                                                                  \
    __builtin_memcpy(&value, &bits, sizeof value);                            \
    return value;                                                             \
  }                                                                           \
  template <class T>                                                          \
  static __device__ __forceinline__ void NAME##read(                          \
      T* value, cudaSurfaceObject_t surface, __WW_LIST PARAMETERS,            \
      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                  \
    *value = NAME##read<T>(surface, __WW_LIST ARGUMENTS, mode);               \
  }                                                                           \
  template <class T>                                                          \
  static __device__ __forceinline__ void NAME##write(                         \
      T value, cudaSurfaceObject_t surface, __WW_LIST PARAMETERS,             \
      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                  \
    typename __ww_surface_bits<sizeof(T)>::type bits;                         \
    __builtin_memcpy(&bits, &value, sizeof value);                            \
    if (mode == cudaBoundaryModeTrap) {                                       \
      __ww_##NAME##_write_trap(bits, surface, __WW_LIST ABC);                 \
    } else if (mode == cudaBoundaryModeClamp) {                               \
      __ww_##NAME##_write_clamp(bits, surface, __WW_LIST ABC);                \
    } else {                                                                  \
      __ww_##NAME##_write_zero(bits, surface, __WW_LIST ABC);                 \
    }                                                                         \
  }

__WW_SURFACE(surf1D, "1d", "{%2}", "{%3}", (int x), (x), (x, 0, 0))
__WW_SURFACE(surf2D, "2d", "{%2, %3}", "{%3, %4}", (int x, int y), (x, y), (x, y, 0))
// Of three coordinates PTX wants four.
__WW_SURFACE(surf3D, "3d", "{%2, %3, %4, %4}", "{%3, %4, %5, %5}", (int x, int y, int z), (x, y, z),
             (x, y, z))
__WW_SURFACE(surf1DLayered, "a1d", "{%2, %3}", "{%3, %4}", (int x, int layer), (x, layer),
             (layer, x, 0))
__WW_SURFACE(surf2DLayered, "a2d", "{%2, %3, %4, %4}", "{%3, %4, %5, %5}",
             (int x, int y, int layer), (x, y, layer), (layer, x, y))

#undef __WW_SURFACE
#undef __WW_LIST
#undef __WW_SURFACE_EDGE
#undef __WW_SURFACE_WORD

#endif
