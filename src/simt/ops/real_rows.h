// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simt/ops/arithmetic_rows.h"
#include "simt/ops/float_math.h"

// Makes functions of the real rows of arithmetic.def. Included once in a file, inside of an unnamed
// namespace: with directed rounding the same text is compiled in another way.

namespace warpwright::simt {
namespace {

/// Which opcodes a row has. bare: also without a rounding mode, and saturated.
enum class Forms : std::uint8_t { bare, saturated, rounded };

#define REAL_ROW(name, forms, flops)                                       \
  struct name##_row {                                                      \
    static constexpr const char* kName = #name;                            \
    static constexpr const char* kNative[] = {#name "_f32", #name "_f64"}; \
    static constexpr Forms kForms = Forms::forms;                          \
    static constexpr int kFlops = flops;                                   \
    template <class T, bool Z, bool S>                                     \
    static constexpr auto kFunction = name##_real<T, Z, S>;                \
  };
#define REAL1(name, forms, flops, scaled, ...)                                                  \
  template <class T_, bool Z, bool S>                                                           \
  T_ name##_real(T_ a) {                                                                        \
    a = flushed<Z>(a);                                                                          \
    return finish<Z, S>(unless_tiny<Z>(static_cast<T_>(__VA_ARGS__), static_cast<T_>(scaled))); \
  }                                                                                             \
  REAL_ROW(name, forms, flops)
#define REAL2(name, forms, flops, scaled, ...)                                                  \
  template <class T_, bool Z, bool S>                                                           \
  T_ name##_real(T_ a, T_ b) {                                                                  \
    a = flushed<Z>(a), b = flushed<Z>(b);                                                       \
    return finish<Z, S>(unless_tiny<Z>(static_cast<T_>(__VA_ARGS__), static_cast<T_>(scaled))); \
  }                                                                                             \
  REAL_ROW(name, forms, flops)
#define REAL3(name, forms, flops, scaled, ...)                                                  \
  template <class T_, bool Z, bool S>                                                           \
  T_ name##_real(T_ a, T_ b, T_ c) {                                                            \
    a = flushed<Z>(a), b = flushed<Z>(b), c = flushed<Z>(c);                                    \
    return finish<Z, S>(unless_tiny<Z>(static_cast<T_>(__VA_ARGS__), static_cast<T_>(scaled))); \
  }                                                                                             \
  REAL_ROW(name, forms, flops)
#include "simt/isa/arithmetic.def"

/// Calls add with every row.
template <class Add>
void for_real_rows(Add add) {
#define REAL1(name, ...) add.template operator()<name##_row>();
#define REAL2 REAL1
#define REAL3 REAL1
#include "simt/isa/arithmetic.def"
}

template <class T>
constexpr OpClass kRealClass = sizeof(T) == 4 ? OpClass::fp32 : OpClass::fp64;

}  // namespace
}  // namespace warpwright::simt
