// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace warpwright::suite {

/// Writes parent/NAME with a task.toml and a baseline.cu that load, build and pass as they are, to
/// be changed into the user's own task. Never overwrites. Returns the new folder.
Result<std::filesystem::path> write_new_task(std::string_view name,
                                             const std::filesystem::path& parent);

}  // namespace warpwright::suite
