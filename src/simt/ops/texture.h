// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "simt/ops/handlers.h"

namespace warpwright::simt {

/// Geometries of tex, as PTX names them.
struct TextureShape {
  std::string_view name;
  std::uint32_t dimensions = 1;
  bool layered = false;
};
inline constexpr TextureShape kTextureShapes[] = {
    {"1d", 1, false}, {"2d", 2, false}, {"3d", 3, false}, {"a1d", 1, true}, {"a2d", 2, true}};

// aux of run_texture: the row above, and these.
inline constexpr std::uint32_t kTextureRow = 15;
inline constexpr std::uint32_t kTextureWhole = 16;  ///< coordinates are integers
inline constexpr std::uint32_t kTextureReal = 32;   ///< results are f32

}  // namespace warpwright::simt
