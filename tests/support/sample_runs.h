// SPDX-License-Identifier: Apache-2.0
// Archives of made-up runs with a clock of their own: the same bytes every time.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace warpwright::samples {

/// Writes the runs of one kind (see make_archive.cpp) to a new archive.
Status write(std::string_view kind, const std::filesystem::path& file);

/// Texts that try to be markup, script or an end of what they stand in.
const std::vector<std::string>& hostile_texts();

}  // namespace warpwright::samples
