// SPDX-License-Identifier: Apache-2.0
// nvcuda::wmma over the compiler's matrix built-ins: half, bfloat16, tf32, double and 8-bit
// integers.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

// What is inlined from here counts as the line of the call.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

#if defined(__CUDA__)

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32;
}

/// Elements of a fragment that one thread holds. The default is for nothing: each combination the
/// hardware has is a row below.
template <class Use, int M, int N, int K, class T, class Layout = void>
class fragment;

#define __WW_FRAGMENT(USE, M, N, K, T, STORED, COUNT)  \
  template <class Layout>                              \
  class fragment<USE, M, N, K, T, Layout> {            \
   public:                                             \
    typedef STORED element_type;                       \
    typedef STORED storage_element_type;               \
    static constexpr int num_elements = COUNT;         \
    static constexpr int num_storage_elements = COUNT; \
    __align__(16) STORED x[COUNT];                     \
  };

template <class Layout>
struct ww_layout {
  enum { value = 0 };
};
template <>
struct ww_layout<col_major> {
  enum { value = 1 };
};

// The built-ins want their layout as a constant.
#define __WW_LOAD_WORDS(USE, M, N, K, T, SOURCE, WORD, BUILTIN)                        \
  template <class Layout>                                                              \
  static inline __device__ void load_matrix_sync(fragment<USE, M, N, K, T, Layout>& f, \
                                                 const SOURCE* p, unsigned ldm) {      \
    BUILTIN((WORD*)f.x, (const WORD*)p, ldm, ww_layout<Layout>::value);                \
  }
#define __WW_LOAD_INPUT(USE, M, N, K, T, SOURCE, BUILTIN) \
  __WW_LOAD_WORDS(USE, M, N, K, T, SOURCE, int, BUILTIN)
#define __WW_ACCUMULATOR(M, N, K, T, WORD, LOAD, STORE)                                        \
  static inline __device__ void load_matrix_sync(fragment<accumulator, M, N, K, T, void>& f,   \
                                                 const T* p, unsigned ldm, layout_t layout) {  \
    if (layout == mem_row_major) {                                                             \
      LOAD((WORD*)f.x, (const WORD*)p, ldm, 0);                                                \
    } else {                                                                                   \
      LOAD((WORD*)f.x, (const WORD*)p, ldm, 1);                                                \
    }                                                                                          \
  }                                                                                            \
  static inline __device__ void store_matrix_sync(                                             \
      T* p, const fragment<accumulator, M, N, K, T, void>& f, unsigned ldm, layout_t layout) { \
    if (layout == mem_row_major) {                                                             \
      STORE((WORD*)p, (const WORD*)f.x, ldm, 0);                                               \
    } else {                                                                                   \
      STORE((WORD*)p, (const WORD*)f.x, ldm, 1);                                               \
    }                                                                                          \
  }
// Row-row, row-column, column-row, column-column are 0 to 3.
#define __WW_MMA(M, N, K, T, D, DWORD, C, CWORD, BUILTIN) \
  __WW_MMA_WORDS(M, N, K, T, int, D, DWORD, C, CWORD, BUILTIN)
#define __WW_MMA_WORDS(M, N, K, T, WORD, D, DWORD, C, CWORD, BUILTIN)                        \
  template <class LayoutA, class LayoutB>                                                    \
  static inline __device__ void mma_sync(fragment<accumulator, M, N, K, D, void>& d,         \
                                         const fragment<matrix_a, M, N, K, T, LayoutA>& a,   \
                                         const fragment<matrix_b, M, N, K, T, LayoutB>& b,   \
                                         const fragment<accumulator, M, N, K, C, void>& c) { \
    BUILTIN((DWORD*)d.x, (const WORD*)a.x, (const WORD*)b.x, (const CWORD*)c.x,              \
            2 * ww_layout<LayoutA>::value + ww_layout<LayoutB>::value, 0);                   \
  }

#define __WW_HALF_SHAPE(M, N, K, SHAPE)                                                         \
  __WW_FRAGMENT(matrix_a, M, N, K, __half, __half, 16)                                          \
  __WW_FRAGMENT(matrix_b, M, N, K, __half, __half, 16)                                          \
  __WW_FRAGMENT(accumulator, M, N, K, __half, __half, 8)                                        \
  __WW_FRAGMENT(accumulator, M, N, K, float, float, 8)                                          \
  __WW_LOAD_INPUT(matrix_a, M, N, K, __half, __half, __hmma_##SHAPE##_ld_a)                     \
  __WW_LOAD_INPUT(matrix_b, M, N, K, __half, __half, __hmma_##SHAPE##_ld_b)                     \
  __WW_ACCUMULATOR(M, N, K, __half, int, __hmma_##SHAPE##_ld_c_f16, __hmma_##SHAPE##_st_c_f16)  \
  __WW_ACCUMULATOR(M, N, K, float, float, __hmma_##SHAPE##_ld_c_f32, __hmma_##SHAPE##_st_c_f32) \
  __WW_MMA(M, N, K, __half, float, float, float, float, __hmma_##SHAPE##_mma_f32f32)            \
  __WW_MMA(M, N, K, __half, __half, int, __half, int, __hmma_##SHAPE##_mma_f16f16)              \
  __WW_MMA(M, N, K, __half, float, float, __half, int, __hmma_##SHAPE##_mma_f32f16)             \
  __WW_MMA(M, N, K, __half, __half, int, float, float, __hmma_##SHAPE##_mma_f16f32)
__WW_HALF_SHAPE(16, 16, 16, m16n16k16)
__WW_HALF_SHAPE(32, 8, 16, m32n8k16)
__WW_HALF_SHAPE(8, 32, 16, m8n32k16)

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define __WW_BF16_SHAPE(M, N, K, SHAPE, COUNT_A, COUNT_B)                                     \
  __WW_FRAGMENT(matrix_a, M, N, K, __nv_bfloat16, __nv_bfloat16, COUNT_A)                     \
  __WW_FRAGMENT(matrix_b, M, N, K, __nv_bfloat16, __nv_bfloat16, COUNT_B)                     \
  __WW_LOAD_INPUT(matrix_a, M, N, K, __nv_bfloat16, __nv_bfloat16, __mma_bf16_##SHAPE##_ld_a) \
  __WW_LOAD_INPUT(matrix_b, M, N, K, __nv_bfloat16, __nv_bfloat16, __mma_bf16_##SHAPE##_ld_b) \
  __WW_MMA(M, N, K, __nv_bfloat16, float, float, float, float, __mma_bf16_##SHAPE##_mma_f32)
__WW_BF16_SHAPE(16, 16, 16, m16n16k16, 8, 8)
__WW_BF16_SHAPE(32, 8, 16, m32n8k16, 16, 4)
__WW_BF16_SHAPE(8, 32, 16, m8n32k16, 4, 16)

__WW_FRAGMENT(matrix_a, 16, 16, 8, precision::tf32, float, 4)
__WW_FRAGMENT(matrix_b, 16, 16, 8, precision::tf32, float, 4)
__WW_FRAGMENT(accumulator, 16, 16, 8, float, float, 8)
__WW_LOAD_INPUT(matrix_a, 16, 16, 8, precision::tf32, float, __mma_tf32_m16n16k8_ld_a)
__WW_LOAD_INPUT(matrix_b, 16, 16, 8, precision::tf32, float, __mma_tf32_m16n16k8_ld_b)
__WW_ACCUMULATOR(16, 16, 8, float, float, __mma_tf32_m16n16k8_ld_c, __mma_m16n16k8_st_c_f32)
__WW_MMA(16, 16, 8, precision::tf32, float, float, float, float, __mma_tf32_m16n16k8_mma_f32)

__WW_FRAGMENT(matrix_a, 8, 8, 4, double, double, 1)
__WW_FRAGMENT(matrix_b, 8, 8, 4, double, double, 1)
__WW_FRAGMENT(accumulator, 8, 8, 4, double, double, 2)
__WW_LOAD_WORDS(matrix_a, 8, 8, 4, double, double, double, __dmma_m8n8k4_ld_a)
__WW_LOAD_WORDS(matrix_b, 8, 8, 4, double, double, double, __dmma_m8n8k4_ld_b)
__WW_ACCUMULATOR(8, 8, 4, double, double, __dmma_m8n8k4_ld_c, __dmma_m8n8k4_st_c_f64)
__WW_MMA_WORDS(8, 8, 4, double, double, double, double, double, double, __dmma_m8n8k4_mma_f64)

static inline __device__ float __float_to_tf32(float f) {
  float rounded;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(*(int*)&rounded) : "f"(f));
  return rounded;
}
#endif

#define __WW_INTEGER_SHAPE(M, N, K, SHAPE, T, SUFFIX, COUNT_A, COUNT_B)    \
  __WW_FRAGMENT(matrix_a, M, N, K, T, T, COUNT_A)                          \
  __WW_FRAGMENT(matrix_b, M, N, K, T, T, COUNT_B)                          \
  __WW_LOAD_INPUT(matrix_a, M, N, K, T, T, __imma_##SHAPE##_ld_a_##SUFFIX) \
  __WW_LOAD_INPUT(matrix_b, M, N, K, T, T, __imma_##SHAPE##_ld_b_##SUFFIX) \
  __WW_MMA(M, N, K, T, int, int, int, int, __imma_##SHAPE##_mma_##SUFFIX)
__WW_FRAGMENT(accumulator, 16, 16, 16, int, int, 8)
__WW_ACCUMULATOR(16, 16, 16, int, int, __imma_m16n16k16_ld_c, __imma_m16n16k16_st_c_i32)
__WW_INTEGER_SHAPE(16, 16, 16, m16n16k16, signed char, s8, 8, 8)
__WW_INTEGER_SHAPE(16, 16, 16, m16n16k16, unsigned char, u8, 8, 8)

template <class Use, int M, int N, int K, class T, class Layout, class Value>
static inline __device__ void fill_fragment(fragment<Use, M, N, K, T, Layout>& f, const Value& v) {
  for (auto& element : f.x) {
    element = (typename fragment<Use, M, N, K, T, Layout>::element_type)v;
  }
}

#undef __WW_FRAGMENT
#undef __WW_LOAD_INPUT
#undef __WW_LOAD_WORDS
#undef __WW_ACCUMULATOR
#undef __WW_MMA
#undef __WW_MMA_WORDS
#undef __WW_HALF_SHAPE
#undef __WW_BF16_SHAPE
#undef __WW_INTEGER_SHAPE

}  // namespace wmma
}  // namespace nvcuda

#endif

#pragma clang attribute pop
