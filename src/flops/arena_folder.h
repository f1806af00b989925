// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/files.h"
#include "base/result.h"

namespace warpwright::flop {

/// A folder for a run's arena, with a lock beside it that the kernel drops when this process dies.
/// Whoever makes one takes away what dead processes left: an arena can hold all memory of a
/// machine.
class ArenaFolder {
 public:
  /// In memory where there is a place for it: the arena is a file, and nobody wants it on a disk.
  static Result<ArenaFolder> create();
  static Result<ArenaFolder> create_in(const std::filesystem::path& parent);
  ArenaFolder(ArenaFolder&&) noexcept = default;
  ArenaFolder& operator=(ArenaFolder&&) = delete;
  ~ArenaFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }

 private:
  ArenaFolder(TemporaryDirectory folder, std::optional<FileLock> lock)
      : folder_(std::move(folder)), lock_(std::move(lock)) {}

  TemporaryDirectory folder_;
  std::optional<FileLock> lock_;
};

/// Removes folders in `parent` whose lock nobody holds.
void sweep_arenas(const std::filesystem::path& parent);

}  // namespace warpwright::flop
