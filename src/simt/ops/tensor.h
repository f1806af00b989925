// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "simt/state/program.h"

namespace warpwright::simt {

/// Element types of matrix instructions.
enum class Element : std::uint8_t {
  half,
  bfloat,
  tf32,
  float64,
  int8,
  uint8,
  float32,
  int32,
  e4m3,  ///< 8 bits: NaN, but no infinities
  e5m2,
};
inline bool is_byte_float(Element e) { return e == Element::e4m3 || e == Element::e5m2; }
inline bool is_byte_integer(Element e) { return e == Element::int8 || e == Element::uint8; }
/// In memory and in registers; of those that matrices are multiplied in.
inline std::uint32_t element_bytes(Element e) {
  switch (e) {
    case Element::half:
    case Element::bfloat:
      return 2;
    case Element::tf32:
    case Element::float32:
      return 4;
    default:
      return 1;
  }
}

/// What a matrix instruction multiplies. Kept in Ins::imm; the registers are in Ins::more:
/// d, then a, then b, then c.
struct MatrixForm {
  std::uint8_t m = 0, n = 0, k = 0;
  Element a = Element::half, b = Element::half, acc = Element::float32;
  bool opaque = false;  ///< wmma: the layout of fragments is ours to choose
  std::uint8_t a_registers = 0;

  [[nodiscard]] std::int64_t pack() const {
    return m | n << 8 | k << 16 | static_cast<int>(a) << 24 | static_cast<std::int64_t>(b) << 28 |
           static_cast<std::int64_t>(acc) << 32 | static_cast<std::int64_t>(opaque) << 36 |
           static_cast<std::int64_t>(a_registers) << 40;
  }
  static MatrixForm unpack(std::int64_t v) {
    MatrixForm f;
    f.m = v & 255;
    f.n = v >> 8 & 255;
    f.k = v >> 16 & 255;
    f.a = static_cast<Element>(v >> 24 & 15);
    f.b = static_cast<Element>(v >> 28 & 15);
    f.acc = static_cast<Element>(v >> 32 & 15);
    f.opaque = (v >> 36 & 1) != 0;
    f.a_registers = v >> 40 & 255;
    return f;
  }
};

/// aux = registers of d, aux2 = registers of b.
const Ins* run_mma(Warp& w, const Ins* i);
/// aux = registers (1, 2, 4), aux2 = flags: 1 transposed, 2 narrow address.
const Ins* run_ldmatrix(Warp& w, const Ins* i);
const Ins* run_stmatrix(Warp& w, const Ins* i);
/// d = the 8 x 8 matrix a, transposed.
const Ins* run_movmatrix(Warp& w, const Ins* i);
/// Fragments: imm = offset, b = stride; aux = registers | element << 8 | column-major << 16 |
/// store << 17 | narrow address << 18; aux2 = rows | columns << 8 | space << 16.
const Ins* run_fragment(Warp& w, const Ins* i);

}  // namespace warpwright::simt
