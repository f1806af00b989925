// SPDX-License-Identifier: Apache-2.0
#include "flops/staging.h"

#include <sys/stat.h>

#include <map>

#include "base/files.h"

namespace warpwright::flop {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMostCopied = std::uint64_t{256} << 20;
constexpr std::size_t kMostFiles = 5000;

bool others_may(const fs::path& path, fs::perms wanted) {
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  return !code && (status.permissions() & wanted) == wanted;
}

/// Whether everybody may read it, and pass through all folders above it.
bool is_open(const fs::path& path) {
  const bool folder = fs::is_directory(path);
  const fs::perms through = fs::perms::others_exec;
  if (!others_may(path, folder ? fs::perms::others_read | through : fs::perms::others_read))
    return false;
  for (fs::path above = path.parent_path(); above != above.parent_path();
       above = above.parent_path()) {
    if (!others_may(above, through)) return false;
  }
  return true;
}

/// Plain files of a folder and what is below it.
class Copier {
 public:
  explicit Copier(fs::path to) : to_(std::move(to)) {}

  Result<fs::path> copy(const fs::path& folder) {
    const auto known = copies_.find(folder);
    if (known != copies_.end()) return known->second;
    const fs::path target = to_ / std::to_string(copies_.size());
    WW_CHECK(make_directories(target));
    ::chmod(target.c_str(), 0755);
    std::error_code code;
    fs::recursive_directory_iterator entries(folder, fs::directory_options::skip_permission_denied,
                                             code);
    for (; !code && entries != fs::recursive_directory_iterator(); entries.increment(code)) {
      WW_CHECK(copy_entry(*entries, target / fs::relative(entries->path(), folder)));
    }
    copies_[folder] = target;
    return target;
  }

 private:
  Status copy_entry(const fs::directory_entry& entry, const fs::path& target) {
    std::error_code code;
    if (entry.is_directory(code)) {
      fs::create_directories(target, code);
      ::chmod(target.c_str(), 0755);
      return {};
    }
    if (!entry.is_regular_file(code)) return {};
    bytes_ += entry.file_size(code);
    if (bytes_ > kMostCopied || ++files_ > kMostFiles)
      return Error{"the folder of " + entry.path().string() +
                   " is too large to copy, and others may not read it; put the program into a "
                   "folder of its own, or let others read it (chmod o+rX)"};
    fs::copy_file(entry.path(), target, fs::copy_options::overwrite_existing, code);
    ::chmod(target.c_str(), 0644);
    return {};
  }

  fs::path to_;
  std::map<fs::path, fs::path> copies_;
  std::uint64_t bytes_ = 0;
  std::size_t files_ = 0;
};

}  // namespace

Status working_copy(const fs::path& folder, const fs::path& copy) {
  Copier copier(copy.parent_path());
  WW_TRY(const fs::path made, copier.copy(folder));
  std::error_code code;
  fs::rename(made, copy, code);
  if (code) return Error{"cannot name " + copy.string() + ": " + code.message()};
  for (const auto& entry : fs::recursive_directory_iterator(copy, code))
    ::chmod(entry.path().c_str(), entry.is_directory() ? 0777 : 0666);
  ::chmod(copy.c_str(), 0777);
  return {};
}

Result<Sources> readable_sources(const Sources& given, const fs::path& folder) {
  bool open = is_open(given.cwd);
  for (const fs::path& each : given.files) open = open && is_open(each);
  for (const fs::path& each : given.includes) open = open && is_open(each);
  if (open) return given;
  Copier copier(folder);
  Sources copies;
  WW_TRY(copies.cwd, copier.copy(given.cwd));
  for (const fs::path& file : given.files) {
    WW_TRY(const fs::path copy, copier.copy(file.parent_path()));
    copies.files.push_back(copy / file.filename());
  }
  for (const fs::path& include : given.includes) {
    WW_TRY(const fs::path copy, copier.copy(include));
    copies.includes.push_back(copy);
  }
  return copies;
}

}  // namespace warpwright::flop
