// SPDX-License-Identifier: Apache-2.0
#include "device/cuda_descriptors.h"

#include <cstring>

#include "simt/isa/descriptors.h"

namespace warpwright::device {
namespace {

using ww_descriptors::TensorMap;
using ww_descriptors::Texture;
using ww_descriptors::TextureKind;
using ww_descriptors::TextureSource;

constexpr std::size_t kMapAlign = 8;  // of the description among other bytes

// As the driver numbers them.
constexpr int kResourceLinear = 2, kResourceRows = 3;
constexpr unsigned kReadAsInteger = 1, kNormalized = 2;

Result<CuTensorMap> encoded(const CudaDriver& driver, const TensorMap& map) {
  if (driver.tensor_map_encode == nullptr) return Error{"the NVIDIA driver has no tensor maps"};
  std::uint64_t sizes[5] = {};
  std::uint32_t box[5] = {}, steps[5] = {};
  for (std::uint32_t d = 0; d < 5; ++d) {
    sizes[d] = std::uint64_t{map.sizes_less_one[d]} + 1;
    box[d] = map.box[d];
    steps[d] = map.steps[d];
  }
  CuTensorMap made;
  const CuResult result =
      driver.tensor_map_encode(&made, map.type, map.rank, map.address, sizes, map.strides, box,
                               steps, map.interleave, map.swizzle, map.promotion, map.fill);
  if (result != 0) return Error{"the driver refuses a tensor map: " + driver.describe(result)};
  return made;
}

int format_of(const Texture& texture) {
  const int width = texture.channel_bytes == 1 ? 0 : texture.channel_bytes == 2 ? 1 : 2;
  switch (static_cast<TextureKind>(texture.kind)) {
    case TextureKind::u:
      return 1 + width;
    case TextureKind::s:
      return 8 + width;
    case TextureKind::f:
      break;
  }
  return texture.channel_bytes == 2 ? 0x10 : 0x20;
}

Result<CuResource> resource_of(const Texture& texture) {
  CuResource resource;
  if (static_cast<TextureSource>(texture.source) == TextureSource::linear) {
    resource.type = kResourceLinear;
    resource.linear = {texture.address, format_of(texture), texture.channels,
                       texture.width * texture.channels * texture.channel_bytes};
    return resource;
  }
  // Arrays are pitched memory in a plan; of those with one plane the driver makes the same texture.
  if (texture.layered != 0 || texture.depth != 1 || texture.height < 2)
    return Error{
        "textures of arrays with one, three or layered dimensions are not replayed on a GPU"};
  resource.type = kResourceRows;
  resource.rows = {texture.address, format_of(texture), texture.channels,
                   texture.width,   texture.height,     texture.pitch_bytes};
  return resource;
}

CuTextureForm form_of(const Texture& texture) {
  CuTextureForm form;
  for (std::size_t d = 0; d < 3; ++d) form.edge[d] = texture.edge[d];
  form.filter = texture.interpolates;
  const bool whole = static_cast<TextureKind>(texture.kind) != TextureKind::f;
  form.flags = (whole && texture.as_fractions == 0 ? kReadAsInteger : 0) |
               (texture.normalized != 0 ? kNormalized : 0);
  std::memcpy(form.border, texture.border, sizeof form.border);
  return form;
}

}  // namespace

Status encode_tensor_maps(const CudaDriver& driver, std::string& bytes) {
  for (std::size_t at = 0; at + sizeof(TensorMap) <= bytes.size(); at += kMapAlign) {
    TensorMap map;
    std::memcpy(&map, bytes.data() + at, sizeof map);
    if (!ww_descriptors::is_marked(map, ww_descriptors::kTensorMark)) continue;
    WW_TRY(const CuTensorMap made, encoded(driver, map));
    std::memcpy(bytes.data() + at, &made, sizeof made);
    at += sizeof map - kMapAlign;
  }
  return {};
}

bool describes_texture(const Upload& upload) {
  Texture texture;
  if (upload.bytes.size() != sizeof texture || upload.destination.offset != 0) return false;
  std::memcpy(&texture, upload.bytes.data(), sizeof texture);
  return ww_descriptors::is_marked(texture, ww_descriptors::kTextureMark) ||
         ww_descriptors::is_marked(texture, ww_descriptors::kSurfaceMark);
}

Result<CuTexture> make_texture(const CudaDriver& driver, const std::string& bytes) {
  Texture texture;
  std::memcpy(&texture, bytes.data(), sizeof texture);
  // Arrays are pitched memory in a plan, and the driver makes surfaces of its own arrays alone.
  if (ww_descriptors::is_marked(texture, ww_descriptors::kSurfaceMark))
    return Error{"surfaces are not replayed on a GPU: read and write through a pointer to memory"};
  WW_TRY(const CuResource resource, resource_of(texture));
  const CuTextureForm form = form_of(texture);
  CuTexture made = 0;
  const CuResult result = driver.texture_create(&made, &resource, &form, nullptr);
  if (result != 0) return Error{"the driver refuses a texture object: " + driver.describe(result)};
  return made;
}

}  // namespace warpwright::device
