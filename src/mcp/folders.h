// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "core/task.h"

namespace warpwright::mcp {

inline constexpr std::size_t kMaxSourceBytes = std::size_t{1} << 20;

/// The folders that clients may touch. A path is walked from one of them component by component, so
/// that neither "..", nor a symbolic link, nor one put there in between leads out of it.
class Folders {
 public:
  /// Opens them; the error names one that is none.
  static Result<Folders> open(const std::vector<std::string>& paths);

  [[nodiscard]] bool empty() const { return roots_.empty(); }
  /// As they were given, with the way from the root of the file system.
  [[nodiscard]] std::vector<std::string> names() const;

  /// A plain file's text. Paths are absolute, or relative to the first folder.
  [[nodiscard]] Result<std::string> read(std::string_view path,
                                         std::size_t max_bytes = kMaxSourceBytes) const;
  /// A task folder. One with a reference.cpp is refused: that file would run outside of any
  /// sandbox.
  [[nodiscard]] Result<Task> task(std::string_view path) const;
  /// Makes a new folder with these files; never overwrites. Returns its path.
  [[nodiscard]] Result<std::string> make(std::string_view path,
                                         const std::map<std::string, std::string>& files) const;

 private:
  struct Root {
    std::filesystem::path path;
    FileDescriptor fd;
  };
  struct Place {
    const Root* root = nullptr;
    std::vector<std::string> parts;
  };
  [[nodiscard]] Result<Place> place_of(std::string_view path) const;

  std::vector<Root> roots_;
};

}  // namespace warpwright::mcp
