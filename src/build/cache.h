// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "build/compiler.h"

namespace warpwright::build {

/// Folders named by what went into them. A folder is filled under another name and renamed, so
/// any reader sees all of it or nothing; of two writers the first wins.
Result<std::filesystem::path> content_folder(
    const std::filesystem::path& folder,
    const std::function<Status(const std::filesystem::path& partial)>& fill);

/// A finished build from disk; absent when there is none, or when it is damaged.
std::optional<BuildOutcome> load_outcome(const std::filesystem::path& folder);
Status store_outcome(const std::filesystem::path& folder, const BuildOutcome& outcome);

/// Reads what a sandboxed process left behind: never through a link, never a device, never more
/// than max_bytes.
Result<std::string> read_product(const std::filesystem::path& path,
                                 std::size_t max_bytes = std::size_t{256} << 20);

}  // namespace warpwright::build
