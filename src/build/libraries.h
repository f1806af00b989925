// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace warpwright::build {

/// Folders of header-only libraries, each with a digest of the names and contents in it:
/// "/opt/cutlass/include (sha256 0123456789abcdef)", with commas between them. Empty for none. An
/// error where a folder is none, is too large, or is one that holds more than libraries: the
/// system's root, somebody's home, a hidden folder.
Result<std::string> describe_libraries(const std::vector<std::filesystem::path>& folders);

}  // namespace warpwright::build
