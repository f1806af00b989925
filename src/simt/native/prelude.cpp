// SPDX-License-Identifier: Apache-2.0
// What every compiled kernel starts with: C with clang's vector types, 32 lanes to a vector.
#include <fmt/format.h>

#include "simt/checks/race_words.h"
#include "simt/native/ops.h"
#include "simt/state/worker.h"

namespace warpwright::simt {
namespace {

constexpr std::string_view kTypes = R"c(
typedef unsigned char u8; typedef signed char s8; typedef unsigned short u16; typedef short s16;
typedef unsigned int u32; typedef int s32; typedef unsigned long long u64; typedef long long s64;
typedef float f32; typedef double f64;
#define VEC(T) typedef T T##x __attribute__((ext_vector_type(32))); \
  typedef T##x T##m __attribute__((aligned(sizeof(T)), may_alias)); \
  typedef T T##a __attribute__((may_alias));
VEC(u8) VEC(s8) VEC(u16) VEC(s16) VEC(u32) VEC(s32) VEC(u64) VEC(s64) VEC(f32) VEC(f64)
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
)c";

// Vectors of two and four elements a lane, taken apart and put together again.
constexpr std::string_view kElements = R"c(
#define PAIRS(T) typedef T T##x2 __attribute__((ext_vector_type(64))); \
  typedef T##x2 T##m2 __attribute__((aligned(sizeof(T)), may_alias)); \
  typedef T T##x4 __attribute__((ext_vector_type(128))); \
  typedef T##x4 T##m4 __attribute__((aligned(sizeof(T)), may_alias));
PAIRS(u8) PAIRS(s8) PAIRS(u16) PAIRS(s16) PAIRS(u32) PAIRS(s32) PAIRS(u64) PAIRS(s64)
#define EVERY(n, k) k,n+k,2*n+k,3*n+k,4*n+k,5*n+k,6*n+k,7*n+k,8*n+k,9*n+k,10*n+k,11*n+k,12*n+k,13*n+k, \
  14*n+k,15*n+k,16*n+k,17*n+k,18*n+k,19*n+k,20*n+k,21*n+k,22*n+k,23*n+k,24*n+k,25*n+k,26*n+k,27*n+k, \
  28*n+k,29*n+k,30*n+k,31*n+k
#define BOTH4(n, k) k,n+k,k+1,n+k+1,k+2,n+k+2,k+3,n+k+3
#define BOTH16(n, k) BOTH4(n, k), BOTH4(n, k + 4), BOTH4(n, k + 8), BOTH4(n, k + 12)
#define LD2(T, p, k) __builtin_shufflevector(*(const T##m2*)(p), *(const T##m2*)(p), EVERY(2, k))
#define LD4(T, p, k) __builtin_shufflevector(*(const T##m4*)(p), *(const T##m4*)(p), EVERY(4, k))
#define MIX2(a, b) __builtin_shufflevector(a, b, BOTH16(32, 0), BOTH16(32, 16))
#define ST2(T, p, a, b) (*(T##m2*)(p) = MIX2(a, b))
#define ST4(T, p, a, b, c, d) (*(T##m4*)(p) = __builtin_shufflevector(MIX2(a, c), MIX2(b, d), \
  BOTH16(64, 0), BOTH16(64, 16), BOTH16(64, 32), BOTH16(64, 48)))
)c";

constexpr std::string_view kShapes = R"c(
#define SAME(T) OUT int same_##T(const char* p, T b, T t) { \
  return __builtin_reduce_or(LDV(T, p) ^ AFF(T, b, t)) == 0; } \
  OUT void put_##T(char* p, T b, T t) { STV(T, p, AFF(T, b, t)); }
SAME(u16) SAME(u32) SAME(u64)
IN u32x gather(const char* p, u32 step) {
  u32x v;
#pragma clang loop unroll(full)
  for (int l = 0; l < 32; ++l) v[l] = LDS(u32, p + l * step);
  return v; }
IN void scatter(char* p, u32 step, u32x v) {
#pragma clang loop unroll(full)
  for (int l = 0; l < 32; ++l) STS(u32, p + l * step, v[l]); }
IN s32x lanes_of(u32 w) { return ((u32x)w & ((u32x)1u << IOTA(u32))) != (u32x)0u; }
IN int fits_s32(u32 b, u32 t) { s64 e = (s64)(s32)b + 31 * (s64)(s32)t; return e == (s32)e; }
IN int fits_u32(u32 b, u32 t) { s64 e = (s64)(u64)b + 31 * (s64)(s32)t; return (u64)e <= 0xffffffffull; }
IN int fits_s64(u64 b, u64 t) { __int128 e = (__int128)(s64)b + 31 * (__int128)(s64)t; return e == (s64)e; }
IN int fits_u64(u64 b, u64 t) { __int128 e = (__int128)b + 31 * (__int128)(s64)t; return e >= 0 && e >> 64 == 0; }
IN int run_of(u64x a, u64 step) {
  return a[1] - a[0] == step && a[31] - a[0] == 31 * step &&
         __builtin_reduce_or((a - (u64x)a[0]) ^ (IOTA(u64) * (u64x)step)) == 0; }
)c";

constexpr std::string_view kInteger = R"c(
#define KINDS typedef f32 FT; typedef f64 DT; typedef s32 S;
#define KINDV typedef f32x FT; typedef f64x DT; typedef s32x S;
#define DEF1(name, R, A, ...) \
  IN R name##_s(A a) { typedef R Q; typedef A T; KINDS return (Q)(__VA_ARGS__); } \
  IN R##x name##_v(A##x a) { typedef R##x Q; typedef A##x T; KINDV return (Q)(__VA_ARGS__); }
#define DEF2(name, R, A, B, ...) \
  IN R name##_s(A a, B b) { typedef R Q; typedef A T; KINDS return (Q)(__VA_ARGS__); } \
  IN R##x name##_v(A##x a, B##x b) { typedef R##x Q; typedef A##x T; KINDV return (Q)(__VA_ARGS__); }
#define DEF3(name, R, A, B, C, ...) \
  IN R name##_s(A a, B b, C c) { typedef R Q; typedef A T; KINDS return (Q)(__VA_ARGS__); } \
  IN R##x name##_v(A##x a, B##x b, C##x c) { typedef R##x Q; typedef A##x T; KINDV return (Q)(__VA_ARGS__); }
#define INTS(T, ST, N) \
  DEF1(mov_##T, T, T, a) DEF2(add_##T, T, T, T, a + b) DEF2(sub_##T, T, T, T, a - b) \
  DEF2(mul_##T, T, T, T, a * b) DEF3(mad_##T, T, T, T, T, a * b + c) \
  DEF2(and_##T, T, T, T, a & b) DEF2(or_##T, T, T, T, a | b) DEF2(xor_##T, T, T, T, a ^ b) \
  DEF1(not_##T, T, T, ~a) DEF1(neg_##T, T, T, 0 - a) \
  DEF2(min_##T, T, T, T, a < b ? a : b) DEF2(max_##T, T, T, T, a > b ? a : b) \
  IN T min_##ST##_s(T a, T b) { return (ST)a < (ST)b ? a : b; } \
  IN T max_##ST##_s(T a, T b) { return (ST)a > (ST)b ? a : b; } \
  IN T##x min_##ST##_v(T##x a, T##x b) { return (ST##x)a < (ST##x)b ? a : b; } \
  IN T##x max_##ST##_v(T##x a, T##x b) { return (ST##x)a > (ST##x)b ? a : b; } \
  IN T abs_##ST##_s(T a) { return (ST)a < 0 ? (T)(0 - a) : a; } \
  IN T##x abs_##ST##_v(T##x a) { return (ST##x)a < 0 ? (T##x)(0 - a) : a; } \
  IN T shl_##T##_s(T a, u32 n) { return n < N ? (T)((u64)a << (n & (N - 1))) : (T)0; } \
  IN T##x shl_##T##_v(T##x a, u32x n) { T##x k = CV(n & (u32x)(N - 1), T); \
    return CV(n < (u32x)N, ST) ? a << k : (T##x)0; } \
  IN T shr_##T##_s(T a, u32 n) { return n < N ? (T)(a >> (n & (N - 1))) : (T)0; } \
  IN T##x shr_##T##_v(T##x a, u32x n) { T##x k = CV(n & (u32x)(N - 1), T); \
    return CV(n < (u32x)N, ST) ? a >> k : (T##x)0; } \
  IN T shr_##ST##_s(T a, u32 n) { return (T)((ST)a >> (n < N ? n : N - 1)); } \
  IN T##x shr_##ST##_v(T##x a, u32x n) { u32x k = n < (u32x)N ? n : (u32x)(N - 1); \
    return (T##x)((ST##x)a >> (ST##x)CV(k, T)); } \
  IN T sel_##T##_s(T a, T b, u32 p) { return p ? a : b; } \
  IN T##x sel_##T##_u(T##x a, T##x b, u32 p) { T##x r = b; if (p) r = a; return r; } \
  IN T##x sel_##T##_v(T##x a, T##x b, s32x p) { return CV(p, ST) ? a : b; } \
  CMPS(T, T) CMPS(T, ST)
#define CMP(name, T, A, op) \
  IN u32 name##_s(T a, T b) { return (A)a op (A)b ? ~0u : 0u; } \
  IN s32x name##_v(T##x a, T##x b) { return CV((A##x)a op (A##x)b, s32); }
#define CMPS(T, A) CMP(eq_##A, T, A, ==) CMP(ne_##A, T, A, !=) CMP(lt_##A, T, A, <) \
  CMP(le_##A, T, A, <=) CMP(gt_##A, T, A, >) CMP(ge_##A, T, A, >=)
INTS(u16, s16, 16u) INTS(u32, s32, 32u) INTS(u64, s64, 64u)
#define WIDE(T, ST, W, SW) \
  IN W wide_##T##_s(T a, T b) { return (W)a * (W)b; } \
  IN W##x wide_##T##_v(T##x a, T##x b) { return CV(a, W) * CV(b, W); } \
  IN W wide_##ST##_s(T a, T b) { return (W)((SW)(ST)a * (SW)(ST)b); } \
  IN W##x wide_##ST##_v(T##x a, T##x b) { return (W##x)(CV((ST##x)a, SW) * CV((ST##x)b, SW)); } \
  IN W widemad_##T##_s(T a, T b, W c) { return (W)a * (W)b + c; } \
  IN W##x widemad_##T##_v(T##x a, T##x b, W##x c) { return CV(a, W) * CV(b, W) + c; } \
  IN W widemad_##ST##_s(T a, T b, W c) { return (W)((SW)(ST)a * (SW)(ST)b) + c; } \
  IN W##x widemad_##ST##_v(T##x a, T##x b, W##x c) { \
    return (W##x)(CV((ST##x)a, SW) * CV((ST##x)b, SW)) + c; }
WIDE(u16, s16, u32, s32) WIDE(u32, s32, u64, s64)
IN u32 hi_u32_s(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }
IN u32x hi_u32_v(u32x a, u32x b) { return CV(CV(a, u64) * CV(b, u64) >> (u64x)32u, u32); }
IN u32 hi_s32_s(u32 a, u32 b) { return (u32)((s64)(s32)a * (s32)b >> 32); }
IN u32x hi_s32_v(u32x a, u32x b) {
  return CV((u64x)(CV((s32x)a, s64) * CV((s32x)b, s64)) >> (u64x)32u, u32); }
IN u32 rotl_u32_s(u32 a, u32 b, u32 n) { return (u32)(((u64)b << 32 | a) << (n & 31) >> 32); }
IN u32x rotl_u32_v(u32x a, u32x b, u32x n) {
  u32x k = n & (u32x)31u; return k == (u32x)0u ? b : (b << k) | (a >> ((u32x)32u - k & (u32x)31u)); }
IN u32 rotr_u32_s(u32 a, u32 b, u32 n) { return (u32)(((u64)b << 32 | a) >> (n & 31)); }
IN u32x rotr_u32_v(u32x a, u32x b, u32x n) {
  u32x k = n & (u32x)31u; return k == (u32x)0u ? a : (a >> k) | (b << ((u32x)32u - k & (u32x)31u)); }
#define DIVS(T, ST) \
  IN T div_##T##_s(T a, T b) { return b == 0 ? (T)~(T)0 : a / b; } \
  IN T rem_##T##_s(T a, T b) { return b == 0 ? (T)~(T)0 : a % b; } \
  IN T div_##ST##_s(T a, T b) { return b == 0 || b == (T)~(T)0 ? (b == 0 ? (T)~(T)0 : 0 - a) : (T)((ST)a / (ST)b); } \
  IN T rem_##ST##_s(T a, T b) { return b == 0 ? (T)~(T)0 : b == (T)~(T)0 ? 0 : (T)((ST)a % (ST)b); } \
  OUT T##x div_##T##_v(T##x a, T##x b) { T##x r; for (int l = 0; l < 32; ++l) r[l] = div_##T##_s(a[l], b[l]); return r; } \
  OUT T##x rem_##T##_v(T##x a, T##x b) { T##x r; for (int l = 0; l < 32; ++l) r[l] = rem_##T##_s(a[l], b[l]); return r; } \
  OUT T##x div_##ST##_v(T##x a, T##x b) { T##x r; for (int l = 0; l < 32; ++l) r[l] = div_##ST##_s(a[l], b[l]); return r; } \
  OUT T##x rem_##ST##_v(T##x a, T##x b) { T##x r; for (int l = 0; l < 32; ++l) r[l] = rem_##ST##_s(a[l], b[l]); return r; }
DIVS(u32, s32) DIVS(u64, s64)
IN u32 and_pred_s(u32 a, u32 b) { return a & b; }
IN s32x and_pred_v(s32x a, s32x b) { return a & b; }
IN u32 or_pred_s(u32 a, u32 b) { return a | b; }
IN s32x or_pred_v(s32x a, s32x b) { return a | b; }
IN u32 xor_pred_s(u32 a, u32 b) { return a ^ b; }
IN s32x xor_pred_v(s32x a, s32x b) { return a ^ b; }
IN u32 not_pred_s(u32 a) { return ~a; }
IN s32x not_pred_v(s32x a) { return ~a; }
IN u32 mov_pred_s(u32 a) { return a; }
IN s32x mov_pred_v(s32x a) { return a; }
IN u32 low_u64_s(u64 a) { return (u32)a; }
IN u32x low_u64_v(u64x a) { return CV(a, u32); }
IN u32 high_u64_s(u64 a) { return (u32)(a >> 32); }
IN u32x high_u64_v(u64x a) { return CV(a >> (u64x)32u, u32); }
IN u64 pack_u64_s(u32 a, u32 b) { return a | (u64)b << 32; }
IN u64x pack_u64_v(u32x a, u32x b) { return CV(a, u64) | CV(b, u64) << (u64x)32u; }
)c";

// Conversions between integers: the value is cut to its source type, then widened or cut again.
constexpr std::string_view kConvert = R"c(
#define CVI(D, DS, S, SS) \
  IN DS cvt_##D##_##S##_s(SS a) { return (DS)(D)(S)a; } \
  IN DS##x cvt_##D##_##S##_v(SS##x a) { return CV(CV(CV(a, S), D), DS); }
#define CVIS(S, SS) CVI(u8, u16, S, SS) CVI(s8, u16, S, SS) CVI(u16, u16, S, SS) CVI(s16, u16, S, SS) \
  CVI(u32, u32, S, SS) CVI(s32, u32, S, SS) CVI(u64, u64, S, SS) CVI(s64, u64, S, SS)
CVIS(u8, u16) CVIS(s8, u16) CVIS(u16, u16) CVIS(s16, u16) CVIS(u32, u32) CVIS(s32, u32) CVIS(u64, u64) CVIS(s64, u64)
#define CVS(S, SS) \
  IN u32 cvt_f32_##S##_s(SS a) { return __builtin_bit_cast(u32, (f32)(S)a); } \
  IN u32x cvt_f32_##S##_v(SS##x a) { return (u32x)CV((S##x)a, f32); }
#define CVF(S, SS) \
  IN u64 cvt_f64_##S##_s(SS a) { return __builtin_bit_cast(u64, (f64)(S)a); } \
  IN u64x cvt_f64_##S##_v(SS##x a) { return (u64x)CV((S##x)a, f64); }
CVS(u32, u32) CVS(s32, u32) CVF(u32, u32) CVF(s32, u32) CVF(u64, u64) CVF(s64, u64)
IN u32 cvt_s32_f32_s(u32 a) { f32 r = __builtin_truncf(__builtin_bit_cast(f32, a));
  return r != r ? 0 : r >= 2147483648.0f ? 0x7fffffffu : r <= -2147483648.0f ? 0x80000000u : (u32)(s32)r; }
IN u32x cvt_s32_f32_v(u32x a) { f32x r = __builtin_elementwise_trunc((f32x)a); u32x n = (u32x)CV(r, s32);
  n = r <= (f32x)-2147483648.0f ? (u32x)0x80000000u : n; n = r >= (f32x)2147483648.0f ? (u32x)0x7fffffffu : n;
  return r != r ? (u32x)0u : n; }
IN u32 cvt_u32_f32_s(u32 a) { f32 r = __builtin_truncf(__builtin_bit_cast(f32, a));
  return r != r ? 0 : r >= 4294967296.0f ? 0xffffffffu : r <= 0.0f ? 0u : (u32)r; }
IN u32x cvt_u32_f32_v(u32x a) { f32x r = __builtin_elementwise_trunc((f32x)a); u32x n = CV(r, u32);
  n = r <= (f32x)0.0f ? (u32x)0u : n; n = r >= (f32x)4294967296.0f ? (u32x)0xffffffffu : n;
  return r != r ? (u32x)0u : n; }
)c";

constexpr std::string_view kReal = R"c(
#define F(x) __builtin_bit_cast(FT, (T)(x))
#define D(x) __builtin_bit_cast(DT, (T)(x))
#define U(x) __builtin_bit_cast(Q, (x))
IN u32 canon_s(u32 a) { f32 x = __builtin_bit_cast(f32, a); return x == x ? a : 0x7fffffffu; }
IN u32x canon_v(u32x a) { f32x x = (f32x)a; return x == x ? a : (u32x)0x7fffffffu; }
DEF2(add_f32, u32, u32, u32, U(F(a) + F(b))) DEF2(sub_f32, u32, u32, u32, U(F(a) - F(b)))
DEF2(mul_f32, u32, u32, u32, U(F(a) * F(b))) DEF2(div_f32, u32, u32, u32, U(F(a) / F(b)))
DEF3(fma_f32, u32, u32, u32, u32, U(__builtin_elementwise_fma(F(a), F(b), F(c))))
DEF1(sqrt_f32, u32, u32, U(__builtin_elementwise_sqrt(F(a)))) DEF1(rcp_f32, u32, u32, U((FT)1.0f / F(a)))
DEF1(neg_f32, u32, u32, a ^ 0x80000000u) DEF1(abs_f32, u32, u32, a & 0x7fffffffu)
DEF2(add_f64, u64, u64, u64, U(D(a) + D(b))) DEF2(sub_f64, u64, u64, u64, U(D(a) - D(b)))
DEF2(mul_f64, u64, u64, u64, U(D(a) * D(b))) DEF2(div_f64, u64, u64, u64, U(D(a) / D(b)))
DEF3(fma_f64, u64, u64, u64, u64, U(__builtin_elementwise_fma(D(a), D(b), D(c))))
#define PICK(name, op, sign) \
  IN u32 name##_s(u32 a, u32 b) { f32 x = __builtin_bit_cast(f32, a), y = __builtin_bit_cast(f32, b); \
    u32 r = (x op y) | ((x == y) & ((s32)a sign 0)) ? a : b; r = x != x ? b : r; return y != y ? a : r; } \
  IN u32x name##_v(u32x a, u32x b) { f32x x = (f32x)a, y = (f32x)b; \
    u32x r = (x op y) | ((x == y) & ((s32x)a sign (s32x)0)) ? a : b; r = x != x ? b : r; return y != y ? a : r; }
PICK(max_f32, >, >=) PICK(min_f32, <, <)
#define CMPR(name, T, FL, ...) \
  IN u32 name##_s(T p, T q) { FL a = __builtin_bit_cast(FL, p), b = __builtin_bit_cast(FL, q); return (__VA_ARGS__) ? ~0u : 0u; } \
  IN s32x name##_v(T##x p, T##x q) { FL##x a = (FL##x)p, b = (FL##x)q; return CV(__VA_ARGS__, s32); }
#define CMPRS(T, FL) CMPR(eq_##FL, T, FL, a == b) CMPR(ne_##FL, T, FL, (a < b) | (a > b)) \
  CMPR(lt_##FL, T, FL, a < b) CMPR(le_##FL, T, FL, a <= b) CMPR(gt_##FL, T, FL, a > b) CMPR(ge_##FL, T, FL, a >= b) \
  CMPR(equ_##FL, T, FL, ((a < b) | (a > b)) == 0) CMPR(neu_##FL, T, FL, (a == b) == 0) \
  CMPR(ltu_##FL, T, FL, (a >= b) == 0) CMPR(leu_##FL, T, FL, (a > b) == 0) \
  CMPR(gtu_##FL, T, FL, (a <= b) == 0) CMPR(geu_##FL, T, FL, (a < b) == 0) \
  CMPR(num_##FL, T, FL, (a == a) & (b == b)) CMPR(nan_##FL, T, FL, ((a == a) & (b == b)) == 0)
CMPRS(u32, f32) CMPRS(u64, f64)
)c";

// The order of Warp, AccessMemo and NativeState; native.cpp asserts the same offsets.
constexpr std::string_view kState = R"c(
struct I;
struct BC { u64 warps, lanes; };
struct W;
struct S;
struct N {
  const struct I* (*slow)(struct W*, u32);
  const struct I* (*out_of_fuel)(struct W*, u32);
  void (*check)(struct W*, u32 id, u64 at, u64 span);
  void (*check_global)(struct W*, const char* memo, u32 id, u64 at, u32 span, u32 bytes, u32 writes);
  void (*check_strided)(struct W*, u32 id, u64 at, u64 step);
  u32 (*loads_clean)(struct W*, u32 id, u64 at, u64 span, u32 uniform);
  void (*one)(struct W*, u32);
  const struct I* (*exit)(struct W*);
  const char* code; char* memos; char* stats; u64* hits; char* arena; u8* touched[2];
  char* valid; u64* race_lines; u64 many_threads;
};
struct W {
  char* base[2]; u32 mask, live, reconverge; s32 current; s64 fuel; const void* kernel;
  struct BC* counts; void* worker; void* block; char* shared; u64 shared_bytes; struct N* n;
  u64* kept; u32 resume, sync_epoch; u64 race_key; struct S* shadow; u32 index;
};
struct S {
  u8* valid; u64* words; u64* writers; u64* lines; u32 interval, may_wait, waiting;
  struct { u32 first, count, step, warp; } reads[MOST_READS];
};
IN void touch(struct W* w, u64 first, u64 last, u32 writes) {
  u8* const t = w->n->touched[writes];
  if (LIKELY(last - first == 3)) {
    if (UNLIKELY(LDS(u32, t + first) != 0x01010101u)) STS(u32, t + first, 0x01010101u);
    return;
  }
#pragma clang loop unroll(disable) vectorize(disable)
  for (u64 s = first; s <= last; ++s) if (!t[s]) t[s] = 1;
}
)c";

// What checks_global.cpp does for whole lines, where that is simple; 0: it is not. All of it may be
// done again.
constexpr std::string_view kRaces = R"c(
IN int foreign(u64 x, u64 key) {
  const u64 d = x ^ key;
  return (d & TAG_BITS) == 0 &&
         ((d & BLOCK_BITS) != 0 || ((d & WARP_BITS) != 0 && (d & INTERVAL_BITS) == 0)); }
IN int open_or_foreign(u64 write, u64 key) {
  return ((write ^ key) & TAG_BITS) == 0 &&
         ((write & (WORDS_BIT | BUSY_BIT)) != 0 || foreign(write, key)); }
IN int line_read(const struct N* n, u64 key, u64 line) {
  u64* const p = n->race_lines + 2 * line;
  const u64 write = __atomic_load_n(p, __ATOMIC_RELAXED);
  if (UNLIKELY(open_or_foreign(write, key))) return 0;
  const u64 read = __atomic_load_n(p + 1, __ATOMIC_RELAXED), d = read ^ key;
  u64 now = key | WHOLE_WORD;
  if ((d & TAG_BITS) == 0)
    now |= (d & BLOCK_BITS) != 0 ? BLOCK_BITS : foreign(read, key) ? WARP_BITS : 0;
  if (now == read) return 1;
  __atomic_store_n(p + 1, now, __ATOMIC_RELAXED);
  return !n->many_threads || !open_or_foreign(__atomic_load_n(p, __ATOMIC_ACQUIRE), key); }
IN int line_write(const struct N* n, u64 key, u64 line) {
  u64* const p = n->race_lines + 2 * line;
  u64 write = __atomic_load_n(p, __ATOMIC_RELAXED);
  if (UNLIKELY(open_or_foreign(write, key))) return 0;
  if (UNLIKELY(foreign(__atomic_load_n(p + 1, __ATOMIC_RELAXED), key))) return 0;
  const u64 now = key | WHOLE_WORD;
  if (now == write) return 1;
  if (n->many_threads)
    return __atomic_compare_exchange_n(p, &write, now, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  __atomic_store_n(p, now, __ATOMIC_RELAXED);
  return 1; }
IN int line_valid(const char* bits) { return (LDS(u64, bits) & LDS(u64, bits + 8)) == ~0ull; }
IN int lines_clean(const struct W* w, const char* m, u64 off, u32 span, u32 writes) {
  const struct N* const n = w->n;
  const u64 key = w->race_key;
  const u32 whole = LDS(u8, m + FULLY_VALID), quiet = LDS(u8, m + QUIET);
  if (UNLIKELY(!key || !n->race_lines || (off & 127) || LDS(u8, m + READ_ONLY))) return 0;
  for (u32 k = 0; k < span; k += 128) {
    char* const bits = n->valid + (off + k) / 8;
    if (!whole && !writes && !line_valid(bits)) return 0;
    if (writes ? !line_write(n, key, (off + k) >> 7) : !quiet && !line_read(n, key, (off + k) >> 7))
      return 0;
    if (!whole && writes && !line_valid(bits)) STS(u64, bits, ~0ull), STS(u64, bits + 8, ~0ull);
  }
  return 1; }
)c";

// What checks_shared.cpp does, for words that nobody has written, or touched, since the last
// barrier.
constexpr std::string_view kShared = R"c(
#define ALL_VALID (0x0101010101010101ull * VALID_WORD)
IN int put_off(struct W* w, u64 at, u32 count, u32 step) {
  struct S* const s = w->shadow;
  if (UNLIKELY(!s->may_wait || s->waiting == MOST_READS)) return 0;
  const u32 n = s->waiting, first = at >> 2;
  if (step == 1 && n && s->reads[n - 1].warp == w->index && s->reads[n - 1].step == 1) {
    const u32 start = s->reads[n - 1].first, end = start + s->reads[n - 1].count, to = first + count;
    if (first >= start && first <= end) {
      s->reads[n - 1].count = (to > end ? to : end) - start;
      return 1;
    }
  }
  s->reads[n].first = first; s->reads[n].count = count;
  s->reads[n].step = step; s->reads[n].warp = w->index;
  s->waiting = n + 1;
  return 1; }
IN int run_loads_clean(struct W* w, u64 at, u32 count) {
  const u8* const v = w->shadow->valid + (at >> 2);
  u64 all = ALL_VALID;
  u32 k = 0;
  for (; k + 8 <= count; k += 8) all &= LDS(u64, v + k);
  for (; k < count; ++k) all &= v[k] | ~(u64)VALID_WORD;
  return LIKELY(all == ALL_VALID) && put_off(w, at, count, 1); }
IN int spaced_loads_clean(struct W* w, u64 at, u32 step) {
  const u8* const v = w->shadow->valid + (at >> 2);
  u32 all = VALID_WORD;
#pragma clang loop unroll(full)
  for (u32 l = 0; l < 32; ++l) all &= v[l * step];
  return LIKELY(all == VALID_WORD) && put_off(w, at, 32, step); }
OUT int stores_clean(struct W* w, u32 id, u64 at) {
  struct S* const s = w->shadow;
  if (UNLIKELY(s->waiting != 0)) return 0;
  u64* const words = s->words + (at >> 2);
  if (UNLIKELY(__builtin_reduce_or(CV(LDV(u64, words), u32) == (u32x)s->interval) != 0)) return 0;
  s->may_wait = 0;
  const u64 word = s->interval | (u64)(w->index + 1) << 32 | (u64)VALID_WORD << 48;
  STV(u64, words, (u64x)word);
  STV(u64, s->writers + (at >> 2), AFF(u64, (u64)id << 6 | (u64)w->sync_epoch << 38, 1));
  STV(u8, s->valid + (at >> 2), (u8x)(u8)VALID_WORD);
  s->lines[at >> 7] = s->lines[(at + 124) >> 7] = (at & 127) == 0 ? word : 0;
  return 1; }
)c";

/// The numbers that checks_global.cpp and the handlers know by name.
std::string numbers() {
  const std::pair<std::string_view, std::uint64_t> rows[] = {
      {"TAG_BITS", kTagBits},
      {"BLOCK_BITS", kBlockBits},
      {"WARP_BITS", kWarpBits},
      {"INTERVAL_BITS", kIntervalBits},
      {"WHOLE_WORD", kWholeWord},
      {"WORDS_BIT", kWordsBit},
      {"BUSY_BIT", kBusyBit},
      {"FULLY_VALID", offsetof(KnownBuffer, fully_valid)},
      {"READ_ONLY", offsetof(KnownBuffer, read_only)},
      {"VALID_WORD", 15},
      {"MOST_READS", SharedShadow::kMostReads},
      {"QUIET", offsetof(KnownBuffer, quiet)},
  };
  std::string t;
  for (const auto& [name, value] : rows) t += fmt::format("#define {} {:#x}ull\n", name, value);
  return t;
}

}  // namespace

std::string_view native_prelude() {
  static const std::string text = [] {
    std::string t = numbers();
    for (const std::string_view part :
         {kTypes, kElements, kShapes, kInteger, kConvert, kReal, kState, kRaces, kShared})
      t += part;
    return t;
  }();
  return text;
}

}  // namespace warpwright::simt
