// SPDX-License-Identifier: Apache-2.0
// What stands behind tensor maps, texture and surface objects without a driver: the runtimes that a
// program is linked with write these, the SIMT machine reads them, and for a GPU they are replaced
// by the driver's own. This file travels with those runtimes and includes nothing of ours.
#pragma once

#include <cstdint>

namespace ww_descriptors {

/// Two words that data has by no accident.
inline constexpr std::uint64_t kTensorMark[2] = {0x9d3f5ab1c27e6048, 0x61c8e90b7f24d3a5};
inline constexpr std::uint64_t kTextureMark[2] = {0x4be7209dfa8613c5, 0xe2915d7c38af460b};
inline constexpr std::uint64_t kSurfaceMark[2] = {0xa60c47f1d95e2b38, 0x1f83d2b96ce07a54};

/// As the driver numbers them.
enum class TensorType : std::uint8_t {
  u8,
  u16,
  u32,
  s32,
  u64,
  s64,
  f16,
  f32,
  f64,
  bf16,
  f32_ftz,
  tf32,
  tf32_ftz
};

/// In the place of a CUtensorMap, which has 128 bytes.
struct TensorMap {
  std::uint64_t mark[2];
  std::uint64_t address;
  std::uint64_t strides[4];         ///< bytes, of dimensions 1 to 4
  std::uint32_t sizes_less_one[5];  ///< elements
  std::uint16_t box[5];             ///< elements, 1 to 256
  std::uint8_t steps[5];            ///< 1 to 8
  std::uint8_t type;                ///< TensorType
  std::uint8_t rank;                ///< 1 to 5
  std::uint8_t interleave;
  std::uint8_t swizzle;    ///< 0, or 16 << swizzle bytes
  std::uint8_t promotion;  ///< of the L2 cache
  std::uint8_t fill;       ///< 1: outside are NaNs instead of zeros
  std::uint8_t unused[31];
};
static_assert(sizeof(TensorMap) == 128);

inline constexpr std::uint32_t bytes_of(TensorType type) {
  constexpr std::uint8_t kBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  const auto index = static_cast<std::uint8_t>(type);
  return index < sizeof kBytes ? kBytes[index] : 0;
}

enum class TextureSource : std::uint8_t { linear, rows, array };
enum class TextureKind : std::uint8_t { s, u, f };  ///< of a channel
enum class TextureEdge : std::uint8_t { wrap, clamp, mirror, border };

/// In device memory; its address is the texture object. A surface object is the same with another
/// mark, of which only what says where elements are counts.
struct Texture {
  std::uint64_t mark[2];
  std::uint64_t address;
  std::uint64_t pitch_bytes;  ///< from row to row
  std::uint64_t slice_bytes;  ///< from plane or layer to the next
  std::uint64_t width;        ///< elements
  std::uint32_t height, depth;
  float border[4];
  std::uint8_t source;         ///< TextureSource
  std::uint8_t kind;           ///< TextureKind
  std::uint8_t channels;       ///< 1, 2 or 4
  std::uint8_t channel_bytes;  ///< 1, 2 or 4
  std::uint8_t edge[3];        ///< TextureEdge
  std::uint8_t interpolates;   ///< between elements
  std::uint8_t as_fractions;   ///< integers are read as -1 to 1
  std::uint8_t normalized;     ///< coordinates are
  std::uint8_t layered;
  std::uint8_t unused[45];
};
static_assert(sizeof(Texture) == 128);

template <class T>
bool is_marked(const T& what, const std::uint64_t (&mark)[2]) {
  return what.mark[0] == mark[0] && what.mark[1] == mark[1];
}

}  // namespace ww_descriptors
