// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace warpwright::ptx {

/// Bytes of a PTX fundamental type ("f32", "b64", "f16x2"); 0 for an unknown one, 0 for "pred".
constexpr std::uint32_t bytes_of_type(std::string_view type) {
  struct Row {
    std::string_view name;
    std::uint32_t bytes;
  };
  constexpr Row kRows[] = {
      {"b8", 1},   {"u8", 1},  {"s8", 1},  {"b16", 2}, {"u16", 2}, {"s16", 2},   {"f16", 2},
      {"bf16", 2}, {"b32", 4}, {"u32", 4}, {"s32", 4}, {"f32", 4}, {"f16x2", 4}, {"bf16x2", 4},
      {"tf32", 4}, {"b64", 8}, {"u64", 8}, {"s64", 8}, {"f64", 8}, {"b128", 16},
  };
  for (const Row& row : kRows)
    if (row.name == type) return row.bytes;
  return 0;
}

}  // namespace warpwright::ptx
