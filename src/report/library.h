// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "store/archive.h"

namespace warpwright::report {

/// Which archives a server may show. A page names one by a key, never by a path, so that no
/// request can reach any other file.
class Library {
 public:
  struct Entry {
    std::string key;  ///< of the path: the same after a restart
    std::filesystem::path path;
  };

  /// `archives` are files; below each of `roots` every .warpwright/archive.db is found.
  Library(std::vector<std::filesystem::path> archives, std::vector<std::filesystem::path> roots);

  /// Those that exist now.
  [[nodiscard]] std::vector<Entry> entries() const;

  /// The archive of that key, opened for reading only.
  Result<std::unique_ptr<store::Archive>> open(const std::string& key, const Clock& clock) const;

 private:
  std::vector<std::filesystem::path> archives_;
  std::vector<std::filesystem::path> roots_;
};

}  // namespace warpwright::report
