// SPDX-License-Identifier: Apache-2.0
// Arithmetic with directed rounding. This file is compiled with -frounding-math; the rounding
// mode is changed around the loop over the lanes, whose loads and stores cannot move across the
// calls that change it.
#include <cfenv>

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
template <class D, class S>
D convert(S a) {
  return canonical(static_cast<D>(a));
}
template <bool Z>
f32 narrow(f64 a) {
  return finish<Z, false>(static_cast<f32>(a));
}

template <auto F, int kMode>
const Ins* rounded(Warp& w, const Ins* i) {
  std::fesetround(kMode);
  Alu<F>::apply(w, i);
  std::fesetround(FE_TONEAREST);
  return i + 1;
}

template <auto F, int kMode>
void put(OpTable& t, std::string name, OpClass k, int flops) {
  t.add_signature(std::move(name), rounded<F, kMode>, F, k, flops);
}

template <class T, bool Z, bool S, int M>
void add_arithmetic(OpTable& t, const char* mode) {
  const OpClass k = sizeof(T) == 4 ? OpClass::fp32 : OpClass::fp64;
  const char* z = Z ? "ftz" : "";
  const char* s = S ? "sat" : "";
  const char* ty = type_name<T>();
  put<add<T, Z, S>, M>(t, opcode({"add", mode, z, s, ty}), k, 1);
  put<sub<T, Z, S>, M>(t, opcode({"sub", mode, z, s, ty}), k, 1);
  put<mul<T, Z, S>, M>(t, opcode({"mul", mode, z, s, ty}), k, 1);
  put<fma_<T, Z, S>, M>(t, opcode({"fma", mode, z, s, ty}), k, 2);
  if constexpr (!S) {
    put<div<T, Z>, M>(t, opcode({"div", mode, z, ty}), k, 1);
    put<sqrt_<T, Z>, M>(t, opcode({"sqrt", mode, z, ty}), k, 1);
    put<rcp<T, Z>, M>(t, opcode({"rcp", mode, z, ty}), k, 1);
  }
}

template <int M>
void add_mode(OpTable& t, const char* mode) {
  add_arithmetic<f32, false, false, M>(t, mode);
  add_arithmetic<f32, true, false, M>(t, mode);
  add_arithmetic<f32, false, true, M>(t, mode);
  add_arithmetic<f32, true, true, M>(t, mode);
  add_arithmetic<f64, false, false, M>(t, mode);
  const OpClass k = OpClass::convert;
  for_types<u16, s16, u32, s32, u64, s64>([&]<class I>() {
    put<convert<f32, I>, M>(t, opcode({"cvt", mode, "f32", type_name<I>()}), k, 0);
    put<convert<f64, I>, M>(t, opcode({"cvt", mode, "f64", type_name<I>()}), k, 0);
  });
  put<narrow<false>, M>(t, opcode({"cvt", mode, "f32", "f64"}), k, 0);
  put<narrow<true>, M>(t, opcode({"cvt", mode, "ftz", "f32", "f64"}), k, 0);
}

}  // namespace

void add_rounded_ops(OpTable& t) {
  add_mode<FE_TOWARDZERO>(t, "rz");
  add_mode<FE_DOWNWARD>(t, "rm");
  add_mode<FE_UPWARD>(t, "rp");
}

}  // namespace warpwright::simt
