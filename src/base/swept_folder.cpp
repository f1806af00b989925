// SPDX-License-Identifier: Apache-2.0
#include "base/swept_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <vector>

namespace warpwright {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kLockSuffix = ".lock";
// A folder is there before its lock is, and a lock before it is held.
constexpr std::chrono::seconds kYoung{60};

fs::path lock_beside(const fs::path& folder) { return folder.string() + std::string(kLockSuffix); }

/// Others may put files of any kind and name where temporary ones are.
bool is_ours(const fs::path& lock) {
  struct stat state {};
  return ::lstat(lock.c_str(), &state) == 0 && S_ISREG(state.st_mode) &&
         state.st_uid == ::geteuid();
}

}  // namespace

void sweep_folders(const fs::path& parent, std::string_view prefix) {
  std::error_code code;
  std::vector<fs::path> locks;
  for (fs::directory_iterator at(parent, code), end; !code && at != end; at.increment(code)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(prefix) && name.ends_with(kLockSuffix)) locks.push_back(at->path());
  }
  for (const fs::path& lock : locks) {
    if (!is_ours(lock)) continue;
    const auto changed = fs::last_write_time(lock, code);
    if (code || fs::file_time_type::clock::now() - changed < kYoung || FileLock::is_held(lock))
      continue;
    fs::path folder = lock;
    fs::remove_all(folder.replace_extension(), code);
    if (!fs::exists(folder, code)) fs::remove(lock, code);
  }
}

Result<SweptFolder> SweptFolder::create_in(const fs::path& parent, std::string_view prefix) {
  sweep_folders(parent, prefix);
  WW_TRY(TemporaryDirectory folder, TemporaryDirectory::create_in(parent, prefix));
  WW_TRY(std::optional<FileLock> lock, FileLock::acquire(lock_beside(folder.path())));
  return SweptFolder(std::move(folder), std::move(lock));
}

Result<SweptFolder> SweptFolder::create(std::string_view prefix) {
  return create_in(temporary_folder(), prefix);
}

SweptFolder::~SweptFolder() {
  if (path().empty()) return;  // moved from
  std::error_code ignored;
  fs::remove(lock_beside(path()), ignored);
}

}  // namespace warpwright
