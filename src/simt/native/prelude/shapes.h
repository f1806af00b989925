// SPDX-License-Identifier: Apache-2.0
// Values that are one number for all lanes, or grow with the lane.
#define AFFINE(T) OUT int same_##T(const char* p, T b, T t) { \
  return __builtin_reduce_or(LDV(T, p) ^ AFF(T, b, t)) == 0; } \
  OUT void put_##T(char* p, T b, T t) { STV(T, p, AFF(T, b, t)); }
AFFINE(u16) AFFINE(u32) AFFINE(u64)
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
IN u32 canon_s(u32 a) { f32 x = __builtin_bit_cast(f32, a); return x == x ? a : WW_NAN_BITS; }
IN u32x canon_v(u32x a) { f32x x = (f32x)a; return x == x ? a : (u32x)WW_NAN_BITS; }
