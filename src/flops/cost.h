// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace warpwright::flop {

/// Floating-point operations as the hardware's counters see them: an addition or a multiplication
/// is one, a fused multiply-add two. Comparisons, minima, conversions and table look-ups (MUFU)
/// are none.
struct Flops {
  double sp = 0;
  double dp = 0;
  double half = 0;
  double tensor = 0;

  [[nodiscard]] double total() const { return sp + dp + half + tensor; }
  Flops& operator+=(const Flops& other);
  bool operator==(const Flops&) const = default;
};
Flops operator*(const Flops& flops, double times);

/// What one PTX instruction costs a lane once the assembler has written it out.
struct OpCost {
  Flops flops;
  std::string_view implicit;  ///< "division", "square root", ...; empty: what the text says
};

/// By the opcode with its modifiers: "fma.rn.f32". The machine sequences are those of sm_75 to
/// sm_90, on operands that need no special treatment (zero, infinite, subnormal, extreme).
OpCost cost_of(std::string_view opcode);

/// What a call of a libdevice function costs, where the text calls it by name ("__nv_expf").
OpCost call_cost(std::string_view function);

/// Bytes that a load, store or atomic moves a lane: "ld.global.v4.f32" 16. 0 for all else.
std::uint32_t bytes_of(std::string_view opcode);

}  // namespace warpwright::flop
