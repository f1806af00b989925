// SPDX-License-Identifier: Apache-2.0
// Conversions. 8-bit values live in 16-bit registers.
#include <limits>

#include "simt/isa/rules.h"
#include "simt/ops/alu.h"
#include "simt/ops/float_math.h"

namespace warpwright::simt {
namespace {

template <class T>
using Stored = std::conditional_t<std::is_same_v<T, u8>, u16,
                                  std::conditional_t<std::is_same_v<T, s8>, s16, T>>;

template <class D, class S, bool kSat>
Stored<D> int_to_int(Stored<S> stored) {
  const S a = static_cast<S>(stored);
  if constexpr (kSat) {
    using L = std::numeric_limits<D>;
    if constexpr (std::is_signed_v<S>) {
      if (a < 0 && (std::is_unsigned_v<D> || static_cast<s64>(a) < static_cast<s64>(L::min())))
        return L::min();
    }
    if (a > 0 && static_cast<u64>(a) > static_cast<u64>(L::max())) return L::max();
  }
  return static_cast<D>(a);
}

enum class Whole : std::uint8_t { nearest, zero, down, up };
template <Whole kMode, class T>
T whole(T x) {
  if constexpr (kMode == Whole::nearest) return std::nearbyint(x);
  if constexpr (kMode == Whole::zero) return std::trunc(x);
  if constexpr (kMode == Whole::down) return std::floor(x);
  return std::ceil(x);
}

/// Out-of-range values clamp to the type's limits. NaN becomes 0, but where 64 bits are involved on
/// either side only the topmost bit is set.
template <class D, class S, Whole kMode, bool Z>
Stored<D> real_to_int(S a) {
  using L = std::numeric_limits<D>;
  using Bits = std::make_unsigned_t<D>;
  constexpr bool kWide = sizeof(S) == 8 || sizeof(D) == 8;
  constexpr Bits kOfNan = kWide ? static_cast<Bits>(Bits{1} << (8 * sizeof(D) - 1)) : Bits{0};
  const S r = whole<kMode>(flushed<Z>(a));
  constexpr S kHigh = static_cast<S>(static_cast<S>(L::max() / 2 + 1) * 2);
  constexpr S kLow = static_cast<S>(L::min());
  return WW_CLAMPED(r, static_cast<D>(kOfNan), kLow, L::min(), kHigh, L::max(), static_cast<D>(r));
}

template <class D, class S>
D int_to_real(Stored<S> a) {
  return static_cast<D>(static_cast<S>(a));
}

template <class T, Whole kMode, bool Z, bool kSat>
T real_to_whole(T a) {
  return finish<Z, kSat>(whole<kMode>(flushed<Z>(a)));
}
template <bool Z, bool kSat>
f32 f32_to_f32(f32 a) {
  return finish<Z, kSat>(flushed<Z>(a));
}
template <bool kSat>
f64 f64_to_f64(f64 a) {
  return finish<false, kSat>(a);
}
template <bool Z>
f64 widen(f32 a) {
  return flushed<Z>(a);
}
template <bool Z, bool kSat>
f32 narrow(f64 a) {
  return finish<Z, kSat>(static_cast<f32>(a));
}

template <class H, Rounding kMode>
H real_to_half(f64 x) {
  if constexpr (std::is_same_v<H, Half>)
    return to_half(x, kMode);
  else
    return to_bfloat(x, kMode);
}
template <class H, Rounding kMode, bool kRelu, bool kSat>
H f32_to_half(f32 a) {
  if constexpr (kRelu) a = a != a || a > 0 ? a : 0.0f;
  if constexpr (kSat) a = saturate(a);
  if constexpr (kMode == Rounding::nearest_even) {
    if constexpr (std::is_same_v<H, Half>)
      return half_from_float(a);
    else
      return bfloat_from_float(a);
  } else {
    return real_to_half<H, kMode>(a);
  }
}
template <class H, Rounding kMode>
H f64_to_half(f64 a) {
  return real_to_half<H, kMode>(a);
}
template <class H, class S>
H int_to_half(Stored<S> a) {
  return real_to_half<H, Rounding::nearest_even>(static_cast<f64>(static_cast<S>(a)));
}
template <class H, bool Z>
f32 half_to_f32(H a) {
  return canonical(flushed<Z>(to_float(a)));
}
template <class H>
f64 half_to_f64(H a) {
  return to_float(a);
}
template <class H, class D, Whole kMode>
Stored<D> half_to_int(H a) {
  return real_to_int<D, f32, kMode, false>(to_float(a));
}
template <class H, Whole kMode>
H half_to_whole(H a) {
  return f32_to_half<H, Rounding::nearest_even, false, false>(whole<kMode>(to_float(a)));
}
template <class H, Rounding kMode, bool kRelu>
u32 pack(f32 high, f32 low) {
  return u32{f32_to_half<H, kMode, kRelu, false>(high).bits} << 16 |
         f32_to_half<H, kMode, kRelu, false>(low).bits;
}

template <bool kRelu>
u32 to_tf32_away(f32 a) {
  if (kRelu && !(a > 0)) a = a != a ? a : 0.0f;
  const auto bits = std::bit_cast<u32>(a);
  // Infinities and NaNs are only cut, and a NaN may become infinite.
  if ((bits & 0x7f800000u) == 0x7f800000u) return bits & 0xffffe000u;
  return (bits + 0x1000u) & 0xffffe000u;
}

constexpr OpClass kClass = OpClass::convert;
constexpr std::pair<Whole, const char*> kWhole[] = {
    {Whole::nearest, "rni"}, {Whole::zero, "rzi"}, {Whole::down, "rmi"}, {Whole::up, "rpi"}};

template <std::size_t K>
void add_whole_mode(OpTable& t) {
  constexpr Whole kMode = kWhole[K].first;
  const char* r = kWhole[K].second;
  for_types<u8, s8, u16, s16, u32, s32, u64, s64>([&]<class D>() {
    const char* d = type_name<D>();
    for (const char* sat : {"", "sat"}) {
      t.add<real_to_int<D, f32, kMode, false>>(opcode({"cvt", r, sat, d, "f32"}), kClass);
      t.add<real_to_int<D, f32, kMode, true>>(opcode({"cvt", r, "ftz", sat, d, "f32"}), kClass);
      t.add<real_to_int<D, f64, kMode, false>>(opcode({"cvt", r, sat, d, "f64"}), kClass);
      t.add<half_to_int<Half, D, kMode>>(opcode({"cvt", r, sat, d, "f16"}), kClass);
      t.add<half_to_int<BFloat, D, kMode>>(opcode({"cvt", r, sat, d, "bf16"}), kClass);
    }
  });
  t.add<real_to_whole<f32, kMode, false, false>>(opcode({"cvt", r, "f32", "f32"}), kClass);
  t.add<real_to_whole<f32, kMode, true, false>>(opcode({"cvt", r, "ftz", "f32", "f32"}), kClass);
  t.add<real_to_whole<f32, kMode, false, true>>(opcode({"cvt", r, "sat", "f32", "f32"}), kClass);
  t.add<real_to_whole<f32, kMode, true, true>>(opcode({"cvt", r, "ftz", "sat", "f32", "f32"}),
                                               kClass);
  t.add<real_to_whole<f64, kMode, false, false>>(opcode({"cvt", r, "f64", "f64"}), kClass);
  t.add<half_to_whole<Half, kMode>>(opcode({"cvt", r, "f16", "f16"}), kClass);
  t.add<half_to_whole<BFloat, kMode>>(opcode({"cvt", r, "bf16", "bf16"}), kClass);
}

template <class H>
void add_half_type(OpTable& t) {
  const char* h = type_name<H>();
  const std::string x2 = std::string(h) + "x2";
  using R = Rounding;
  t.add<f32_to_half<H, R::nearest_even, false, false>>(opcode({"cvt", "rn", h, "f32"}), kClass);
  t.add<f32_to_half<H, R::nearest_even, true, false>>(opcode({"cvt", "rn", "relu", h, "f32"}),
                                                      kClass);
  t.add<f32_to_half<H, R::nearest_even, false, true>>(opcode({"cvt", "rn", "sat", h, "f32"}),
                                                      kClass);
  t.add<f32_to_half<H, R::zero, false, false>>(opcode({"cvt", "rz", h, "f32"}), kClass);
  t.add<f32_to_half<H, R::zero, true, false>>(opcode({"cvt", "rz", "relu", h, "f32"}), kClass);
  t.add<f32_to_half<H, R::down, false, false>>(opcode({"cvt", "rm", h, "f32"}), kClass);
  t.add<f32_to_half<H, R::up, false, false>>(opcode({"cvt", "rp", h, "f32"}), kClass);
  t.add<f64_to_half<H, R::nearest_even>>(opcode({"cvt", "rn", h, "f64"}), kClass);
  t.add<f64_to_half<H, R::zero>>(opcode({"cvt", "rz", h, "f64"}), kClass);
  t.add<f64_to_half<H, R::down>>(opcode({"cvt", "rm", h, "f64"}), kClass);
  t.add<f64_to_half<H, R::up>>(opcode({"cvt", "rp", h, "f64"}), kClass);
  t.add<half_to_f32<H, false>>(opcode({"cvt", "f32", h}), kClass);
  t.add<half_to_f32<H, true>>(opcode({"cvt", "ftz", "f32", h}), kClass);
  t.add<half_to_f64<H>>(opcode({"cvt", "f64", h}), kClass);
  t.add<pack<H, R::nearest_even, false>>(opcode({"cvt", "rn", x2.c_str(), "f32"}), kClass);
  t.add<pack<H, R::nearest_even, true>>(opcode({"cvt", "rn", "relu", x2.c_str(), "f32"}), kClass);
  t.add<pack<H, R::zero, false>>(opcode({"cvt", "rz", x2.c_str(), "f32"}), kClass);
  for_types<u8, s8, u16, s16, u32, s32, u64, s64>([&]<class S>() {
    t.add<int_to_half<H, S>>(opcode({"cvt", "rn", h, type_name<S>()}), kClass);
  });
}

/// What compiled code does by itself of the conversions.
void add_native_forms(OpTable& t) {
#define INT_TO_REAL(To, From) t.set_native("cvt.rn." #To "." #From, {"cvt_" #To "_" #From});
#define REAL_TO_INT(To, ...) \
  t.set_native("cvt.rzi." #To ".f32", {"cvt_" #To "_f32", ShapeRule::plain, true});
#include "simt/isa/arithmetic.def"
}

/// Of 32 bits and more, compiled code follows what grows with the lane.
template <class To, class From>
constexpr ShapeRule convert_rule() {
  if (sizeof(To) < 4 || sizeof(From) < 4) return ShapeRule::plain;
  if (sizeof(To) == sizeof(From)) return ShapeRule::move;
  if (sizeof(To) < sizeof(From)) return ShapeRule::narrow;
  return std::is_signed_v<From> ? ShapeRule::widen_signed : ShapeRule::widen_unsigned;
}

}  // namespace

void add_convert_ops(OpTable& t) {
  add_whole_mode<0>(t);
  add_whole_mode<1>(t);
  add_whole_mode<2>(t);
  add_whole_mode<3>(t);
  add_half_type<Half>(t);
  add_half_type<BFloat>(t);
  for_types<u8, s8, u16, s16, u32, s32, u64, s64>([&]<class S>() {
    t.add<int_to_real<f32, S>>(opcode({"cvt", "rn", "f32", type_name<S>()}), kClass);
    t.add<int_to_real<f64, S>>(opcode({"cvt", "rn", "f64", type_name<S>()}), kClass);
  });
  t.add<f32_to_f32<false, false>>("cvt.f32.f32", kClass);
  t.add<f32_to_f32<true, false>>("cvt.ftz.f32.f32", kClass);
  t.add<f32_to_f32<false, true>>("cvt.sat.f32.f32", kClass);
  t.add<f32_to_f32<true, true>>("cvt.ftz.sat.f32.f32", kClass);
  t.add<f64_to_f64<true>>("cvt.sat.f64.f64", kClass);
  t.add<f64_to_f64<false>>("cvt.f64.f64", kClass);
  t.add<widen<false>>("cvt.f64.f32", kClass);
  t.add<widen<true>>("cvt.ftz.f64.f32", kClass);
  t.add<narrow<false, false>>("cvt.rn.f32.f64", kClass);
  t.add<narrow<true, false>>("cvt.rn.ftz.f32.f64", kClass);
  t.add<narrow<false, true>>("cvt.rn.sat.f32.f64", kClass);
  t.add<to_tf32_away<false>>("cvt.rna.tf32.f32", kClass);
  add_native_forms(t);
}

void add_integer_convert_ops(OpTable& t) {
#define CONVERT_INT(To, From)                                                           \
  t.add<int_to_int<To, From, false>>("cvt." #To "." #From, kClass, 0,                   \
                                     {"cvt_" #To "_" #From, convert_rule<To, From>()}); \
  t.add<int_to_int<To, From, true>>("cvt.sat." #To "." #From, kClass);
#include "simt/isa/arithmetic.def"
}

}  // namespace warpwright::simt
