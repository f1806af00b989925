// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic of PTX: the rows of arithmetic.def, and what only the interpreter executes.
#include <algorithm>
#include <limits>

#include "simt/ops/arithmetic_rows.h"

namespace warpwright::simt {
namespace {

#define ROW_TYPES(T)             \
  using T_ [[maybe_unused]] = T; \
  using U_ [[maybe_unused]] = Wide<T>;
#define DOUBLE_TYPES(T)                  \
  using D_ [[maybe_unused]] = Double<T>; \
  using DU_ [[maybe_unused]] = Unsigned<Double<T>>;
#define UNARY(T, name, text, cost, rule, ...) \
  T name##_##T(T a_) {                        \
    ROW_TYPES(T)                              \
    const U_ a = wrapped(a_);                 \
    return static_cast<T>(__VA_ARGS__);       \
  }
#define BINARY(T, name, text, cost, rule, ...) \
  T name##_##T(T a_, T b_) {                   \
    ROW_TYPES(T)                               \
    const U_ a = wrapped(a_), b = wrapped(b_); \
    return static_cast<T>(__VA_ARGS__);        \
  }
#define LANEWISE BINARY
#define TERNARY(T, name, text, cost, rule, ...)                 \
  T name##_##T(T a_, T b_, T c_) {                              \
    ROW_TYPES(T)                                                \
    const U_ a = wrapped(a_), b = wrapped(b_), c = wrapped(c_); \
    return static_cast<T>(__VA_ARGS__);                         \
  }
#define SHIFT(T, name, text, cost, rule, ...)  \
  T name##_##T(T a_, u32 b) {                  \
    ROW_TYPES(T)                               \
    [[maybe_unused]] const U_ a = wrapped(a_); \
    return static_cast<T>(__VA_ARGS__);        \
  }
#define WIDE2(T, name, text, cost, rule, ...)   \
  Double<T> name##_##T(T a, T b) {              \
    ROW_TYPES(T)                                \
    DOUBLE_TYPES(T)                             \
    return static_cast<Double<T>>(__VA_ARGS__); \
  }
#define WIDE3(T, name, text, cost, rule, ...)    \
  Double<T> name##_##T(T a, T b, Double<T> c_) { \
    ROW_TYPES(T)                                 \
    DOUBLE_TYPES(T)                              \
    const DU_ c = static_cast<DU_>(c_);          \
    return static_cast<Double<T>>(__VA_ARGS__);  \
  }
#define HIGH2(T, name, text, cost, rule, ...) \
  T name##_##T(T a, T b) {                    \
    ROW_TYPES(T)                              \
    DOUBLE_TYPES(T)                           \
    return static_cast<T>(__VA_ARGS__);       \
  }
#define SELECT(T, name, text, cost, rule, ...) \
  T name##_##T(T a, T b, bool p) { return static_cast<T>(__VA_ARGS__); }
#define PREDICATE1(name, text, cost, rule, ...) \
  bool name##_pred(bool a) { return static_cast<bool>(__VA_ARGS__); }
#define PREDICATE2(name, text, cost, rule, ...) \
  bool name##_pred(bool a, bool b) { return static_cast<bool>(__VA_ARGS__); }
#define CONVERT1(To, From, name, text, cost, rule, ...) \
  To name##_##From(From a) { return static_cast<To>(__VA_ARGS__); }
#define CONVERT2(To, From, name, text, cost, rule, ...) \
  To name##_##From(From a, From b) { return static_cast<To>(__VA_ARGS__); }
#include "simt/isa/arithmetic.def"

void add_shared_rows(OpTable& t) {
#define ADD_ROW(T, name, text, cost, rule, ...) \
  t.add<name##_##T>(text "." #T, OpClass::cost, 0, {#name "_" #T, ShapeRule::rule});
#define ADD_PREDICATE(name, text, cost, rule, ...) \
  t.add<name##_pred>(text, OpClass::cost, 0, {#name "_pred", ShapeRule::rule});
#define UNARY ADD_ROW
#define BINARY ADD_ROW
#define TERNARY ADD_ROW
#define SHIFT ADD_ROW
#define WIDE2 ADD_ROW
#define WIDE3 ADD_ROW
#define HIGH2 ADD_ROW
#define LANEWISE ADD_ROW
#define SELECT ADD_ROW
#define PREDICATE1 ADD_PREDICATE
#define PREDICATE2 ADD_PREDICATE
#define CONVERT1(To, From, name, text, cost, rule, ...) \
  t.add<name##_##From>(text, OpClass::cost, 0, {#name "_" #From, ShapeRule::rule});
#define CONVERT2 CONVERT1
#include "simt/isa/arithmetic.def"
}

template <class T>
T add(T a, T b) {
  return static_cast<T>(wrapped(a) + wrapped(b));
}
template <class T>
T sub(T a, T b) {
  return static_cast<T>(wrapped(a) - wrapped(b));
}
template <class T>
T mul(T a, T b) {
  return static_cast<T>(wrapped(a) * wrapped(b));
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
s32 add_sat(s32 a, s32 b) {
  return static_cast<s32>(std::clamp<s64>(s64{a} + b, std::numeric_limits<s32>::min(),
                                          std::numeric_limits<s32>::max()));
}
s32 sub_sat(s32 a, s32 b) {
  return static_cast<s32>(std::clamp<s64>(s64{a} - b, std::numeric_limits<s32>::min(),
                                          std::numeric_limits<s32>::max()));
}
s32 mad_hi_sat(s32 a, s32 b, s32 c) { return add_sat(mul_hi<s32>(a, b), c); }

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
  add_shared_rows(t);
  for_types<u16, s16, u64, s64>([&]<class T>() {
    t.add<mul_hi<T>>(opcode({"mul", "hi", type_name<T>()}), k);
  });
  for_types<u16, s16, u32, s32, u64, s64>([&]<class T>() {
    t.add<mad_hi<T>>(opcode({"mad", "hi", type_name<T>()}), k);
    t.add<sad<T>>(opcode({"sad", type_name<T>()}), k);
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
