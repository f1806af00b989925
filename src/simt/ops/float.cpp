// SPDX-License-Identifier: Apache-2.0
// binary32 and binary64 arithmetic rounded to nearest even, one line per instruction.
#include "simt/ops/alu.h"
#include "simt/ops/float_math.h"

namespace warpwright::simt {
namespace {

template <class T, bool Z, bool S>
T add(T a, T b) {
  return finish<Z, S>(flushed<Z>(a) + flushed<Z>(b));
}
template <class T, bool Z, bool S>
T sub(T a, T b) {
  return finish<Z, S>(flushed<Z>(a) - flushed<Z>(b));
}
template <class T, bool Z, bool S>
T mul(T a, T b) {
  a = flushed<Z>(a), b = flushed<Z>(b);
  return finish<Z, S>(unless_tiny<Z>(a * b, a * kScale<T> * b));
}
template <class T, bool Z, bool S>
T fma_(T a, T b, T c) {
  a = flushed<Z>(a), b = flushed<Z>(b), c = flushed<Z>(c);
  return finish<Z, S>(unless_tiny<Z>(std::fma(a, b, c), std::fma(a * kScale<T>, b, c * kScale<T>)));
}
template <class T, bool Z>
T div(T a, T b) {
  a = flushed<Z>(a), b = flushed<Z>(b);
  return finish<Z, false>(unless_tiny<Z>(a / b, a * kScale<T> / b));
}
template <class T, bool Z>
T sqrt_(T a) {
  return finish<Z, false>(std::sqrt(flushed<Z>(a)));
}
template <class T, bool Z>
T rcp(T a) {
  a = flushed<Z>(a);
  return finish<Z, false>(unless_tiny<Z>(T{1} / a, kScale<T> / a));
}
template <class T, bool Z>
T abs_(T a) {
  return std::fabs(flushed<Z>(a));
}
template <class T, bool Z>
T neg(T a) {
  return -flushed<Z>(a);
}
template <class T>
T copysign_(T a, T b) {
  return std::copysign(b, a);
}

template <class T>
bool is_finite(T a) {
  return std::isfinite(a);
}
template <class T>
bool is_infinite(T a) {
  return std::isinf(a);
}
template <class T>
bool is_number(T a) {
  return a == a;
}
template <class T>
bool is_nan(T a) {
  return a != a;
}
template <class T>
bool is_normal(T a) {
  return std::isnormal(a) || a == 0;  // hardware takes zeros for normal, the manual does not say
}
template <class T>
bool is_subnormal(T a) {
  return std::fpclassify(a) == FP_SUBNORMAL;
}

template <class T, bool Z, bool S>
void add_arithmetic(OpTable& t) {
  const OpClass k = sizeof(T) == 4 ? OpClass::fp32 : OpClass::fp64;
  const char* z = Z ? "ftz" : "";
  const char* s = S ? "sat" : "";
  const char* ty = type_name<T>();
  for (const char* rn : {"", "rn"}) {
    t.add<add<T, Z, S>>(opcode({"add", rn, z, s, ty}), k, 1);
    t.add<sub<T, Z, S>>(opcode({"sub", rn, z, s, ty}), k, 1);
    t.add<mul<T, Z, S>>(opcode({"mul", rn, z, s, ty}), k, 1);
  }
  t.add<fma_<T, Z, S>>(opcode({"fma", "rn", z, s, ty}), k, 2);
  t.add<fma_<T, Z, S>>(opcode({"mad", "rn", z, s, ty}), k, 2);
}

template <class T, bool Z>
void add_rest(OpTable& t) {
  const OpClass k = sizeof(T) == 4 ? OpClass::fp32 : OpClass::fp64;
  const char* z = Z ? "ftz" : "";
  const char* ty = type_name<T>();
  add_arithmetic<T, Z, false>(t);
  if constexpr (sizeof(T) == 4) add_arithmetic<T, Z, true>(t);
  t.add<div<T, Z>>(opcode({"div", "rn", z, ty}), k, 1);
  t.add<sqrt_<T, Z>>(opcode({"sqrt", "rn", z, ty}), k, 1);
  t.add<rcp<T, Z>>(opcode({"rcp", "rn", z, ty}), k, 1);
  t.add<abs_<T, Z>>(opcode({"abs", z, ty}), k);
  t.add<neg<T, Z>>(opcode({"neg", z, ty}), k);
  t.add<min_max<Z, false, false, T>>(opcode({"min", z, ty}), k, 1);
  t.add<min_max<Z, false, true, T>>(opcode({"max", z, ty}), k, 1);
  if constexpr (sizeof(T) == 4) {
    t.add<min_max<Z, true, false, T>>(opcode({"min", z, "NaN", ty}), k, 1);
    t.add<min_max<Z, true, true, T>>(opcode({"max", z, "NaN", ty}), k, 1);
  }
}

template <class T>
void add_tests(OpTable& t) {
  const OpClass k = sizeof(T) == 4 ? OpClass::fp32 : OpClass::fp64;
  const char* ty = type_name<T>();
  t.add<is_finite<T>>(opcode({"testp", "finite", ty}), k);
  t.add<is_infinite<T>>(opcode({"testp", "infinite", ty}), k);
  t.add<is_number<T>>(opcode({"testp", "number", ty}), k);
  t.add<is_nan<T>>(opcode({"testp", "notanumber", ty}), k);
  t.add<is_normal<T>>(opcode({"testp", "normal", ty}), k);
  t.add<is_subnormal<T>>(opcode({"testp", "subnormal", ty}), k);
  t.add<copysign_<T>>(opcode({"copysign", ty}), k);
}

}  // namespace

void add_float_ops(OpTable& t) {
  add_rest<f32, false>(t);
  add_rest<f32, true>(t);
  add_rest<f64, false>(t);
  add_tests<f32>(t);
  add_tests<f64>(t);
}

}  // namespace warpwright::simt
