// SPDX-License-Identifier: Apache-2.0
// The device math library, `__nv_*`, as compilers call it when they have no bitcode for it.
// binary32 functions are computed in binary64 and rounded once.
#include <bit>

#include "simt/ops/alu.h"
#include "simt/ops/float_math.h"

namespace warpwright::simt {
namespace {

template <f64 (*F)(f64)>
f32 single(f32 a) {
  return canonical(static_cast<f32>(F(a)));
}
template <f64 (*F)(f64, f64)>
f32 single(f32 a, f32 b) {
  return canonical(static_cast<f32>(F(a, b)));
}

constexpr f64 kPi = 3.14159265358979323846;

f64 rsqrt(f64 x) { return 1 / std::sqrt(x); }
f64 rcbrt(f64 x) { return 1 / std::cbrt(x); }
f64 exp10_(f64 x) { return std::pow(10.0, x); }
/// sin(pi x) and cos(pi x) from the exact remainder, so that multiples of one half are exact.
f64 sinpi(f64 x) {
  if (!std::isfinite(x)) return x - x;
  const f64 r = std::remainder(x, 2.0);
  if (r == std::trunc(r)) return std::copysign(0.0, x);
  const f64 a = std::fabs(r);
  const f64 s = a <= 0.25  ? std::sin(kPi * a)
                : a < 0.75 ? std::cos(kPi * (0.5 - a))
                           : std::sin(kPi * (1 - a));
  return std::copysign(s, r);
}
f64 cospi(f64 x) {
  if (!std::isfinite(x)) return x - x;
  const f64 a = std::fabs(std::remainder(x, 2.0));
  if (a == 0.5) return 0.0;
  return a <= 0.25  ? std::cos(kPi * a)
         : a < 0.75 ? std::sin(kPi * (0.5 - a))
                    : -std::cos(kPi * (1 - a));
}
f64 normcdf(f64 x) { return 0.5 * std::erfc(-x * 0.70710678118654752440); }
f64 erfcx(f64 x) {
  return x < 25 ? std::exp(x * x) * std::erfc(x) : 0.56418958354775628695 / x * (1 - 0.5 / (x * x));
}

f64 add64(f64 a, f64 b) { return a + b; }
f32 fma32(f32 a, f32 b, f32 c) { return canonical(std::fma(a, b, c)); }
f32 fsqrt(f32 a) { return canonical(std::sqrt(a)); }
f32 fdiv(f32 a, f32 b) { return canonical(a / b); }
f32 fmul(f32 a, f32 b) { return canonical(a * b); }
f32 fadd(f32 a, f32 b) { return canonical(a + b); }
f32 fsub(f32 a, f32 b) { return canonical(a - b); }
f32 frcp(f32 a) { return canonical(1 / a); }
f32 saturatef(f32 a) { return saturate(a); }
f32 fabs32(f32 a) { return std::fabs(a); }
f64 fabs64(f64 a) { return std::fabs(a); }
f32 fdim32(f32 a, f32 b) { return std::fdim(a, b); }
f32 fmod32(f32 a, f32 b) { return std::fmod(a, b); }
f32 remainder32(f32 a, f32 b) { return std::remainder(a, b); }
f32 copysign32(f32 a, f32 b) { return std::copysign(a, b); }
f64 copysign64(f64 a, f64 b) { return std::copysign(a, b); }
f32 nextafter32(f32 a, f32 b) { return std::nextafter(a, b); }
f32 ldexp32(f32 a, s32 n) { return std::ldexp(a, n); }
f64 ldexp64(f64 a, s32 n) { return std::ldexp(a, n); }
f32 powi32(f32 a, s32 n) { return static_cast<f32>(std::pow(static_cast<f64>(a), n)); }
f64 powi64(f64 a, s32 n) { return std::pow(a, n); }
s32 ilogb32(f32 a) { return std::ilogb(a); }
s32 ilogb64(f64 a) { return std::ilogb(a); }
f32 logb32(f32 a) { return std::logb(a); }
f64 logb64(f64 a) { return std::logb(a); }

template <class T>
T floor_(T a) {
  return std::floor(a);
}
template <class T>
T ceil_(T a) {
  return std::ceil(a);
}
template <class T>
T trunc_(T a) {
  return std::trunc(a);
}
template <class T>
T round_(T a) {
  return std::round(a);
}
template <class T>
T rint_(T a) {
  return std::nearbyint(a);
}

template <class T>
s32 is_nan(T a) {
  return a != a ? 1 : 0;
}
template <class T>
s32 is_inf(T a) {
  return std::isinf(a) ? 1 : 0;
}
template <class T>
s32 is_finite(T a) {
  return std::isfinite(a) ? 1 : 0;
}
template <class T>
s32 sign_bit(T a) {
  return std::signbit(a) ? 1 : 0;
}

template <class D, class S>
D clamp_to(S r) {
  if (r != r) return 0;
  if (r >= static_cast<S>(static_cast<S>(std::numeric_limits<D>::max() / 2 + 1) * 2))
    return std::numeric_limits<D>::max();
  if (r <= static_cast<S>(std::numeric_limits<D>::min())) return std::numeric_limits<D>::min();
  return static_cast<D>(r);
}
template <class D, class S>
D nearest_int(S a) {
  return clamp_to<D>(std::nearbyint(a));
}
template <class D, class S>
D toward_zero(S a) {
  return clamp_to<D>(std::trunc(a));
}
template <class D, class S>
D round_to(S a) {
  return clamp_to<D>(std::round(a));
}
template <class D, class S>
D real_of(S a) {
  return static_cast<D>(a);
}
template <class D, class S>
D bits_of(S a) {
  return std::bit_cast<D>(a);
}

template <class T>
T imin(T a, T b) {
  return a < b ? a : b;
}
template <class T>
T imax(T a, T b) {
  return a > b ? a : b;
}
s32 iabs(s32 a) { return a < 0 ? static_cast<s32>(0u - static_cast<u32>(a)) : a; }
s64 llabs_(s64 a) { return a < 0 ? static_cast<s64>(u64{0} - static_cast<u64>(a)) : a; }
s32 clz32(u32 a) { return std::countl_zero(a); }
s32 clz64(u64 a) { return std::countl_zero(a); }
s32 popc32(u32 a) { return std::popcount(a); }
s32 popc64(u64 a) { return std::popcount(a); }
s32 ffs32(u32 a) { return a == 0 ? 0 : std::countr_zero(a) + 1; }
s32 ffs64(u64 a) { return a == 0 ? 0 : std::countr_zero(a) + 1; }
u32 brev32(u32 a) {
  u32 r = 0;
  for (int k = 0; k < 32; ++k) r |= (a >> k & 1) << (31 - k);
  return r;
}
s32 mulhi_s(s32 a, s32 b) { return static_cast<s32>(s64{a} * b >> 32); }
u32 mulhi_u(u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); }
u64 mulhi_u64(u64 a, u64 b) {
  return static_cast<u64>(static_cast<unsigned __int128>(a) * b >> 64);
}
s64 mulhi_s64(s64 a, s64 b) { return static_cast<s64>(static_cast<__int128>(a) * b >> 64); }
s32 mul24_s(s32 a, s32 b) {
  return static_cast<s32>(static_cast<u32>(static_cast<s32>(static_cast<u32>(a) << 8) >> 8) *
                          static_cast<u32>(static_cast<s32>(static_cast<u32>(b) << 8) >> 8));
}
u32 mul24_u(u32 a, u32 b) { return (a & 0xffffff) * (b & 0xffffff); }

/// name and namef for a function of one or two binary64 values.
template <auto F>
void pair(OpTable& t, const std::string& name) {
  t.add<F>("__nv_" + name, OpClass::math, 1);
  if constexpr (requires { static_cast<f64 (*)(f64)>(F); })
    t.add<single<static_cast<f64 (*)(f64)>(F)>>("__nv_" + name + "f", OpClass::math, 1);
  else
    t.add<single<static_cast<f64 (*)(f64, f64)>(F)>>("__nv_" + name + "f", OpClass::math, 1);
}

f64 exp_(f64 x) { return std::exp(x); }
f64 exp2_(f64 x) { return std::exp2(x); }
f64 expm1_(f64 x) { return std::expm1(x); }
f64 log_(f64 x) { return std::log(x); }
f64 log2_(f64 x) { return std::log2(x); }
f64 log10_(f64 x) { return std::log10(x); }
f64 log1p_(f64 x) { return std::log1p(x); }
f64 sin_(f64 x) { return std::sin(x); }
f64 cos_(f64 x) { return std::cos(x); }
f64 tan_(f64 x) { return std::tan(x); }
f64 asin_(f64 x) { return std::asin(x); }
f64 acos_(f64 x) { return std::acos(x); }
f64 atan_(f64 x) { return std::atan(x); }
f64 sinh_(f64 x) { return std::sinh(x); }
f64 cosh_(f64 x) { return std::cosh(x); }
f64 tanh_(f64 x) { return std::tanh(x); }
f64 asinh_(f64 x) { return std::asinh(x); }
f64 acosh_(f64 x) { return std::acosh(x); }
f64 atanh_(f64 x) { return std::atanh(x); }
f64 erf_(f64 x) { return std::erf(x); }
f64 erfc_(f64 x) { return std::erfc(x); }
f64 tgamma_(f64 x) { return std::tgamma(x); }
// lgamma writes a global sign; the reentrant form does not.
f64 lgamma_(f64 x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}
f64 cbrt_(f64 x) { return std::cbrt(x); }
f64 bessel_i0(f64 x) { return std::cyl_bessel_i(0.0, std::fabs(x)); }
f64 bessel_i1(f64 x) { return std::copysign(std::cyl_bessel_i(1.0, std::fabs(x)), x); }
f64 jn64(s32 n, f64 x) { return ::jn(n, x); }
f32 jn32(s32 n, f32 x) { return static_cast<f32>(::jn(n, static_cast<f64>(x))); }
f64 yn64(s32 n, f64 x) { return ::yn(n, x); }
f32 yn32(s32 n, f32 x) { return static_cast<f32>(::yn(n, static_cast<f64>(x))); }
f64 sqrt64(f64 x) { return std::sqrt(x); }
f64 pow_(f64 a, f64 b) { return std::pow(a, b); }
f64 atan2_(f64 a, f64 b) { return std::atan2(a, b); }
f64 hypot_(f64 a, f64 b) { return std::hypot(a, b); }
f64 fmod64(f64 a, f64 b) { return std::fmod(a, b); }
f64 remainder64(f64 a, f64 b) { return std::remainder(a, b); }
f64 fdim64(f64 a, f64 b) { return std::fdim(a, b); }
f64 nextafter64(f64 a, f64 b) { return std::nextafter(a, b); }
f64 fma64(f64 a, f64 b, f64 c) { return std::fma(a, b, c); }

void add_functions(OpTable& t) {
  pair<exp_>(t, "exp");
  pair<exp2_>(t, "exp2");
  pair<exp10_>(t, "exp10");
  pair<expm1_>(t, "expm1");
  pair<log_>(t, "log");
  pair<log2_>(t, "log2");
  pair<log10_>(t, "log10");
  pair<log1p_>(t, "log1p");
  pair<sin_>(t, "sin");
  pair<cos_>(t, "cos");
  pair<tan_>(t, "tan");
  pair<sinpi>(t, "sinpi");
  pair<cospi>(t, "cospi");
  pair<asin_>(t, "asin");
  pair<acos_>(t, "acos");
  pair<atan_>(t, "atan");
  pair<sinh_>(t, "sinh");
  pair<cosh_>(t, "cosh");
  pair<tanh_>(t, "tanh");
  pair<asinh_>(t, "asinh");
  pair<acosh_>(t, "acosh");
  pair<atanh_>(t, "atanh");
  pair<erf_>(t, "erf");
  pair<erfc_>(t, "erfc");
  pair<erfcx>(t, "erfcx");
  pair<normcdf>(t, "normcdf");
  pair<tgamma_>(t, "tgamma");
  pair<lgamma_>(t, "lgamma");
  pair<cbrt_>(t, "cbrt");
  pair<bessel_i0>(t, "cyl_bessel_i0");
  pair<bessel_i1>(t, "cyl_bessel_i1");
  t.add<jn64>("__nv_jn", OpClass::math, 1);
  t.add<jn32>("__nv_jnf", OpClass::math, 1);
  t.add<yn64>("__nv_yn", OpClass::math, 1);
  t.add<yn32>("__nv_ynf", OpClass::math, 1);
  pair<rcbrt>(t, "rcbrt");
  pair<rsqrt>(t, "rsqrt");
  pair<pow_>(t, "pow");
  pair<atan2_>(t, "atan2");
  pair<hypot_>(t, "hypot");
  t.add<sqrt64>("__nv_sqrt", OpClass::math, 1);
  t.add<fsqrt>("__nv_sqrtf", OpClass::math, 1);
  // The fast intrinsics; the exact value is within their error.
  t.add<single<exp_>>("__nv_fast_expf", OpClass::special, 1);
  t.add<single<exp10_>>("__nv_fast_exp10f", OpClass::special, 1);
  t.add<single<log_>>("__nv_fast_logf", OpClass::special, 1);
  t.add<single<log2_>>("__nv_fast_log2f", OpClass::special, 1);
  t.add<single<log10_>>("__nv_fast_log10f", OpClass::special, 1);
  t.add<single<sin_>>("__nv_fast_sinf", OpClass::special, 1);
  t.add<single<cos_>>("__nv_fast_cosf", OpClass::special, 1);
  t.add<single<tan_>>("__nv_fast_tanf", OpClass::special, 1);
  t.add<single<tanh_>>("__nv_fast_tanhf", OpClass::special, 1);
  t.add<single<pow_>>("__nv_fast_powf", OpClass::special, 1);
  t.add<fdiv>("__nv_fast_fdividef", OpClass::special, 1);
  t.add<single<rsqrt>>("__nv_frsqrt_rn", OpClass::special, 1);
}

void add_exact(OpTable& t) {
  const OpClass k = OpClass::math;
  t.add<floor_<f32>>("__nv_floorf", k);
  t.add<floor_<f64>>("__nv_floor", k);
  t.add<ceil_<f32>>("__nv_ceilf", k);
  t.add<ceil_<f64>>("__nv_ceil", k);
  t.add<trunc_<f32>>("__nv_truncf", k);
  t.add<trunc_<f64>>("__nv_trunc", k);
  t.add<round_<f32>>("__nv_roundf", k);
  t.add<round_<f64>>("__nv_round", k);
  for (const char* name : {"rint", "nearbyint"}) {
    t.add<rint_<f32>>("__nv_" + std::string(name) + "f", k);
    t.add<rint_<f64>>("__nv_" + std::string(name), k);
  }
  t.add<fabs32>("__nv_fabsf", k);
  t.add<fabs64>("__nv_fabs", k);
  t.add<min_max<false, false, false, f32>>("__nv_fminf", k, 1);
  t.add<min_max<false, false, true, f32>>("__nv_fmaxf", k, 1);
  t.add<min_max<false, false, false, f64>>("__nv_fmin", k, 1);
  t.add<min_max<false, false, true, f64>>("__nv_fmax", k, 1);
  t.add<fma32>("__nv_fmaf", k, 2);
  t.add<fma64>("__nv_fma", k, 2);
  t.add<fma32>("__nv_fmaf_rn", k, 2);
  t.add<fma64>("__nv_fma_rn", k, 2);
  t.add<fadd>("__nv_fadd_rn", k, 1);
  t.add<fsub>("__nv_fsub_rn", k, 1);
  t.add<fmul>("__nv_fmul_rn", k, 1);
  t.add<fdiv>("__nv_fdiv_rn", k, 1);
  t.add<frcp>("__nv_frcp_rn", k, 1);
  t.add<fsqrt>("__nv_fsqrt_rn", k, 1);
  t.add<add64>("__nv_dadd_rn", k, 1);
  t.add<sqrt64>("__nv_dsqrt_rn", k, 1);
  t.add<saturatef>("__nv_saturatef", k);
  t.add<fdim32>("__nv_fdimf", k, 1);
  t.add<fdim64>("__nv_fdim", k, 1);
  t.add<fmod32>("__nv_fmodf", k, 1);
  t.add<fmod64>("__nv_fmod", k, 1);
  t.add<remainder32>("__nv_remainderf", k, 1);
  t.add<remainder64>("__nv_remainder", k, 1);
  t.add<copysign32>("__nv_copysignf", k);
  t.add<copysign64>("__nv_copysign", k);
  t.add<nextafter32>("__nv_nextafterf", k);
  t.add<nextafter64>("__nv_nextafter", k);
  for (const char* name : {"ldexp", "scalbn"}) {
    t.add<ldexp32>("__nv_" + std::string(name) + "f", k);
    t.add<ldexp64>("__nv_" + std::string(name), k);
  }
  t.add<powi32>("__nv_powif", k, 1);
  t.add<powi64>("__nv_powi", k, 1);
  t.add<ilogb32>("__nv_ilogbf", k);
  t.add<ilogb64>("__nv_ilogb", k);
  t.add<logb32>("__nv_logbf", k);
  t.add<logb64>("__nv_logb", k);
  t.add<is_nan<f32>>("__nv_isnanf", k);
  t.add<is_nan<f64>>("__nv_isnand", k);
  t.add<is_inf<f32>>("__nv_isinff", k);
  t.add<is_inf<f64>>("__nv_isinfd", k);
  t.add<is_finite<f32>>("__nv_finitef", k);
  t.add<is_finite<f64>>("__nv_isfinited", k);
  t.add<sign_bit<f32>>("__nv_signbitf", k);
  t.add<sign_bit<f64>>("__nv_signbitd", k);
}

void add_integers(OpTable& t) {
  const OpClass k = OpClass::math;
  t.add<imin<s32>>("__nv_min", k);
  t.add<imax<s32>>("__nv_max", k);
  t.add<imin<u32>>("__nv_umin", k);
  t.add<imax<u32>>("__nv_umax", k);
  t.add<imin<s64>>("__nv_llmin", k);
  t.add<imax<s64>>("__nv_llmax", k);
  t.add<imin<u64>>("__nv_ullmin", k);
  t.add<imax<u64>>("__nv_ullmax", k);
  t.add<iabs>("__nv_abs", k);
  t.add<llabs_>("__nv_llabs", k);
  t.add<clz32>("__nv_clz", k);
  t.add<clz64>("__nv_clzll", k);
  t.add<popc32>("__nv_popc", k);
  t.add<popc64>("__nv_popcll", k);
  t.add<ffs32>("__nv_ffs", k);
  t.add<ffs64>("__nv_ffsll", k);
  t.add<brev32>("__nv_brev", k);
  t.add<mulhi_s>("__nv_mulhi", k);
  t.add<mulhi_u>("__nv_umulhi", k);
  t.add<mulhi_s64>("__nv_mul64hi", k);
  t.add<mulhi_u64>("__nv_umul64hi", k);
  t.add<mul24_s>("__nv_mul24", k);
  t.add<mul24_u>("__nv_umul24", k);
  for (const char* mode : {"rn"}) {
    const std::string m = mode;
    t.add<nearest_int<s32, f32>>("__nv_float2int_" + m, k);
    t.add<nearest_int<u32, f32>>("__nv_float2uint_" + m, k);
    t.add<nearest_int<s64, f32>>("__nv_float2ll_" + m, k);
    t.add<nearest_int<u64, f32>>("__nv_float2ull_" + m, k);
    t.add<nearest_int<s32, f64>>("__nv_double2int_" + m, k);
    t.add<nearest_int<u32, f64>>("__nv_double2uint_" + m, k);
    t.add<nearest_int<s64, f64>>("__nv_double2ll_" + m, k);
    t.add<real_of<f32, s32>>("__nv_int2float_" + m, k);
    t.add<real_of<f32, u32>>("__nv_uint2float_" + m, k);
    t.add<real_of<f32, s64>>("__nv_ll2float_" + m, k);
    t.add<real_of<f32, u64>>("__nv_ull2float_" + m, k);
    t.add<real_of<f64, s32>>("__nv_int2double_" + m, k);
    t.add<real_of<f64, u32>>("__nv_uint2double_" + m, k);
    t.add<real_of<f64, s64>>("__nv_ll2double_" + m, k);
    t.add<real_of<f64, u64>>("__nv_ull2double_" + m, k);
    t.add<real_of<f32, f64>>("__nv_double2float_" + m, k);
  }
  t.add<toward_zero<s32, f32>>("__nv_float2int_rz", k);
  t.add<toward_zero<u32, f32>>("__nv_float2uint_rz", k);
  t.add<toward_zero<s64, f32>>("__nv_float2ll_rz", k);
  t.add<toward_zero<s32, f64>>("__nv_double2int_rz", k);
  t.add<toward_zero<s64, f64>>("__nv_double2ll_rz", k);
  t.add<nearest_int<s64, f32>>("__nv_llrintf", k);
  t.add<nearest_int<s64, f64>>("__nv_llrint", k);
  t.add<round_to<s64, f32>>("__nv_llroundf", k);
  t.add<round_to<s64, f64>>("__nv_llround", k);
  t.add<bits_of<s32, f32>>("__nv_float_as_int", k);
  t.add<bits_of<u32, f32>>("__nv_float_as_uint", k);
  t.add<bits_of<f32, s32>>("__nv_int_as_float", k);
  t.add<bits_of<f32, u32>>("__nv_uint_as_float", k);
  t.add<bits_of<s64, f64>>("__nv_double_as_longlong", k);
  t.add<bits_of<f64, s64>>("__nv_longlong_as_double", k);
}

}  // namespace

void add_math_calls(OpTable& t) {
  add_functions(t);
  add_exact(t);
  add_integers(t);
}

}  // namespace warpwright::simt
