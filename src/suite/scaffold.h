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

/// Whether write_torch_task could make the folder: the name is one, and nothing is there.
Status may_become_task(std::string_view name, const std::filesystem::path& parent);

/// Writes parent/NAME with this task.toml and reference.py, after it has been read as a task. Leaves
/// nothing behind on an error. Returns the new folder.
Result<std::filesystem::path> write_torch_task(std::string_view name,
                                               const std::filesystem::path& parent,
                                               const std::string& toml, const std::string& module);

}  // namespace warpwright::suite
