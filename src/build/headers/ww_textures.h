// SPDX-License-Identifier: Apache-2.0
// Fetches from texture objects: tex1Dfetch<T>(texture, x) and its kin, the forms that return their
// value and those that write it.
#pragma once

#include "texture_types.h"
#include "vector_types.h"

#if defined(__CUDA__)

struct __ww_real_texel {
  float x, y, z, w;
};
struct __ww_unsigned_texel {
  unsigned x, y, z, w;
};
struct __ww_signed_texel {
  int x, y, z, w;
};

// One fetch with results of one register type; ... are the coordinates as asm operands.
#define __WW_FETCH(TEXEL, OUT, TYPE, NAME, SHAPE, AT, PARAMETERS, ...)                      \
  static __device__ __forceinline__ TEXEL NAME(TEXEL*, cudaTextureObject_t t, PARAMETERS) { \
    TEXEL v;                                                                                \
    asm("tex." SHAPE ".v4." TYPE " {%0, %1, %2, %3}, [%4, " AT ";"                          \
        : "=" OUT(v.x), "=" OUT(v.y), "=" OUT(v.z), "=" OUT(v.w)                            \
        : "l"(t), __VA_ARGS__);                                                             \
    return v;                                                                               \
  }
#define __WW_LIST(...) __VA_ARGS__
// The same for all three.
#define __WW_FETCHES(NAME, SHAPE, COORDINATE, AT, PARAMETERS, ...)                               \
  __WW_FETCH(__ww_real_texel, "f", "f32." COORDINATE, NAME, SHAPE, AT, __WW_LIST PARAMETERS,     \
             __VA_ARGS__)                                                                        \
  __WW_FETCH(__ww_unsigned_texel, "r", "u32." COORDINATE, NAME, SHAPE, AT, __WW_LIST PARAMETERS, \
             __VA_ARGS__)                                                                        \
  __WW_FETCH(__ww_signed_texel, "r", "s32." COORDINATE, NAME, SHAPE, AT, __WW_LIST PARAMETERS,   \
             __VA_ARGS__)

__WW_FETCHES(__ww_tex1Dfetch, "1d", "s32", "{%5}]", (int x), "r"(x))
__WW_FETCHES(__ww_tex1D, "1d", "f32", "{%5}]", (float x), "f"(x))
__WW_FETCHES(__ww_tex2D, "2d", "f32", "{%5, %6}]", (float x, float y), "f"(x), "f"(y))
__WW_FETCHES(__ww_tex3D, "3d", "f32", "{%5, %6, %7, %7}]", (float x, float y, float z), "f"(x),
             "f"(y), "f"(z))
__WW_FETCHES(__ww_tex1DLayered, "a1d", "f32", "{%5, %6}]", (float x, int layer), "r"(layer), "f"(x))
__WW_FETCHES(__ww_tex2DLayered, "a2d", "f32", "{%5, %6, %7, %7}]", (float x, float y, int layer),
             "r"(layer), "f"(x), "f"(y))
__WW_FETCHES(__ww_tex1DLod, "level.1d", "f32", "{%5}], %6", (float x, float level), "f"(x),
             "f"(level))
__WW_FETCHES(__ww_tex2DLod, "level.2d", "f32", "{%5, %6}], %7", (float x, float y, float level),
             "f"(x), "f"(y), "f"(level))
__WW_FETCHES(__ww_tex3DLod, "level.3d", "f32", "{%5, %6, %7, %7}], %8",
             (float x, float y, float z, float level), "f"(x), "f"(y), "f"(z), "f"(level))
#undef __WW_FETCHES
#undef __WW_LIST
#undef __WW_FETCH

// Which registers a type is fetched by, and how it is made of them.
template <class T>
struct __ww_texel;
#define __WW_TEXEL(SCALAR, NAME, TEXEL)                                                            \
  template <>                                                                                      \
  struct __ww_texel<SCALAR> {                                                                      \
    typedef TEXEL fetched;                                                                         \
    static __device__ __forceinline__ SCALAR made(TEXEL v) { return (SCALAR)v.x; }                 \
  };                                                                                               \
  template <>                                                                                      \
  struct __ww_texel<NAME##1> {                                                                     \
    typedef TEXEL fetched;                                                                         \
    static __device__ __forceinline__ NAME##1 made(TEXEL v) { return {(SCALAR)v.x}; }              \
  };                                                                                               \
  template <>                                                                                      \
  struct __ww_texel<NAME##2> {                                                                     \
    typedef TEXEL fetched;                                                                         \
    static __device__ __forceinline__ NAME##2 made(TEXEL v) { return {(SCALAR)v.x, (SCALAR)v.y}; } \
  };                                                                                               \
  template <>                                                                                      \
  struct __ww_texel<NAME##4> {                                                                     \
    typedef TEXEL fetched;                                                                         \
    static __device__ __forceinline__ NAME##4 made(TEXEL v) {                                      \
      return {(SCALAR)v.x, (SCALAR)v.y, (SCALAR)v.z, (SCALAR)v.w};                                 \
    }                                                                                              \
  };
__WW_TEXEL(float, float, __ww_real_texel)
__WW_TEXEL(signed char, char, __ww_signed_texel)
__WW_TEXEL(unsigned char, uchar, __ww_unsigned_texel)
__WW_TEXEL(short, short, __ww_signed_texel)
__WW_TEXEL(unsigned short, ushort, __ww_unsigned_texel)
__WW_TEXEL(int, int, __ww_signed_texel)
__WW_TEXEL(unsigned, uint, __ww_unsigned_texel)
#undef __WW_TEXEL
template <>
struct __ww_texel<char> : __ww_texel<signed char> {};

#define __WW_TEXTURE(NAME, PARAMETERS, ARGUMENTS)                                                  \
  template <class T>                                                                               \
  static __device__ __forceinline__ T NAME(cudaTextureObject_t texture, PARAMETERS) {              \
    return __ww_texel<T>::made(                                                                    \
        __ww_##NAME((typename __ww_texel<T>::fetched*)nullptr, texture, ARGUMENTS));               \
  }                                                                                                \
  template <class T>                                                                               \
  static __device__ __forceinline__ void NAME(T* value, cudaTextureObject_t texture, PARAMETERS) { \
    *value = NAME<T>(texture, ARGUMENTS);                                                          \
  }
#define __WW_COMMA ,
__WW_TEXTURE(tex1Dfetch, int x, x)
__WW_TEXTURE(tex1D, float x, x)
__WW_TEXTURE(tex2D, float x __WW_COMMA float y, x __WW_COMMA y)
__WW_TEXTURE(tex3D, float x __WW_COMMA float y __WW_COMMA float z, x __WW_COMMA y __WW_COMMA z)
__WW_TEXTURE(tex1DLayered, float x __WW_COMMA int layer, x __WW_COMMA layer)
__WW_TEXTURE(tex2DLayered, float x __WW_COMMA float y __WW_COMMA int layer,
             x __WW_COMMA y __WW_COMMA layer)
__WW_TEXTURE(tex1DLod, float x __WW_COMMA float level, x __WW_COMMA level)
__WW_TEXTURE(tex2DLod, float x __WW_COMMA float y __WW_COMMA float level,
             x __WW_COMMA y __WW_COMMA level)
__WW_TEXTURE(tex3DLod, float x __WW_COMMA float y __WW_COMMA float z __WW_COMMA float level,
             x __WW_COMMA y __WW_COMMA z __WW_COMMA level)
#undef __WW_COMMA
#undef __WW_TEXTURE

#endif
