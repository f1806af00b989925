// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "simt/ops/alu.h"

// Which instructions the compiled mode knows, and the C text that defines them. Every operation is
// a pair of C functions: NAME_s for one value that all lanes share, NAME_v for 32 values.

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
  select,
};

struct NativeOp {
  std::string name;
  const OpRow* row = nullptr;
  ShapeRule rule = ShapeRule::plain;
  bool raw_in = false;     ///< binary32: any NaN is as good as the canonical one
  bool raw_out = false;    ///< binary32: a NaN of the result is still to be made canonical
  bool is_signed = false;  ///< compare
  bool equality = false;   ///< compare: eq or ne
};

/// The operation behind a handler; null when the compiled mode calls the handler itself.
const NativeOp* find_native_op(Handler run);
/// Whether a handler is arithmetic: it goes on with the next instruction.
bool is_arithmetic(Handler run);

/// A load or store behind a handler.
struct NativeAccess {
  bool is_load = false;
  Space space = Space::generic;
  std::uint32_t bytes = 4;  ///< of one element
  std::uint32_t elements = 1;
  std::uint32_t register_bytes = 4;
  bool is_signed = false;
};
const NativeAccess* find_native_access(Handler run);

/// Types and operations, the same for all kernels.
std::string_view native_prelude();

}  // namespace warpwright::simt
