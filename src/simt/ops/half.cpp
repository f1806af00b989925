// SPDX-License-Identifier: Apache-2.0
// binary16 and bfloat16 arithmetic, single and packed in pairs.
#include "simt/ops/alu.h"
#include "simt/ops/float_math.h"

namespace warpwright::simt {
namespace {

template <class H>
H narrow(f32 x) {
  if constexpr (std::is_same_v<H, Half>)
    return half_from_float(x);
  else
    return bfloat_from_float(x);
}
template <class H>
H narrow_sticky(f64 x) {
  if constexpr (std::is_same_v<H, Half>)
    return to_half(x);
  else
    return to_bfloat(x);
}

/// What is less than this is subnormal even when it is rounded to 11 bits first.
constexpr f32 kLeastKept = 0x1p-14f * (1 - 0x1p-12f);

template <class H, bool Z>
f32 widen(H h) {
  const f32 x = to_float(h);
  if constexpr (Z) return std::fabs(x) < 0x1p-14f ? std::copysign(0.0f, x) : x;
  return x;
}
template <class H, bool Z, bool S>
H done(f32 x) {
  if constexpr (Z) x = std::fabs(x) < kLeastKept ? std::copysign(0.0f, x) : x;
  if constexpr (S) x = saturate(x);
  H h = narrow<H>(x);
  if constexpr (Z) h.bits = (h.bits & 0x7c00) == 0 ? h.bits & 0x8000 : h.bits;
  return h;
}

// Sums and products of two 11-bit (8-bit) values rounded to 24 bits and then to 11 (8) equal one
// rounding, because 24 >= 2 * 11 + 2.
template <class H, bool Z, bool S>
H add(H a, H b) {
  return done<H, Z, S>(widen<H, Z>(a) + widen<H, Z>(b));
}
template <class H, bool Z, bool S>
H sub(H a, H b) {
  return done<H, Z, S>(widen<H, Z>(a) - widen<H, Z>(b));
}
template <class H, bool Z, bool S>
H mul(H a, H b) {
  return done<H, Z, S>(widen<H, Z>(a) * widen<H, Z>(b));
}
template <class H, bool Z, bool S>
H fma_(H a, H b, H c) {
  f64 x = fma_sticky(widen<H, Z>(a), widen<H, Z>(b), widen<H, Z>(c));
  if constexpr (Z) x = std::fabs(x) < kLeastKept ? std::copysign(0.0, x) : x;
  if constexpr (S) x = saturate(x);
  H h = narrow_sticky<H>(x);
  if constexpr (Z) h.bits = (h.bits & 0x7c00) == 0 ? h.bits & 0x8000 : h.bits;
  return h;
}
template <class H>
H fma_relu(H a, H b, H c) {
  const H r = fma_<H, false, false>(a, b, c);
  const f32 x = to_float(r);
  return x != x || x > 0 ? r : H{0};
}
template <class H>
H neg(H a) {
  return {static_cast<u16>(a.bits ^ 0x8000)};
}
template <class H>
H abs_(H a) {
  return {static_cast<u16>(a.bits & 0x7fff)};
}
template <class H, bool kNan, bool kMax>
H min_max_half(H a, H b) {
  const f32 r = min_max<false, kNan, kMax, f32>(to_float(a), to_float(b));
  return r != r ? H{0x7fff} : narrow<H>(r);
}
template <class H>
H ex2(H a) {
  return narrow<H>(std::exp2(to_float(a)));
}
/// The form of bfloat16: subnormal results become 0.
BFloat ex2_ftz(BFloat a) {
  const f32 x = std::exp2(to_float(a));
  return narrow<BFloat>(x < 0x1p-126f ? 0.0f : x);
}
template <class H>
H tanh_(H a) {
  return narrow<H>(std::tanh(to_float(a)));
}

/// The same for both halves of a register.
template <auto F>
struct Packed;
template <class H, H (*F)(H)>
struct Packed<F> {
  static u32 apply(u32 a) {
    return u32{F(H{static_cast<u16>(a)}).bits} | u32{F(H{static_cast<u16>(a >> 16)}).bits} << 16;
  }
};
template <class H, H (*F)(H, H)>
struct Packed<F> {
  static u32 apply(u32 a, u32 b) {
    return u32{F(H{static_cast<u16>(a)}, H{static_cast<u16>(b)}).bits} |
           u32{F(H{static_cast<u16>(a >> 16)}, H{static_cast<u16>(b >> 16)}).bits} << 16;
  }
};
template <class H, H (*F)(H, H, H)>
struct Packed<F> {
  static u32 apply(u32 a, u32 b, u32 c) {
    return u32{F(H{static_cast<u16>(a)}, H{static_cast<u16>(b)}, H{static_cast<u16>(c)}).bits} |
           u32{F(H{static_cast<u16>(a >> 16)}, H{static_cast<u16>(b >> 16)},
                 H{static_cast<u16>(c >> 16)})
                   .bits}
               << 16;
  }
};

template <auto F>
void both(OpTable& t, std::initializer_list<const char*> parts, const char* type, int flops) {
  const std::string stem = opcode(parts) + "." + type;
  t.add<F>(stem, OpClass::fp16, flops);
  t.add<Packed<F>::apply>(stem + "x2", OpClass::fp16, 2 * flops);
}

template <class H, bool Z, bool S>
void add_arithmetic(OpTable& t) {
  const char* z = Z ? "ftz" : "";
  const char* s = S ? "sat" : "";
  const char* ty = type_name<H>();
  for (const char* rn : {"", "rn"}) {
    both<add<H, Z, S>>(t, {"add", rn, z, s}, ty, 1);
    both<sub<H, Z, S>>(t, {"sub", rn, z, s}, ty, 1);
    both<mul<H, Z, S>>(t, {"mul", rn, z, s}, ty, 1);
  }
  both<fma_<H, Z, S>>(t, {"fma", "rn", z, s}, ty, 2);
}

template <class H>
void add_type(OpTable& t) {
  const char* ty = type_name<H>();
  add_arithmetic<H, false, false>(t);
  both<fma_relu<H>>(t, {"fma", "rn", "relu"}, ty, 2);
  both<neg<H>>(t, {"neg"}, ty, 0);
  both<abs_<H>>(t, {"abs"}, ty, 0);
  both<min_max_half<H, false, false>>(t, {"min"}, ty, 1);
  both<min_max_half<H, false, true>>(t, {"max"}, ty, 1);
  both<min_max_half<H, true, false>>(t, {"min", "NaN"}, ty, 1);
  both<min_max_half<H, true, true>>(t, {"max", "NaN"}, ty, 1);
  both<tanh_<H>>(t, {"tanh", "approx"}, ty, 1);
}

}  // namespace

void add_half_ops(OpTable& t) {
  add_type<Half>(t);
  add_arithmetic<Half, false, true>(t);
  add_arithmetic<Half, true, false>(t);
  add_arithmetic<Half, true, true>(t);
  add_type<BFloat>(t);
  both<ex2<Half>>(t, {"ex2", "approx"}, "f16", 1);
  both<ex2_ftz>(t, {"ex2", "approx", "ftz"}, "bf16", 1);
}

}  // namespace warpwright::simt
