// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "base/files.h"
#include "base/result.h"

namespace warpwright {

/// A temporary folder with a lock beside it that the kernel drops when this process dies. Whoever
/// makes one removes those of the same prefix that dead processes left: they can be large.
class SweptFolder {
 public:
  /// Under the system's temporary directory. The prefix belongs to folders of this class alone.
  static Result<SweptFolder> create(std::string_view prefix);
  static Result<SweptFolder> create_in(const std::filesystem::path& parent,
                                       std::string_view prefix);
  SweptFolder(SweptFolder&&) noexcept = default;
  SweptFolder& operator=(SweptFolder&&) = delete;
  ~SweptFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }

 private:
  SweptFolder(TemporaryDirectory folder, std::optional<FileLock> lock)
      : folder_(std::move(folder)), lock_(std::move(lock)) {}

  TemporaryDirectory folder_;
  std::optional<FileLock> lock_;
};

/// Removes folders of this prefix in `parent` whose lock nobody holds.
void sweep_folders(const std::filesystem::path& parent, std::string_view prefix);

}  // namespace warpwright
