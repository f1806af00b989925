// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "core/device_facts.h"

namespace warpwright {

/// A known device by its key, or one that a user describes as a known one with other figures:
/// "rtx4090:name=My card,sm_count=64,memory_gb_per_s=500". Its key is the whole text, so that it
/// travels wherever a key does; known_device() reads it too. The error says what there is.
Result<DeviceFacts> described_device(std::string_view text);

}  // namespace warpwright
