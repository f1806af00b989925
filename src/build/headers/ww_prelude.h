// SPDX-License-Identifier: Apache-2.0
// Included before every candidate when clang compiles it without a CUDA toolkit. clang ships the
// wrappers around its own built-in functions; this file adds what it expects a toolkit to bring.
#pragma once

#if !defined(__CUDA__) || !defined(__clang__)
#error "this header is for clang's CUDA mode"
#endif

#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 3
#define __CUDACC_VER_BUILD__ 0
// Programs choose CUDA by it. The toolkit's libraries must see who compiles them.
#ifndef WW_LIBRARIES
#define __NVCC__ 1
#endif

// What is inlined from here counts as the line of the call.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

// The order of the includes matters.
// clang-format off
#include <__clang_cuda_math_forward_declares.h>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <array>
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda.h"
#include "host_defines.h"
// Code for devices whose wavefronts are no warps.
#ifdef WW_WAVE_SIZE
#define warpSize ww_cuda_warp_size
#endif
#include <__clang_cuda_builtin_vars.h>
#ifdef WW_WAVE_SIZE
#undef warpSize
static constexpr int warpSize = WW_WAVE_SIZE;
#endif
#include "vector_types.h"
#include <__clang_cuda_libdevice_declares.h>
#include "ww_libdevice.h"
#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>
#include "ww_math.h"
// clang-format on

extern "C" {
__device__ int vprintf(const char*, const char*);
__device__ void free(void*) __attribute__((nothrow));
__device__ void* malloc(size_t) __attribute__((nothrow)) __attribute__((malloc));
__device__ void __assertfail(const char* message, const char* file, unsigned line,
                             const char* function, size_t char_size);
__device__ static inline void __assert_fail(const char* message, const char* file, unsigned line,
                                            const char* function) {
  __assertfail(message, file, line, function, sizeof(char));
}
__device__ int printf(const char*, ...);
}

namespace std {
__device__ static inline void free(void* pointer) { ::free(pointer); }
__device__ static inline void* malloc(size_t size) { return ::malloc(size); }
}  // namespace std

__device__ inline __cuda_builtin_threadIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_threadIdx_t::operator uint3() const { return {x, y, z}; }
__device__ inline __cuda_builtin_blockIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockIdx_t::operator uint3() const { return {x, y, z}; }
__device__ inline __cuda_builtin_blockDim_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockDim_t::operator uint3() const { return {x, y, z}; }
__device__ inline __cuda_builtin_gridDim_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_gridDim_t::operator uint3() const { return {x, y, z}; }

static __device__ __forceinline__ unsigned __isGlobal(const void* p) {
  return __nvvm_isspacep_global(p);
}
static __device__ __forceinline__ unsigned __isShared(const void* p) {
  return __nvvm_isspacep_shared(p);
}
static __device__ __forceinline__ unsigned __isConstant(const void* p) {
  return __nvvm_isspacep_const(p);
}
static __device__ __forceinline__ unsigned __isLocal(const void* p) {
  return __nvvm_isspacep_local(p);
}

// Used by clang's cluster functions, defined with the other conversions in ww_intrinsics.h.
static inline __device__ size_t __cvta_generic_to_shared(const void* p);

// clang-format off
#include <__clang_cuda_cmath.h>
// clang 19 hands mask and value to redux.sync the wrong way round; ours are in ww_intrinsics.h.
#define __reduce_add_sync __ww_unused_reduce_add
#define __reduce_min_sync __ww_unused_reduce_min
#define __reduce_max_sync __ww_unused_reduce_max
#define __reduce_or_sync __ww_unused_reduce_or
#define __reduce_and_sync __ww_unused_reduce_and
#define __reduce_xor_sync __ww_unused_reduce_xor
// Its additions of vectors vanish where nobody uses what was there before; ours are in ww_atomics.h.
#define atomicAdd __ww_unused_atomic_add
#define atomicAdd_block __ww_unused_atomic_add_block
#define atomicAdd_system __ww_unused_atomic_add_system
#include <__clang_cuda_intrinsics.h>
#undef atomicAdd
#undef atomicAdd_block
#undef atomicAdd_system
#undef __reduce_add_sync
#undef __reduce_min_sync
#undef __reduce_max_sync
#undef __reduce_or_sync
#undef __reduce_and_sync
#undef __reduce_xor_sync
#include "ww_atomics.h"
#include "ww_intrinsics.h"
#include "cuda_runtime.h"
#include "ww_textures.h"
#include "ww_surfaces.h"
#include "ww_dpx.h"
// clang-format on

// nvcc knows isnan and its like without std:: in functions for both sides.
#include <math.h>

// nvcc takes alignas behind __shared__, clang only before it: as an attribute it may
// stand anywhere. The functions tell a type from a number.
template <class T>
__host__ __device__ constexpr size_t __ww_alignment() {
  return alignof(T);
}
template <auto N>
__host__ __device__ constexpr size_t __ww_alignment() {
  return N;
}
#define alignas(...) __attribute__((aligned(__ww_alignment<__VA_ARGS__>())))

#ifdef WW_LIBRARIES
#include "ww_toolkit.h"
#endif

extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0,
                                                void* stream = 0);

#pragma clang attribute pop

// Where this program's managed variables are (host_defines.h).
#if defined(WW_MANAGED_SHADOWS) && !defined(__CUDA_ARCH__)
extern "C" __attribute__((weak, visibility("hidden"))) char __start_ww_managed[],
    __stop_ww_managed[];
extern "C" void __ww_managed_shadows(char* begin, char* end);
__attribute__((constructor)) static void __ww_tell_shadows() {
  if (__start_ww_managed != nullptr) __ww_managed_shadows(__start_ww_managed, __stop_ww_managed);
}
#endif
