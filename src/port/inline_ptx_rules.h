// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace warpwright::port {

/// A word of PTX, and what stands for it in C++.
struct PtxWord {
  std::string_view name;
  std::string_view cpp;
};

/// What the operands $1, $2, ... make; $T is the type's name in C++.
struct OperationRow {
  std::string_view mnemonic;  ///< without types and without what changes only the rounding
  std::size_t sources;
  std::string_view cpp;
};

/// Registers that every thread has, without their '%'.
std::span<const PtxWord> special_registers();

/// Instructions that compute one result of operands.
std::span<const OperationRow> inline_operations();

/// Whole instructions without a result.
std::span<const PtxWord> plain_instructions();

/// Whether a qualifier changes caching, the rounding of approximations or nothing at all.
bool is_hint(std::string_view word);

}  // namespace warpwright::port
