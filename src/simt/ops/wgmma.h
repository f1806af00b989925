// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "simt/ops/tensor.h"

// Products of four warps. Each warp has 16 of the 64 rows, and needs no other: rows of A and all
// of B come from shared memory, by descriptors, or A from registers.

namespace warpwright::simt {

/// Kept in Ins::imm. Ins::more: d, then d again as it is read, then A's registers, if any.
struct WgmmaForm {
  std::uint16_t n = 8;
  std::uint8_t k = 16;
  Element a = Element::half, b = Element::half, acc = Element::float32;
  bool a_in_registers = false;
  bool negate_a = false, negate_b = false;
  bool across_a = false, across_b = false;  ///< rows of A and columns of B lie along memory

  [[nodiscard]] std::int64_t pack() const {
    return n | std::int64_t{k} << 16 | static_cast<std::int64_t>(a) << 24 |
           static_cast<std::int64_t>(b) << 28 | static_cast<std::int64_t>(acc) << 32 |
           std::int64_t{a_in_registers} << 36 | std::int64_t{negate_a} << 37 |
           std::int64_t{negate_b} << 38 | std::int64_t{across_a} << 39 |
           std::int64_t{across_b} << 40;
  }
  static WgmmaForm unpack(std::int64_t v) {
    const auto bit = [&](int at) { return (v >> at & 1) != 0; };
    return {.n = static_cast<std::uint16_t>(v & 0xffff),
            .k = static_cast<std::uint8_t>(v >> 16 & 255),
            .a = static_cast<Element>(v >> 24 & 15),
            .b = static_cast<Element>(v >> 28 & 15),
            .acc = static_cast<Element>(v >> 32 & 15),
            .a_in_registers = bit(36),
            .negate_a = bit(37),
            .negate_b = bit(38),
            .across_a = bit(39),
            .across_b = bit(40)};
  }
};

/// Where 16 bytes of a matrix lie in shared memory. A piece holds 16 bytes along K of one row (of
/// A, or column of B), or 16 bytes of rows at one K where the matrix lies across.
class MatrixDescriptor {
 public:
  explicit MatrixDescriptor(std::uint64_t bits) : bits_(bits) {}
  /// `row` and the piece `part` of its K.
  [[nodiscard]] std::uint32_t along(std::uint32_t row, std::uint32_t part) const;
  /// The piece `part` of the rows at `k`.
  [[nodiscard]] std::uint32_t across(std::uint32_t part, std::uint32_t k) const;
  /// A pattern that does not begin where it repeats is not followed.
  [[nodiscard]] bool is_known() const { return (bits_ >> 49 & 7) == 0; }

 private:
  [[nodiscard]] std::uint32_t start() const { return field(0); }
  [[nodiscard]] std::uint32_t leading() const { return field(16); }
  [[nodiscard]] std::uint32_t stride() const { return field(32); }
  [[nodiscard]] std::uint32_t field(int at) const {
    return static_cast<std::uint32_t>(bits_ >> at & 0x3fff) << 4;
  }
  /// Pieces of a row of the pattern: 1 without a swizzle, 8, 4 or 2.
  [[nodiscard]] std::uint32_t pieces() const;
  [[nodiscard]] std::uint32_t swizzled(std::uint32_t at) const;

  std::uint64_t bits_;
};

/// a = A's descriptor, b = B's, c = predicate: add to what is there.
const Ins* run_wgmma(Warp& w, const Ins* i);
const Ins* run_wgmma_commit(Warp& w, const Ins* i);
const Ins* run_wgmma_wait(Warp& w, const Ins* i);  ///< imm = groups that may go on

}  // namespace warpwright::simt
