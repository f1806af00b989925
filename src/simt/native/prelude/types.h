// SPDX-License-Identifier: Apache-2.0
// What every compiled kernel starts with: C with clang's vector types, 32 lanes to a vector.
typedef unsigned char u8; typedef signed char s8; typedef unsigned short u16; typedef short s16;
typedef unsigned int u32; typedef int s32; typedef unsigned long long u64; typedef long long s64;
typedef float f32; typedef double f64; typedef u16 b16; typedef u32 b32; typedef u64 b64;
#define VEC(T) typedef T T##x __attribute__((ext_vector_type(32))); \
  typedef T##x T##m __attribute__((aligned(sizeof(T)), may_alias)); \
  typedef T T##a __attribute__((may_alias));
VEC(u8) VEC(s8) VEC(u16) VEC(s16) VEC(u32) VEC(s32) VEC(u64) VEC(s64) VEC(f32) VEC(f64)
typedef u16x b16x; typedef u32x b32x; typedef u64x b64x;
// What holds a value of a type: its register R_, wide enough to wrap W_, with a sign S_.
#define HELD(T, R, W, S) typedef R R_##T; typedef R##x R_##T##x; typedef W W_##T; typedef S##x S_##T##x;
HELD(u8, u16, u32, s16) HELD(s8, u16, u32, s16)
HELD(b16, u16, u32, s16) HELD(u16, u16, u32, s16) HELD(s16, u16, u32, s16)
HELD(b32, u32, u32, s32) HELD(u32, u32, u32, s32) HELD(s32, u32, u32, s32)
HELD(b64, u64, u64, s64) HELD(u64, u64, u64, s64) HELD(s64, u64, u64, s64)
typedef u32 R_f32; typedef u32x R_f32x; typedef u64 R_f64; typedef u64x R_f64x;
// Numbers of twice the width.
#define TWICE(T, D, R) typedef D D_##T; typedef D##x D_##T##x; typedef R DR_##T; typedef R##x DR_##T##x;
TWICE(u16, u32, u32) TWICE(s16, s32, u32) TWICE(u32, u64, u64) TWICE(s32, s64, u64)
typedef _Bool b1x __attribute__((ext_vector_type(32)));
#define IN static inline __attribute__((always_inline))
#define OUT static __attribute__((noinline))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define CV(e, T) __builtin_convertvector((e), T##x)
#define IOTA(T) ((T##x){0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31})
#define AFF(T, b, t) ((T##x)(b) + IOTA(T) * (T##x)(t))
#define LDV(T, p) (*(const T##m*)(p))
#define STV(T, p, v) (*(T##m*)(p) = (v))
#define LDS(T, p) (*(const T##a*)(p))
#define STS(T, p, v) (*(T##a*)(p) = (v))
IN u32 bits_of(s32x m) { return __builtin_bit_cast(u32, __builtin_convertvector(m, b1x)); }
