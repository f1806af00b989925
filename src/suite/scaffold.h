// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace warpwright::suite {

/// What a name of a task must not be, as an error.
Status check_task_name(std::string_view name);

/// The files of a task that loads, builds and passes as it is, by name: task.toml, baseline.cu and
/// reference.cpp.
std::map<std::string, std::string> new_task_files(std::string_view name);

/// Writes parent/NAME with the files of new_task_files(), to be changed into the user's own task.
/// Never overwrites. Returns the new folder.
Result<std::filesystem::path> write_new_task(std::string_view name,
                                             const std::filesystem::path& parent);

/// Whether write_torch_task could make the folder: the name is one, and nothing is there.
Status may_become_task(std::string_view name, const std::filesystem::path& parent);

/// Writes parent/NAME with this task.toml and reference.py, after it has been read as a task.
/// Leaves nothing behind on an error. Returns the new folder.
Result<std::filesystem::path> write_torch_task(std::string_view name,
                                               const std::filesystem::path& parent,
                                               const std::string& toml, const std::string& module);

}  // namespace warpwright::suite
