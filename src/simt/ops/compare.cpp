// SPDX-License-Identifier: Apache-2.0
// Comparisons. `.and`/`.or`/`.xor` forms and `set` are made of these by the decoder.
#include "simt/ops/arithmetic_rows.h"
#include "simt/ops/float_math.h"

namespace warpwright::simt {
namespace {

#define COMPARE(T, name, text, cost, rule, ...)     \
  bool name##_##T(T a_, T b_) {                     \
    using T_ [[maybe_unused]] = T;                  \
    const Wide<T> a = wrapped(a_), b = wrapped(b_); \
    return __VA_ARGS__;                             \
  }
#include "simt/isa/arithmetic.def"

template <class T>
f32 real(T x) {
  return to_float(x);
}
template <>
f32 real<f32>(f32 x) {
  return x;
}
f64 real64(f64 x) { return x; }

template <class T, bool Z>
auto value(T x) {
  if constexpr (std::is_same_v<T, f64>)
    return real64(x);
  else
    return flushed<Z>(real<T>(x));
}

#define REAL_COMPARE(name, ...)                                            \
  template <class V>                                                       \
  bool name##_real(V a, V b) {                                             \
    return static_cast<bool>(__VA_ARGS__);                                 \
  }                                                                        \
  template <class T, bool Z>                                               \
  bool name##_setp(T a, T b) {                                             \
    return name##_real(value<T, Z>(a), value<T, Z>(b));                    \
  }                                                                        \
  struct name##_row {                                                      \
    static constexpr const char* kName = #name;                            \
    static constexpr const char* kNative[] = {#name "_f32", #name "_f64"}; \
    template <class T, bool Z>                                             \
    static constexpr auto kFunction = name##_setp<T, Z>;                   \
  };
#include "simt/isa/arithmetic.def"

template <class Add>
void for_comparisons(Add add) {
#define REAL_COMPARE(name, ...) add.template operator()<name##_row>();
#include "simt/isa/arithmetic.def"
}

template <class T, bool Z>
void add_reals(OpTable& t, OpClass k) {
  for_comparisons([&]<class Row>() {
    NativeForm native;
    if constexpr (!Z && (std::is_same_v<T, f32> || std::is_same_v<T, f64>))
      native = {Row::kNative[sizeof(T) / 8], ShapeRule::plain, true};
    t.add<Row::template kFunction<T, Z>>(
        opcode({"setp", Row::kName, Z ? "ftz" : "", type_name<T>()}), k, 0, native);
  });
}

/// set with a half result: 1.0 or 0.0, for one value or for both of a pair.
template <class H>
constexpr u16 kOne = std::is_same_v<H, Half> ? 0x3c00 : 0x3f80;
template <class H, bool (*F)(H, H)>
u16 set_one(H a, H b) {
  return F(a, b) ? kOne<H> : 0;
}
template <class H, bool (*F)(H, H)>
u32 set_pair(u32 a, u32 b) {
  const u32 low = set_one<H, F>(H{static_cast<u16>(a)}, H{static_cast<u16>(b)});
  const u32 high = set_one<H, F>(H{static_cast<u16>(a >> 16)}, H{static_cast<u16>(b >> 16)});
  return low | high << 16;
}

/// The tests for numbers and NaNs have no such form.
template <class H>
void add_sets(OpTable& t) {
  const char* ty = type_name<H>();
  const std::string pair = std::string(ty) + "x2";
  for_comparisons([&]<class Row>() {
    const std::string_view name = Row::kName;
    if (name == "num" || name == "nan") return;
    constexpr bool (*kTest)(H, H) = Row::template kFunction<H, false>;
    t.add<set_one<H, kTest>>(opcode({"set", Row::kName, ty, ty}), OpClass::fp16);
    t.add<set_pair<H, kTest>>(opcode({"set", Row::kName, pair.c_str(), pair.c_str()}),
                              OpClass::fp16);
  });
}

}  // namespace

void add_compare_ops(OpTable& t) {
#define COMPARE(T, name, text, cost, rule, ...) \
  t.add<name##_##T>(text "." #T, OpClass::cost, 0, {#name "_" #T, ShapeRule::rule});
#include "simt/isa/arithmetic.def"
  add_reals<f32, false>(t, OpClass::fp32);
  add_reals<f32, true>(t, OpClass::fp32);
  add_reals<f64, false>(t, OpClass::fp64);
  add_reals<Half, false>(t, OpClass::fp16);
  add_reals<BFloat, false>(t, OpClass::fp16);
  add_sets<Half>(t);
  add_sets<BFloat>(t);
}

}  // namespace warpwright::simt
