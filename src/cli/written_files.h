// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/result.h"

namespace warpwright::cli {

/// Contents by names, which may have folders in them.
using Files = std::map<std::string, std::string>;

/// An error where the folder has something in it, which may be somebody's work, unless forced.
Status may_write_to(const std::filesystem::path& folder, bool force);

enum class Say { each_file, nothing };
/// Writes the files below the folder and prints their names on standard output, or nothing.
Status write_files(const std::filesystem::path& folder, const Files& files, Say say);

/// An exported kernel in HIP: nothing of what only builds with nvcc (the test, its build file, the
/// baseline) goes with it.
Files without_cuda_parts(Files files);

}  // namespace warpwright::cli
