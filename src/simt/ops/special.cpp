// SPDX-License-Identifier: Apache-2.0
// Approximate instructions and the math library's functions. Computed at least as precisely as
// PTX promises; a GPU may differ in the last places.
#include "simt/ops/alu.h"
#include "simt/ops/float_math.h"

namespace warpwright::simt {
namespace {

template <bool Z>
f32 div_full(f32 a, f32 b) {
  return finish<Z, false>(flushed<Z>(a) / flushed<Z>(b));
}
/// a times the reciprocal of b, which is 0 for the largest b.
template <bool Z>
f32 div_approx(f32 a, f32 b) {
  const bool large = std::fabs(b) > 0x1p126f && std::fabs(b) < std::numeric_limits<f32>::infinity();
  return large ? canonical(flushed<Z>(a) * std::copysign(0.0f, b)) : div_full<Z>(a, b);
}
template <bool Z>
f32 rcp(f32 a) {
  return finish<Z, false>(1.0f / flushed<Z>(a));
}
template <bool Z>
f32 sqrt_(f32 a) {
  return finish<Z, false>(std::sqrt(flushed<Z>(a)));
}
template <bool Z>
f32 rsqrt(f32 a) {
  return finish<Z, false>(static_cast<f32>(1.0 / std::sqrt(static_cast<f64>(flushed<Z>(a)))));
}
template <bool Z>
f32 ex2(f32 a) {
  return finish<Z, false>(std::exp2(flushed<Z>(a)));
}
template <bool Z>
f32 lg2(f32 a) {
  return finish<Z, false>(std::log2(flushed<Z>(a)));
}
template <bool Z>
f32 sin_(f32 a) {
  return finish<Z, false>(std::sin(flushed<Z>(a)));
}
template <bool Z>
f32 cos_(f32 a) {
  return finish<Z, false>(std::cos(flushed<Z>(a)));
}
f32 tanh_(f32 a) { return canonical(static_cast<f32>(std::tanh(static_cast<f64>(a)))); }
f64 rsqrt64(f64 a) { return 1.0 / std::sqrt(a); }

f64 flush64(f64 x) { return std::fabs(x) < 0x1p-1022 ? std::copysign(0.0, x) : x; }
/// Only the upper half is delivered, rounded; compilers refine it.
f64 upper(f64 x) {
  const auto bits = std::bit_cast<u64>(x);
  return std::bit_cast<f64>((std::isfinite(x) ? bits + 0x80000000u : bits) & 0xffffffff00000000u);
}
f64 rcp64(f64 a) { return flush64(upper(1.0 / flush64(a))); }
f64 rsqrt64_ftz(f64 a) { return flush64(upper(1.0 / std::sqrt(flush64(a)))); }

template <bool Z>
void add_approximate(OpTable& t) {
  const char* z = Z ? "ftz" : "";
  const OpClass k = OpClass::special;
  t.add<div_approx<Z>>(opcode({"div", "approx", z, "f32"}), k, 1);
  t.add<div_full<Z>>(opcode({"div", "full", z, "f32"}), k, 1);
  t.add<rcp<Z>>(opcode({"rcp", "approx", z, "f32"}), k, 1);
  t.add<sqrt_<Z>>(opcode({"sqrt", "approx", z, "f32"}), k, 1);
  t.add<rsqrt<Z>>(opcode({"rsqrt", "approx", z, "f32"}), k, 1);
  t.add<ex2<Z>>(opcode({"ex2", "approx", z, "f32"}), k, 1);
  t.add<lg2<Z>>(opcode({"lg2", "approx", z, "f32"}), k, 1);
  t.add<sin_<Z>>(opcode({"sin", "approx", z, "f32"}), k, 1);
  t.add<cos_<Z>>(opcode({"cos", "approx", z, "f32"}), k, 1);
}

}  // namespace

void add_special_ops(OpTable& t) {
  add_approximate<false>(t);
  add_approximate<true>(t);
  t.add<tanh_>("tanh.approx.f32", OpClass::special, 1);
  t.add<rsqrt64>("rsqrt.approx.f64", OpClass::special, 1);
  t.add<rsqrt64_ftz>("rsqrt.approx.ftz.f64", OpClass::special, 1);
  t.add<rcp64>("rcp.approx.ftz.f64", OpClass::special, 1);
}

}  // namespace warpwright::simt
