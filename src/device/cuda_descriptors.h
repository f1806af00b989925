// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "core/launch_plan.h"
#include "device/cuda_driver.h"

// Recorded plans hold descriptions of tensor maps and textures (simt/isa/descriptors.h). A GPU
// needs what its driver makes of them.

namespace warpwright::device {

/// Puts the driver's tensor maps in the place of ours, among bytes whose pointers are in place. The
/// error is for a map that the driver refuses.
Status encode_tensor_maps(const CudaDriver& driver, std::string& bytes);

/// Whether an upload is the description of a texture object: the object itself takes its place.
bool describes_texture(const Upload& upload);

/// The driver's texture object for a description whose pointers are in place.
Result<CuTexture> make_texture(const CudaDriver& driver, const std::string& bytes);

}  // namespace warpwright::device
