// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace warpwright::torch {

/// A folder of its own for files of so many bytes, gone with this object: in memory, where they are
/// large and the machine has room for them there, else where temporary files are.
class SharedFolder {
 public:
  static Result<SharedFolder> create(std::string_view prefix, std::uint64_t bytes);
  SharedFolder(SharedFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  SharedFolder& operator=(SharedFolder&&) = delete;
  ~SharedFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  explicit SharedFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

/// Makes `path` a file with this content, by several threads where it is large. Whoever reads that
/// path sees all of it or nothing, and `beside`, on the same file system, is where it is made: a
/// program that is not trusted cannot reach it there.
Status put_file(const std::filesystem::path& path, const std::filesystem::path& beside,
                std::span<const std::byte> content);

/// Reads a file of exactly this size, by several threads where it is large.
Status take_file(const std::filesystem::path& path, std::span<std::byte> content);

}  // namespace warpwright::torch
