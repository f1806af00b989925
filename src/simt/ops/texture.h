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

/// What happens beside a surface's image, as PTX names it.
enum class SurfaceEdge : std::uint8_t { trap, clamp, zero };

/// One access of suld or sust; kept in Ins::imm.
struct SurfaceForm {
  std::uint8_t row = 0;    ///< of the table above
  std::uint8_t count = 1;  ///< elements: 1, 2 or 4
  std::uint8_t bytes = 4;  ///< of an element: 1, 2, 4 or 8
  std::uint8_t width = 4;  ///< of its register: 2, 4 or 8
  SurfaceEdge edge = SurfaceEdge::trap;
  bool stores = false;

  [[nodiscard]] std::int64_t pack() const {
    return row | count << 4 | bytes << 8 | width << 12 | static_cast<int>(edge) << 16 |
           (stores ? 1 << 20 : 0);
  }
  static SurfaceForm unpack(std::int64_t v) {
    const auto part = [&](int shift) { return static_cast<std::uint8_t>(v >> shift & 15); };
    return {part(0), part(4), part(8), part(12), static_cast<SurfaceEdge>(part(16)), part(20) != 0};
  }
};

}  // namespace warpwright::simt
