// SPDX-License-Identifier: Apache-2.0
#pragma once

// Compiled as device code, too: plain C++ without library types.

namespace warpwright {

/// Element types of buffers and scalars. Written to disk by name.
enum class ElementType : int {
  f32 = 0,
  i32 = 1,
  f16 = 2,
  bf16 = 3,
  f64 = 4,
  u32 = 5,
  i64 = 6,
  u8 = 7,
  i8 = 8
};
inline constexpr int kElementTypeCount = 9;

}  // namespace warpwright
