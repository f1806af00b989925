// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace warpwright::simt {

/// How the shape of a result follows from those of the operands.
enum class ShapeRule : std::uint8_t {
  plain,  ///< uniform when all operands are
  move,
  add,
  sub,
  mul,
  mad,
  shl,
  shr,
  bit_and,
  bit_or,
  wide_signed,
  wide_unsigned,
  wide_mad_signed,
  wide_mad_unsigned,
  widen_signed,
  widen_unsigned,
  narrow,
  compare,
  equality,
  select,
};

/// How compiled code executes an arithmetic instruction.
struct NativeForm {
  /// Stem of the C functions that arithmetic.def makes: NAME_s for one value that all lanes share,
  /// NAME_v for 32. Null: compiled code calls the handler.
  const char* name = nullptr;
  ShapeRule rule = ShapeRule::plain;
  bool raw_in = false;   ///< binary32: any NaN is as good as the canonical one
  bool raw_out = false;  ///< binary32: a NaN of the result is still to be made canonical
};

}  // namespace warpwright::simt
