// SPDX-License-Identifier: Apache-2.0
// Arithmetic with directed rounding. This file is compiled with -frounding-math; the rounding
// mode is changed around the loop over the lanes, whose loads and stores cannot move across the
// calls that change it.
#include <cfenv>

#include "simt/ops/real_rows.h"

namespace warpwright::simt {
namespace {

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
void put(OpTable& t, std::string_view name, OpClass k, int flops) {
  t.add_signature(name, rounded<F, kMode>, F, k, flops);
}

template <class T, bool Z, bool S, int M>
void add_arithmetic(OpTable& t, const char* mode) {
  const char* z = Z ? "ftz" : "";
  const char* s = S ? "sat" : "";
  for_real_rows([&]<class Row>() {
    if constexpr (!S || Row::kForms != Forms::rounded)
      put<Row::template kFunction<T, Z, S>, M>(t, opcode({Row::kName, mode, z, s, type_name<T>()}),
                                               kRealClass<T>, Row::kFlops);
  });
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
