// SPDX-License-Identifier: Apache-2.0
#include "flops/arena_folder.h"

#include <chrono>

namespace warpwright::flop {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPrefix = "warpwright-flops-";
constexpr std::string_view kLock = ".lock";
// A folder is there before its lock is, and a lock before it is held.
constexpr std::chrono::seconds kYoung{60};

fs::path lock_of(const fs::path& folder) { return folder.string() + std::string(kLock); }

}  // namespace

void sweep_arenas(const fs::path& parent) {
  std::error_code code;
  std::vector<fs::path> locks;
  for (fs::directory_iterator at(parent, code), end; !code && at != end; at.increment(code)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(kPrefix) && name.ends_with(kLock)) locks.push_back(at->path());
  }
  for (const fs::path& lock : locks) {
    const auto changed = fs::last_write_time(lock, code);
    if (code || fs::file_time_type::clock::now() - changed < kYoung || FileLock::is_held(lock))
      continue;
    fs::path folder = lock;
    fs::remove_all(folder.replace_extension(), code);
    if (!fs::exists(folder)) fs::remove(lock, code);
  }
}

Result<ArenaFolder> ArenaFolder::create_in(const fs::path& parent) {
  sweep_arenas(parent);
  WW_TRY(TemporaryDirectory folder, TemporaryDirectory::create_in(parent, kPrefix));
  WW_TRY(std::optional<FileLock> lock, FileLock::acquire(lock_of(folder.path())));
  return ArenaFolder(std::move(folder), std::move(lock));
}

Result<ArenaFolder> ArenaFolder::create() {
  auto made = create_in("/dev/shm");
  return made.ok() ? std::move(made) : create_in(temporary_folder());
}

ArenaFolder::~ArenaFolder() {
  if (path().empty()) return;  // moved from
  std::error_code ignored;
  fs::remove(lock_of(path()), ignored);
}

}  // namespace warpwright::flop
