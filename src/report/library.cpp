// SPDX-License-Identifier: Apache-2.0
#include "report/library.h"

#include <set>
#include <system_error>

#include "base/sha256.h"

namespace warpwright::report {

namespace fs = std::filesystem;

namespace {

constexpr int kMaxDepth = 4;
constexpr int kMaxFolders = 20'000;  // a root such as "/" must not hang the server

void find_archives(const fs::path& root, std::vector<fs::path>& found) {
  std::error_code code;
  auto walk =
      fs::recursive_directory_iterator(root, fs::directory_options::skip_permission_denied, code);
  int seen = 0;
  for (; !code && walk != fs::recursive_directory_iterator(); walk.increment(code)) {
    std::error_code ignored;
    if (!walk->is_directory(ignored) || walk->is_symlink(ignored)) continue;
    if (++seen > kMaxFolders) return;
    if (walk->path().filename() == ".warpwright") {
      if (fs::exists(walk->path() / "archive.db", ignored)) {
        found.push_back(walk->path() / "archive.db");
      }
      walk.disable_recursion_pending();
    } else if (walk.depth() >= kMaxDepth || walk->path().filename().string().starts_with(".")) {
      walk.disable_recursion_pending();
    }
  }
}

std::string key_of(const fs::path& path) { return sha256_hex(path.string()).substr(0, 12); }

}  // namespace

Library::Library(std::vector<fs::path> archives, std::vector<fs::path> roots)
    : archives_(std::move(archives)), roots_(std::move(roots)) {}

std::vector<Library::Entry> Library::entries() const {
  std::vector<fs::path> found = archives_;
  for (const auto& root : roots_) find_archives(root, found);
  std::vector<Entry> entries;
  std::set<std::string> known;
  for (const auto& path : found) {
    std::error_code code;
    const fs::path whole = fs::canonical(path, code);
    if (code || !known.insert(whole.string()).second) continue;
    entries.push_back({key_of(whole), whole});
  }
  return entries;
}

Result<std::unique_ptr<store::Archive>> Library::open(const std::string& key,
                                                      const Clock& clock) const {
  for (const auto& entry : entries()) {
    if (entry.key == key) return store::Archive::open_read_only(entry.path, clock);
  }
  return Error{"there is no such archive"};
}

}  // namespace warpwright::report
