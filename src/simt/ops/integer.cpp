// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic of PTX, one line per instruction.
#include <algorithm>
#include <limits>

#include "simt/ops/alu.h"

namespace warpwright::simt {
namespace {

template <class T>
using Unsigned = std::make_unsigned_t<T>;
/// Wide enough that unsigned 16-bit products do not become signed ints.
template <class T>
using Wide = std::conditional_t<sizeof(T) < 4, u32, Unsigned<T>>;
template <class T>
using Double = std::conditional_t<sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, s32, u32>,
                                  std::conditional_t<std::is_signed_v<T>, s64, u64>>;

template <class T>
T add(T a, T b) {
  return static_cast<T>(Wide<T>(a) + Wide<T>(b));
}
template <class T>
T sub(T a, T b) {
  return static_cast<T>(Wide<T>(a) - Wide<T>(b));
}
template <class T>
T mul(T a, T b) {
  return static_cast<T>(Wide<T>(a) * Wide<T>(b));
}
template <class T>
T mad(T a, T b, T c) {
  return static_cast<T>(Wide<T>(a) * Wide<T>(b) + Wide<T>(c));
}

template <class T>
T mul_hi(T a, T b) {
  if constexpr (sizeof(T) == 8) {
    using W = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return static_cast<T>(static_cast<W>(a) * static_cast<W>(b) >> 64);
  } else {
    return static_cast<T>(static_cast<Double<T>>(a) * static_cast<Double<T>>(b) >> (8 * sizeof(T)));
  }
}
template <class T>
T mad_hi(T a, T b, T c) {
  return add<T>(mul_hi<T>(a, b), c);
}
template <class T>
Double<T> mul_wide(T a, T b) {
  return static_cast<Double<T>>(a) * static_cast<Double<T>>(b);
}
template <class T>
Double<T> mad_wide(T a, T b, Double<T> c) {
  return add<Double<T>>(mul_wide<T>(a, b), c);
}

s32 add_sat(s32 a, s32 b) {
  return static_cast<s32>(std::clamp<s64>(s64{a} + b, std::numeric_limits<s32>::min(),
                                          std::numeric_limits<s32>::max()));
}
s32 sub_sat(s32 a, s32 b) {
  return static_cast<s32>(std::clamp<s64>(s64{a} - b, std::numeric_limits<s32>::min(),
                                          std::numeric_limits<s32>::max()));
}
s32 mad_hi_sat(s32 a, s32 b, s32 c) { return add_sat(mul_hi<s32>(a, b), c); }

// Division by zero is unspecified in PTX; all ones is what hardware gives. Overflow wraps.
template <class T>
T div(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return static_cast<T>(Wide<T>(0) - Wide<T>(a));
  return static_cast<T>(a / b);
}
template <class T>
T rem(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0;
  return static_cast<T>(a % b);
}

template <class T>
T abs_(T a) {
  return a < 0 ? static_cast<T>(Wide<T>(0) - Wide<T>(a)) : a;
}
template <class T>
T neg(T a) {
  return static_cast<T>(Wide<T>(0) - Wide<T>(a));
}
template <class T>
T min_(T a, T b) {
  return a < b ? a : b;
}
template <class T>
T max_(T a, T b) {
  return a > b ? a : b;
}
template <class T>
T sad(T a, T b, T c) {
  return add<T>(c, a < b ? sub<T>(b, a) : sub<T>(a, b));
}

s32 sext24(s32 a) { return static_cast<s32>(static_cast<u32>(a) << 8) >> 8; }
s32 mul24_s(s32 a, s32 b) { return mul<s32>(sext24(a), sext24(b)); }
u32 mul24_u(u32 a, u32 b) { return (a & 0xffffff) * (b & 0xffffff); }
s32 mul24hi_s(s32 a, s32 b) { return static_cast<s32>(s64{sext24(a)} * sext24(b) >> 16); }
u32 mul24hi_u(u32 a, u32 b) { return static_cast<u32>(u64{a & 0xffffff} * (b & 0xffffff) >> 16); }
s32 mad24_s(s32 a, s32 b, s32 c) { return add<s32>(mul24_s(a, b), c); }
u32 mad24_u(u32 a, u32 b, u32 c) { return mul24_u(a, b) + c; }

template <class A, class B>
s32 dp4a(u32 a, u32 b, s32 c) {
  u32 sum = static_cast<u32>(c);
  for (int k = 0; k < 4; ++k)
    sum += static_cast<u32>(static_cast<s32>(static_cast<A>(a >> (8 * k))) *
                            static_cast<s32>(static_cast<B>(b >> (8 * k))));
  return static_cast<s32>(sum);
}

template <class A, class B, int kHigh>
s32 dp2a(u32 a, u32 b, s32 c) {
  using A16 = std::conditional_t<std::is_signed_v<A>, s16, u16>;
  u32 sum = static_cast<u32>(c);
  for (int k = 0; k < 2; ++k)
    sum += static_cast<u32>(static_cast<s32>(static_cast<A16>(a >> (16 * k))) *
                            static_cast<s32>(static_cast<B>(b >> (8 * (k + 2 * kHigh)))));
  return static_cast<s32>(sum);
}

// The carry flag is per lane and outside the operand list, so these have a loop of their own.
enum class Chain : std::uint8_t { add, sub, mad_lo, mad_hi };

template <class T, Chain kOp, bool kIn, bool kOut>
const Ins* chain(Warp& w, const Ins* i) {
  using W = unsigned __int128;
  const u32 m = w.lanes(i);
  const T* a = w.slot<T>(i->a);
  const T* b = w.slot<T>(i->b);
  const T* c = w.slot<T>(kOp >= Chain::mad_lo ? i->c : i->a);
  T* d = w.slot<T>(i->d);
  u32 carry = w.carry;
  for (u32 l = 0; l < kLanes; ++l) {
    if ((m >> l & 1) == 0) continue;
    const u32 in = kIn ? w.carry >> l & 1 : 0;
    W sum = 0;
    if constexpr (kOp == Chain::add) sum = W{a[l]} + b[l] + in;
    if constexpr (kOp == Chain::sub) sum = W{a[l]} - b[l] - in;
    if constexpr (kOp == Chain::mad_lo) sum = W{static_cast<T>(a[l] * b[l])} + c[l] + in;
    if constexpr (kOp == Chain::mad_hi)
      sum = W{static_cast<T>(W{a[l]} * b[l] >> (8 * sizeof(T)))} + c[l] + in;
    d[l] = static_cast<T>(sum);
    if (kOut) carry = (carry & ~(u32{1} << l)) | static_cast<u32>(sum >> (8 * sizeof(T)) & 1) << l;
  }
  w.carry = carry;
  return i + 1;
}

template <class T>
constexpr T (*binary_shape)(T, T) = nullptr;
template <class T>
constexpr T (*ternary_shape)(T, T, T) = nullptr;

// mad.hi of signed values needs a signed product; compilers only chain unsigned and .lo forms.
template <class T>
void add_chains(OpTable& t) {
  const OpClass k = OpClass::integer;
  const char* u = type_name<T>();
  const char* s = sizeof(T) == 4 ? "s32" : "s64";
  for (const char* ty : {u, s}) {
    t.add_signature(opcode({"add", "cc", ty}), chain<T, Chain::add, false, true>, binary_shape<T>,
                    k, 0);
    t.add_signature(opcode({"addc", ty}), chain<T, Chain::add, true, false>, binary_shape<T>, k, 0);
    t.add_signature(opcode({"addc", "cc", ty}), chain<T, Chain::add, true, true>, binary_shape<T>,
                    k, 0);
    t.add_signature(opcode({"sub", "cc", ty}), chain<T, Chain::sub, false, true>, binary_shape<T>,
                    k, 0);
    t.add_signature(opcode({"subc", ty}), chain<T, Chain::sub, true, false>, binary_shape<T>, k, 0);
    t.add_signature(opcode({"subc", "cc", ty}), chain<T, Chain::sub, true, true>, binary_shape<T>,
                    k, 0);
    t.add_signature(opcode({"mad", "lo", "cc", ty}), chain<T, Chain::mad_lo, false, true>,
                    ternary_shape<T>, k, 0);
    t.add_signature(opcode({"madc", "lo", ty}), chain<T, Chain::mad_lo, true, false>,
                    ternary_shape<T>, k, 0);
    t.add_signature(opcode({"madc", "lo", "cc", ty}), chain<T, Chain::mad_lo, true, true>,
                    ternary_shape<T>, k, 0);
  }
  t.add_signature(opcode({"mad", "hi", "cc", u}), chain<T, Chain::mad_hi, false, true>,
                  ternary_shape<T>, k, 0);
  t.add_signature(opcode({"madc", "hi", u}), chain<T, Chain::mad_hi, true, false>, ternary_shape<T>,
                  k, 0);
  t.add_signature(opcode({"madc", "hi", "cc", u}), chain<T, Chain::mad_hi, true, true>,
                  ternary_shape<T>, k, 0);
}

}  // namespace

void add_integer_ops(OpTable& t) {
  const OpClass k = OpClass::integer;
  for_types<u16, s16, u32, s32, u64, s64>([&]<class T>() {
    const char* ty = type_name<T>();
    t.add<add<T>>(opcode({"add", ty}), k);
    t.add<sub<T>>(opcode({"sub", ty}), k);
    t.add<mul<T>>(opcode({"mul", "lo", ty}), k);
    t.add<mul_hi<T>>(opcode({"mul", "hi", ty}), k);
    t.add<mad<T>>(opcode({"mad", "lo", ty}), k);
    t.add<mad_hi<T>>(opcode({"mad", "hi", ty}), k);
    t.add<div<T>>(opcode({"div", ty}), k);
    t.add<rem<T>>(opcode({"rem", ty}), k);
    t.add<min_<T>>(opcode({"min", ty}), k);
    t.add<max_<T>>(opcode({"max", ty}), k);
    t.add<sad<T>>(opcode({"sad", ty}), k);
    if constexpr (sizeof(T) < 8) {
      t.add<mul_wide<T>>(opcode({"mul", "wide", ty}), k);
      t.add<mad_wide<T>>(opcode({"mad", "wide", ty}), k);
    }
    if constexpr (std::is_signed_v<T>) {
      t.add<abs_<T>>(opcode({"abs", ty}), k);
      t.add<neg<T>>(opcode({"neg", ty}), k);
    }
  });
  t.add<add_sat>("add.sat.s32", k);
  t.add<sub_sat>("sub.sat.s32", k);
  t.add<mad_hi_sat>("mad.hi.sat.s32", k);
  t.add<mul24_s>("mul24.lo.s32", k);
  t.add<mul24_u>("mul24.lo.u32", k);
  t.add<mul24hi_s>("mul24.hi.s32", k);
  t.add<mul24hi_u>("mul24.hi.u32", k);
  t.add<mad24_s>("mad24.lo.s32", k);
  t.add<mad24_u>("mad24.lo.u32", k);
  t.add<dp4a<s8, s8>>("dp4a.s32.s32", k);
  t.add<dp4a<s8, u8>>("dp4a.s32.u32", k);
  t.add<dp4a<u8, s8>>("dp4a.u32.s32", k);
  t.add<dp4a<u8, u8>>("dp4a.u32.u32", k);
  t.add<dp2a<s8, s8, 0>>("dp2a.lo.s32.s32", k);
  t.add<dp2a<s8, s8, 1>>("dp2a.hi.s32.s32", k);
  t.add<dp2a<s8, u8, 0>>("dp2a.lo.s32.u32", k);
  t.add<dp2a<s8, u8, 1>>("dp2a.hi.s32.u32", k);
  t.add<dp2a<u8, s8, 0>>("dp2a.lo.u32.s32", k);
  t.add<dp2a<u8, s8, 1>>("dp2a.hi.u32.s32", k);
  t.add<dp2a<u8, u8, 0>>("dp2a.lo.u32.u32", k);
  t.add<dp2a<u8, u8, 1>>("dp2a.hi.u32.u32", k);
  add_chains<u32>(t);
  add_chains<u64>(t);
}

}  // namespace warpwright::simt
