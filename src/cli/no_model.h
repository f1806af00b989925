// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warpwright::cli {

/// Folders named recordings that a user of the program at this path has: in the current folder,
/// and beside the program or above it, as in a source tree or an installation.
std::vector<std::filesystem::path> recording_folders(const std::filesystem::path& program);

/// What somebody can paste who named a task and no model: its recording where there is one, the
/// inbox, a provider, a program of one's own.
std::string no_model_text(const std::string& task, const std::filesystem::path& program);

}  // namespace warpwright::cli
