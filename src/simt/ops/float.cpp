// SPDX-License-Identifier: Apache-2.0
// binary32 and binary64 arithmetic rounded to nearest even: the rows of arithmetic.def, and what
// only the interpreter executes.
#include "simt/ops/real_rows.h"

namespace warpwright::simt {
namespace {

#define REAL_BITS(name, ...) \
  u32 name##_bits(u32 a) { return __VA_ARGS__; }
#include "simt/isa/arithmetic.def"

template <class T, bool Z>
T abs_(T a) {
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<f32>(abs_bits(std::bit_cast<u32>(flushed<Z>(a))));
  return std::fabs(a);
}
template <class T, bool Z>
T neg(T a) {
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<f32>(neg_bits(std::bit_cast<u32>(flushed<Z>(a))));
  return -a;
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

template <class T, bool Z, bool S, class Row>
void add_forms(OpTable& t) {
  const char* z = Z ? "ftz" : "";
  const char* s = S ? "sat" : "";
  NativeForm native;
  // Compiled code makes a NaN of binary32 canonical where somebody can see it.
  if (!Z && !S)
    native = {Row::kNative[sizeof(T) / 8], ShapeRule::plain, sizeof(T) == 4, sizeof(T) == 4};
  const auto add = [&](const char* name, const char* mode) {
    t.add<Row::template kFunction<T, Z, S>>(opcode({name, mode, z, s, type_name<T>()}),
                                            kRealClass<T>, Row::kFlops, native);
  };
  add(Row::kName, "rn");
  if (Row::kForms == Forms::bare) add(Row::kName, "");
  if (std::string_view(Row::kName) == "fma") add("mad", "rn");
}

template <class T, bool Z>
void add_rest(OpTable& t) {
  const OpClass k = kRealClass<T>;
  const char* z = Z ? "ftz" : "";
  const char* ty = type_name<T>();
  for_real_rows([&]<class Row>() {
    add_forms<T, Z, false, Row>(t);
    if constexpr (sizeof(T) == 4 && Row::kForms != Forms::rounded) add_forms<T, Z, true, Row>(t);
  });
  const bool shared = sizeof(T) == 4 && !Z;
  const auto native = [&](const char* name, bool raw) -> NativeForm {
    return shared ? NativeForm{name, ShapeRule::plain, raw, raw} : NativeForm{};
  };
  t.add<abs_<T, Z>>(opcode({"abs", z, ty}), k, 0, native("abs_f32", false));
  t.add<neg<T, Z>>(opcode({"neg", z, ty}), k, 0, native("neg_f32", false));
  t.add<min_max<Z, false, false, T>>(opcode({"min", z, ty}), k, 1, native("min_f32", true));
  t.add<min_max<Z, false, true, T>>(opcode({"max", z, ty}), k, 1, native("max_f32", true));
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
