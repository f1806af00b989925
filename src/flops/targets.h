// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "core/device_facts.h"

namespace warpwright::flop {

/// The device that stands for an architecture ("sm_86"), or one that is known by its key. The error
/// lists what there is.
Result<DeviceFacts> target_named(std::string_view name);

}  // namespace warpwright::flop
