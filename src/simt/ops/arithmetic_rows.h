// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "simt/ops/alu.h"

// How expressions of arithmetic.def read in C++, for the files that make handlers of its rows.

namespace warpwright::simt {

using b16 = u16;
using b32 = u32;
using b64 = u64;

template <class T>
using Unsigned = std::make_unsigned_t<T>;
/// Wide enough that unsigned 16-bit products do not become signed ints.
template <class T>
using Wide = std::conditional_t<sizeof(T) < 4, u32, Unsigned<T>>;
template <class T>
using Double = std::conditional_t<sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, s32, u32>,
                                  std::conditional_t<std::is_signed_v<T>, s64, u64>>;

/// The operand as a number without sign.
template <class T>
constexpr Wide<T> wrapped(T a) {
  return static_cast<Wide<T>>(static_cast<Unsigned<T>>(a));
}

}  // namespace warpwright::simt

#define X(v) (static_cast<T_>(v))
#define TO(T, v) (static_cast<T>(v))
#define D(v) (static_cast<D_>(X(v)))
#define TOP(v) (static_cast<U_>((v) >> (8 * sizeof(T_))))
#define BELOW(n) ((n) < 8 * sizeof(T_))
#define BY(n) ((n) & (8 * sizeof(T_) - 1))
#define AT_MOST(n) (BELOW(n) ? (n) : 8 * sizeof(T_) - 1)
#define NOT(a) (!(a))
#define FMA(a, b, c) std::fma(a, b, c)
#define SQRT(a) std::sqrt(a)
#define NEGATIVE(a) std::signbit(a)
