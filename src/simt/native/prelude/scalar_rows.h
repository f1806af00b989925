// SPDX-License-Identifier: Apache-2.0
// The rows of arithmetic.def, which follows, as functions NAME_s of one value that all lanes share.
#define X(v) ((T_)(v))
#define TO(T, v) ((T)(v))
#define D(v) ((D_)(X(v)))
#define TOP(v) ((U_)((DU_)(v) >> N_))
#define BELOW(n) ((n) < N_)
#define BY(n) ((n) & (N_ - 1))
#define AT_MOST(n) ((n) < N_ ? (n) : N_ - 1)
#define NOT(a) (~(a))
#define FMA(a, b, c) __builtin_elementwise_fma(a, b, c)
#define SQRT(a) __builtin_elementwise_sqrt(a)
#define NEGATIVE(a) ((s32)a##_ < 0)
#define OF(T) typedef T T_; typedef W_##T U_; enum { N_ = 8 * sizeof(T) };
#define TWICE_OF(T) typedef D_##T D_; typedef DR_##T DU_;
#define REAL_(v) __builtin_bit_cast(T_, v)
#define UNARY(T, name, text, cost, rule, ...) \
  IN R_##T name##_##T##_s(R_##T a_) { OF(T) U_ a = a_; return (R_##T)(__VA_ARGS__); }
#define BINARY(T, name, text, cost, rule, ...) \
  IN R_##T name##_##T##_s(R_##T a_, R_##T b_) { OF(T) U_ a = a_, b = b_; return (R_##T)(__VA_ARGS__); }
#define LANEWISE BINARY
#define TERNARY(T, name, text, cost, rule, ...) \
  IN R_##T name##_##T##_s(R_##T a_, R_##T b_, R_##T c_) { \
    OF(T) U_ a = a_, b = b_, c = c_; return (R_##T)(__VA_ARGS__); }
#define SHIFT(T, name, text, cost, rule, ...) \
  IN R_##T name##_##T##_s(R_##T a_, u32 b) { OF(T) U_ a = a_; return (R_##T)(__VA_ARGS__); }
#define WIDE2(T, name, text, cost, rule, ...) \
  IN DR_##T name##_##T##_s(R_##T a, R_##T b) { OF(T) TWICE_OF(T) return (DU_)(__VA_ARGS__); }
#define WIDE3(T, name, text, cost, rule, ...) \
  IN DR_##T name##_##T##_s(R_##T a, R_##T b, DR_##T c) { OF(T) TWICE_OF(T) return (DU_)(__VA_ARGS__); }
#define HIGH2(T, name, text, cost, rule, ...) \
  IN R_##T name##_##T##_s(R_##T a, R_##T b) { OF(T) TWICE_OF(T) return (R_##T)(__VA_ARGS__); }
#define COMPARE(T, name, text, cost, rule, ...) \
  IN u32 name##_##T##_s(R_##T a_, R_##T b_) { OF(T) U_ a = a_, b = b_; return (__VA_ARGS__) ? ~0u : 0u; }
#define SELECT(T, name, text, cost, rule, ...) \
  IN R_##T name##_##T##_s(R_##T a, R_##T b, u32 p) { return __VA_ARGS__; }
#define PREDICATE1(name, text, cost, rule, ...) IN u32 name##_pred_s(u32 a) { return __VA_ARGS__; }
#define PREDICATE2(name, text, cost, rule, ...) IN u32 name##_pred_s(u32 a, u32 b) { return __VA_ARGS__; }
#define CONVERT1(R, S, name, text, cost, rule, ...) IN R name##_##S##_s(S a) { return __VA_ARGS__; }
#define CONVERT2(R, S, name, text, cost, rule, ...) IN R name##_##S##_s(S a, S b) { return __VA_ARGS__; }
#define CONVERT_INT(R, S) IN R_##R cvt_##R##_##S##_s(R_##S a) { return (R_##R)(R)(S)a; }
#define INT_TO_REAL(R, S) \
  IN R_##R cvt_##R##_##S##_s(R_##S a) { return __builtin_bit_cast(R_##R, (R)(S)a); }
#define REAL_TO_INT(R, low, least, high, most) \
  IN u32 cvt_##R##_f32_s(u32 a) { const f32 r = __builtin_truncf(__builtin_bit_cast(f32, a)); \
    return WW_CLAMPED(r, 0u, low, least, high, most, (u32)(R)r); }
#define REAL1_(T, name, ...) IN R_##T name##_##T##_s(R_##T a_) { \
  typedef T T_; const T a = REAL_(a_); return __builtin_bit_cast(R_##T, (T)(__VA_ARGS__)); }
#define REAL2_(T, name, ...) IN R_##T name##_##T##_s(R_##T a_, R_##T b_) { \
  typedef T T_; const T a = REAL_(a_), b = REAL_(b_); return __builtin_bit_cast(R_##T, (T)(__VA_ARGS__)); }
#define REAL3_(T, name, ...) IN R_##T name##_##T##_s(R_##T a_, R_##T b_, R_##T c_) { \
  typedef T T_; const T a = REAL_(a_), b = REAL_(b_), c = REAL_(c_); \
  return __builtin_bit_cast(R_##T, (T)(__VA_ARGS__)); }
#define REAL1(name, forms, flops, scaled, ...) REAL1_(f32, name, __VA_ARGS__) REAL1_(f64, name, __VA_ARGS__)
#define REAL2(name, forms, flops, scaled, ...) REAL2_(f32, name, __VA_ARGS__) REAL2_(f64, name, __VA_ARGS__)
#define REAL3(name, forms, flops, scaled, ...) REAL3_(f32, name, __VA_ARGS__) REAL3_(f64, name, __VA_ARGS__)
#define REAL_BITS(name, ...) IN u32 name##_f32_s(u32 a) { return __VA_ARGS__; }
#define REAL_PICK(name, ...) IN u32 name##_f32_s(u32 a_, u32 b_) { \
  typedef f32 T_; const f32 a = REAL_(a_), b = REAL_(b_); return WW_PICKED(a, b, __VA_ARGS__, a_, b_); }
#define REAL_COMPARE_(T, name, ...) IN u32 name##_##T##_s(R_##T a_, R_##T b_) { \
  typedef T T_; const T a = REAL_(a_), b = REAL_(b_); return (__VA_ARGS__) ? ~0u : 0u; }
#define REAL_COMPARE(name, ...) \
  REAL_COMPARE_(f32, name, __VA_ARGS__) REAL_COMPARE_(f64, name, __VA_ARGS__)
