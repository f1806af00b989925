// SPDX-License-Identifier: Apache-2.0
// Sums, minima and maxima in one step (DPX), for both sides.
#pragma once

#define __WW_DPX static __host__ __device__ __forceinline__

__WW_DPX int __ww_larger(int a, int b) { return a > b ? a : b; }
__WW_DPX int __ww_smaller(int a, int b) { return a < b ? a : b; }
__WW_DPX unsigned __ww_larger(unsigned a, unsigned b) { return a > b ? a : b; }
__WW_DPX unsigned __ww_smaller(unsigned a, unsigned b) { return a < b ? a : b; }
__WW_DPX short __ww_larger(short a, short b) { return a > b ? a : b; }
__WW_DPX short __ww_smaller(short a, short b) { return a < b ? a : b; }
__WW_DPX unsigned short __ww_larger(unsigned short a, unsigned short b) { return a > b ? a : b; }
__WW_DPX unsigned short __ww_smaller(unsigned short a, unsigned short b) { return a < b ? a : b; }
template <class T>
__WW_DPX T __ww_not_negative(T a) {
  return a < 0 ? T(0) : a;
}
template <class T>
__WW_DPX T __ww_sum(T a, T b) {
  return (T)((unsigned)a + (unsigned)b);
}

// Both halves of a word.
template <class T, class F>
__WW_DPX unsigned __ww_halves(unsigned a, unsigned b, unsigned c, F f) {
  const T low = f((T)(a & 0xffffu), (T)(b & 0xffffu), (T)(c & 0xffffu));
  const T high = f((T)(a >> 16), (T)(b >> 16), (T)(c >> 16));
  return (unsigned)(unsigned short)high << 16 | (unsigned)(unsigned short)low;
}

// NAME(a, b, c) for words and halves: the expression in x, y and z of type T.
#define __WW_DPX_THREE(NAME, T, SUFFIX, HALF, ...)                                                \
  __WW_DPX T NAME##_##SUFFIX##32(const T x, const T y, const T z) { return __VA_ARGS__; }         \
  __WW_DPX unsigned NAME##_##SUFFIX##16x2(const unsigned a, const unsigned b, const unsigned c) { \
    return __ww_halves<HALF>(a, b, c, [](HALF x, HALF y, HALF z) { return __VA_ARGS__; });        \
  }
#define __WW_DPX_RELU(NAME, ...)                                                              \
  __WW_DPX int NAME##_s32_relu(const int x, const int y, const int z) {                       \
    return __ww_not_negative(__VA_ARGS__);                                                    \
  }                                                                                           \
  __WW_DPX unsigned NAME##_s16x2_relu(const unsigned a, const unsigned b, const unsigned c) { \
    return __ww_halves<short>(                                                                \
        a, b, c, [](short x, short y, short z) { return __ww_not_negative(__VA_ARGS__); });   \
  }
#define __WW_DPX_ALL(NAME, ...)                                  \
  __WW_DPX_THREE(NAME, int, s, short, __VA_ARGS__)               \
  __WW_DPX_THREE(NAME, unsigned, u, unsigned short, __VA_ARGS__) \
  __WW_DPX_RELU(NAME, __VA_ARGS__)
__WW_DPX_ALL(__vimax3, __ww_larger(__ww_larger(x, y), z))
__WW_DPX_ALL(__vimin3, __ww_smaller(__ww_smaller(x, y), z))
__WW_DPX_ALL(__viaddmax, __ww_larger(__ww_sum(x, y), z))
__WW_DPX_ALL(__viaddmin, __ww_smaller(__ww_sum(x, y), z))
#undef __WW_DPX_ALL
#undef __WW_DPX_RELU
#undef __WW_DPX_THREE

#define __WW_DPX_TWO(NAME, CHOOSE)                                                          \
  __WW_DPX int NAME##_s32_relu(const int a, const int b) {                                  \
    return __ww_not_negative(CHOOSE(a, b));                                                 \
  }                                                                                         \
  __WW_DPX unsigned NAME##_s16x2_relu(const unsigned a, const unsigned b) {                 \
    return __ww_halves<short>(                                                              \
        a, b, 0u, [](short x, short y, short) { return __ww_not_negative(CHOOSE(x, y)); }); \
  }
__WW_DPX_TWO(__vimax, __ww_larger)
__WW_DPX_TWO(__vimin, __ww_smaller)
#undef __WW_DPX_TWO

// The predicates say whether the first was taken.
#define __WW_DPX_WHICH(NAME, CHOOSE, BETTER)                                                   \
  __WW_DPX int NAME##_s32(const int a, const int b, bool* const first) {                       \
    *first = a BETTER b;                                                                       \
    return CHOOSE(a, b);                                                                       \
  }                                                                                            \
  __WW_DPX unsigned NAME##_u32(const unsigned a, const unsigned b, bool* const first) {        \
    *first = a BETTER b;                                                                       \
    return CHOOSE(a, b);                                                                       \
  }                                                                                            \
  __WW_DPX unsigned NAME##_s16x2(const unsigned a, const unsigned b, bool* const high,         \
                                 bool* const low) {                                            \
    *high = (short)(a >> 16) BETTER(short)(b >> 16);                                           \
    *low = (short)(a & 0xffffu) BETTER(short)(b & 0xffffu);                                    \
    return __ww_halves<short>(a, b, 0u, [](short x, short y, short) { return CHOOSE(x, y); }); \
  }                                                                                            \
  __WW_DPX unsigned NAME##_u16x2(const unsigned a, const unsigned b, bool* const high,         \
                                 bool* const low) {                                            \
    *high = a >> 16 BETTER b >> 16;                                                            \
    *low = (a & 0xffffu) BETTER(b & 0xffffu);                                                  \
    return __ww_halves<unsigned short>(                                                        \
        a, b, 0u,                                                                              \
        [](unsigned short x, unsigned short y, unsigned short) { return CHOOSE(x, y); });      \
  }
__WW_DPX_WHICH(__vibmax, __ww_larger, >=)
__WW_DPX_WHICH(__vibmin, __ww_smaller, <=)
#undef __WW_DPX_WHICH
#undef __WW_DPX
