// SPDX-License-Identifier: Apache-2.0
// The rows of arithmetic.def, which follows, as functions NAME_v of 32 values.
#undef TO
#undef D
#undef TOP
#undef BELOW
#undef BY
#undef AT_MOST
#undef NEGATIVE
#undef OF
#undef TWICE_OF
#undef REAL1_
#undef REAL2_
#undef REAL3_
#undef REAL_COMPARE_
#define TO(T, v) CV(v, T)
#define D(v) __builtin_convertvector(X(v), D_)
#define TOP(v) __builtin_convertvector((DU_)(v) >> (DU_)N_, U_)
#define BELOW(n) __builtin_convertvector((n) < (u32x)N_, S_)
#define BY(n) __builtin_convertvector((n) & (u32x)(N_ - 1), U_)
#define AT_MOST(n) __builtin_convertvector((n) < (u32x)N_ ? (n) : (u32x)(N_ - 1), T_)
#define NEGATIVE(a) ((s32x)a##_ < (s32x)0)
#define OF(T) typedef T##x T_; typedef R_##T##x U_; typedef S_##T##x S_; enum { N_ = 8 * sizeof(T) };
#define TWICE_OF(T) typedef D_##T##x D_; typedef DR_##T##x DU_;
#define UNARY(T, name, text, cost, rule, ...) \
  IN R_##T##x name##_##T##_v(R_##T##x a) { OF(T) return (U_)(__VA_ARGS__); }
#define BINARY(T, name, text, cost, rule, ...) \
  IN R_##T##x name##_##T##_v(R_##T##x a, R_##T##x b) { OF(T) return (U_)(__VA_ARGS__); }
#define LANEWISE(T, name, text, cost, rule, ...) OUT R_##T##x name##_##T##_v(R_##T##x a, R_##T##x b) { \
  R_##T##x r; for (int l = 0; l < 32; ++l) r[l] = name##_##T##_s(a[l], b[l]); return r; }
#define TERNARY(T, name, text, cost, rule, ...) \
  IN R_##T##x name##_##T##_v(R_##T##x a, R_##T##x b, R_##T##x c) { OF(T) return (U_)(__VA_ARGS__); }
#define SHIFT(T, name, text, cost, rule, ...) \
  IN R_##T##x name##_##T##_v(R_##T##x a, u32x b) { OF(T) return (U_)(__VA_ARGS__); }
#define WIDE2(T, name, text, cost, rule, ...) \
  IN DR_##T##x name##_##T##_v(R_##T##x a, R_##T##x b) { OF(T) TWICE_OF(T) return (DU_)(__VA_ARGS__); }
#define WIDE3(T, name, text, cost, rule, ...) \
  IN DR_##T##x name##_##T##_v(R_##T##x a, R_##T##x b, DR_##T##x c) { \
    OF(T) TWICE_OF(T) return (DU_)(__VA_ARGS__); }
#define HIGH2(T, name, text, cost, rule, ...) \
  IN R_##T##x name##_##T##_v(R_##T##x a, R_##T##x b) { OF(T) TWICE_OF(T) return (U_)(__VA_ARGS__); }
#define COMPARE(T, name, text, cost, rule, ...) \
  IN s32x name##_##T##_v(R_##T##x a, R_##T##x b) { OF(T) return CV(__VA_ARGS__, s32); }
// NAME_u: the predicate is the same for all lanes.
#define SELECT(T, name, text, cost, rule, ...) \
  IN R_##T##x name##_##T##_u(R_##T##x a, R_##T##x b, u32 p) { return __VA_ARGS__; } \
  IN R_##T##x name##_##T##_v(R_##T##x a, R_##T##x b, s32x p_) { \
    const S_##T##x p = __builtin_convertvector(p_, S_##T##x); return __VA_ARGS__; }
#define PREDICATE1(name, text, cost, rule, ...) IN s32x name##_pred_v(s32x a) { return __VA_ARGS__; }
#define PREDICATE2(name, text, cost, rule, ...) IN s32x name##_pred_v(s32x a, s32x b) { return __VA_ARGS__; }
#define CONVERT1(R, S, name, text, cost, rule, ...) IN R##x name##_##S##_v(S##x a) { return __VA_ARGS__; }
#define CONVERT2(R, S, name, text, cost, rule, ...) IN R##x name##_##S##_v(S##x a, S##x b) { return __VA_ARGS__; }
#define CONVERT_INT(R, S) IN R_##R##x cvt_##R##_##S##_v(R_##S##x a) { \
  return __builtin_convertvector(CV(CV(a, S), R), R_##R##x); }
#define INT_TO_REAL(R, S) IN R_##R##x cvt_##R##_##S##_v(R_##S##x a) { return (R_##R##x)CV((S##x)a, R); }
#define REAL_TO_INT(R, low, least, high, most) IN u32x cvt_##R##_f32_v(u32x a) { \
  const f32x r = __builtin_elementwise_trunc((f32x)a); \
  return WW_CLAMPED(r, (u32x)0u, (f32x)(low), (u32x)(least), (f32x)(high), (u32x)(most), (u32x)CV(r, R)); }
#define REAL1_(T, name, ...) IN R_##T##x name##_##T##_v(R_##T##x a_) { \
  typedef T##x T_; const T_ a = (T_)a_; return (R_##T##x)(T_)(__VA_ARGS__); }
#define REAL2_(T, name, ...) IN R_##T##x name##_##T##_v(R_##T##x a_, R_##T##x b_) { \
  typedef T##x T_; const T_ a = (T_)a_, b = (T_)b_; return (R_##T##x)(T_)(__VA_ARGS__); }
#define REAL3_(T, name, ...) IN R_##T##x name##_##T##_v(R_##T##x a_, R_##T##x b_, R_##T##x c_) { \
  typedef T##x T_; const T_ a = (T_)a_, b = (T_)b_, c = (T_)c_; return (R_##T##x)(T_)(__VA_ARGS__); }
#define REAL1(name, forms, flops, scaled, ...) REAL1_(f32, name, __VA_ARGS__) REAL1_(f64, name, __VA_ARGS__)
#define REAL2(name, forms, flops, scaled, ...) REAL2_(f32, name, __VA_ARGS__) REAL2_(f64, name, __VA_ARGS__)
#define REAL3(name, forms, flops, scaled, ...) REAL3_(f32, name, __VA_ARGS__) REAL3_(f64, name, __VA_ARGS__)
#define REAL_BITS(name, ...) IN u32x name##_f32_v(u32x a) { return __VA_ARGS__; }
#define REAL_PICK(name, ...) IN u32x name##_f32_v(u32x a_, u32x b_) { \
  const f32x a = (f32x)a_, b = (f32x)b_; return WW_PICKED(a, b, __VA_ARGS__, a_, b_); }
#define REAL_COMPARE_(T, name, ...) IN s32x name##_##T##_v(R_##T##x a_, R_##T##x b_) { \
  const T##x a = (T##x)a_, b = (T##x)b_; return CV(__VA_ARGS__, s32); }
#define REAL_COMPARE(name, ...) \
  REAL_COMPARE_(f32, name, __VA_ARGS__) REAL_COMPARE_(f64, name, __VA_ARGS__)
