// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"

namespace warpwright::flop {

/// A program's texts where the sandbox can read them.
struct Sources {
  std::vector<std::filesystem::path> files, includes;
  std::filesystem::path cwd;  ///< the first file's folder
};

/// The same, where everybody may read them; else copies of the folders below `folder`. Started as
/// root, compilers and programs run as users who see only what everybody sees. The error names
/// what is too large to copy.
Result<Sources> readable_sources(const Sources& given, const std::filesystem::path& folder);

/// A copy of a folder in which a program may write, at `copy`. The error is for what is too large.
Status working_copy(const std::filesystem::path& folder, const std::filesystem::path& copy);

}  // namespace warpwright::flop
