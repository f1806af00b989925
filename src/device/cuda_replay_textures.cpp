// SPDX-License-Identifier: Apache-2.0
// Texture objects and tensor maps of a plan: the driver makes its own from what the plan says of
// them.
#include "device/cuda_descriptors.h"
#include "device/cuda_replay.h"

namespace warpwright::device {

Status CudaReplay::make_textures() {
  drop_textures();
  // All of them before any base changes: what they read from is memory.
  std::vector<std::pair<std::uint32_t, CuTexture>> made;
  for (const PlanStep& step : plan_.steps) {
    const auto* upload = std::get_if<Upload>(&step);
    if (upload == nullptr || !describes_texture(*upload)) continue;
    std::string bytes = upload->bytes;
    relocate(bytes, upload->pointers, bases_);
    const auto texture = make_texture(driver_, bytes);
    if (!texture.ok()) {
      fault_ = Fault{.verdict = Verdict::launch_error,
                     .kind = "device_limit",
                     .message = texture.error().message};
      return {};
    }
    textures_.push_back(*texture);
    made.emplace_back(upload->destination.buffer, *texture);
  }
  for (const auto& [buffer, texture] : made) bases_[buffer] = texture;
  return {};
}

void CudaReplay::drop_textures() {
  for (const CuTexture texture : textures_) driver_.texture_destroy(texture);
  textures_.clear();
}

void CudaReplay::encode(std::string& bytes) {
  const Status done = encode_tensor_maps(driver_, bytes);
  if (done.ok()) return;
  fault_ = Fault{
      .verdict = Verdict::launch_error, .kind = "device_limit", .message = done.error().message};
}

}  // namespace warpwright::device
