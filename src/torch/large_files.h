// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "base/result.h"
#include "base/swept_folder.h"

namespace warpwright::torch {

/// A folder of its own for files of so many bytes: in memory, where they are large and the machine
/// has room for them there, else where temporary files are. Folders in memory that killed processes
/// left behind are removed first.
Result<SweptFolder> folder_for(std::string_view prefix, std::uint64_t bytes);

/// Makes `path` a file with this content, by several threads where it is large. Whoever reads that
/// path sees all of it or nothing, and `beside`, on the same file system, is where it is made: a
/// program that is not trusted cannot reach it there.
Status put_file(const std::filesystem::path& path, const std::filesystem::path& beside,
                std::span<const std::byte> content);

/// Reads a file of exactly this size, by several threads where it is large.
Status take_file(const std::filesystem::path& path, std::span<std::byte> content);

}  // namespace warpwright::torch
