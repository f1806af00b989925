// SPDX-License-Identifier: Apache-2.0
#include "torch/large_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "base/cores.h"

namespace warpwright::torch {

namespace {

namespace fs = std::filesystem;

constexpr const char* kMemory = "/dev/shm";
constexpr std::uint64_t kLarge = std::uint64_t{64} << 20;
constexpr std::size_t kPiece = std::size_t{16} << 20;

Error failed(const char* what, const fs::path& path) {
  return Error{fmt::format("{} {}: {}", what, path.string(), std::strerror(errno))};
}

/// part(first, count) for pieces of `bytes`, on as many threads as are of use.
template <class Part>
bool in_pieces(std::size_t bytes, const Part& part) {
  const std::size_t pieces = (bytes + kPiece - 1) / kPiece;
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> good = true;
  const auto work = [&] {
    for (std::size_t i = next++; i < pieces && good; i = next++)
      if (!part(i * kPiece, std::min(kPiece, bytes - i * kPiece))) good = false;
  };
  const auto count = std::min<std::size_t>(pieces, static_cast<std::size_t>(usable_cores()));
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < count; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  return good;
}

/// Room for the content of a new file, and nothing where there is none: a page that the file system
/// has no room for would end this process when it is written.
Status fill(const FileDescriptor& file, const fs::path& path, std::span<const std::byte> content) {
  const auto size = static_cast<off_t>(content.size());
  if (const int code = ::posix_fallocate(file.get(), 0, size); code != 0) {
    errno = code;
    return failed("making room for", path);
  }
  void* at = ::mmap(nullptr, content.size(), PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (at == MAP_FAILED) return failed("mapping", path);
  in_pieces(content.size(), [&](std::size_t first, std::size_t count) {
    std::memcpy(static_cast<std::byte*>(at) + first, content.data() + first, count);
    return true;
  });
  ::munmap(at, content.size());
  return {};
}

bool fits_into_memory(std::uint64_t bytes) {
  struct statvfs state {};
  if (bytes < kLarge || ::access(kMemory, W_OK | X_OK) != 0 || ::statvfs(kMemory, &state) != 0)
    return false;
  const std::uint64_t room = std::uint64_t{state.f_bavail} * state.f_frsize;
  return room / 2 > bytes && physical_memory_bytes() / 4 > bytes;
}

/// Beside the folder: whoever works in it cannot reach it.
constexpr std::string_view kLock = ".lock";
fs::path lock_of(const fs::path& folder) { return folder.string() + std::string(kLock); }

/// A lock that was made a moment ago may not be held yet.
bool is_old_and_ours(const fs::path& lock) {
  constexpr std::time_t kYoungS = 60;
  struct stat state {};
  return ::lstat(lock.c_str(), &state) == 0 && S_ISREG(state.st_mode) &&
         state.st_uid == ::geteuid() && std::time(nullptr) - state.st_mtime > kYoungS;
}

}  // namespace

LargeFolder::LargeFolder(TemporaryDirectory folder, std::optional<FileLock> lock)
    : folder_(std::move(folder)), lock_(std::move(lock)) {}

LargeFolder::~LargeFolder() {
  if (lock_ && !folder_.path().empty()) ::unlink(lock_of(folder_.path()).c_str());
}

void remove_abandoned(const fs::path& parent, std::string_view prefix) {
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(parent, code)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix) || !name.ends_with(kLock) || !is_old_and_ours(entry.path()))
      continue;
    const auto lock = FileLock::acquire(entry.path());
    if (!lock.ok() || !*lock) continue;
    std::error_code ignored;
    fs::remove_all(parent / name.substr(0, name.size() - kLock.size()), ignored);
    fs::remove(entry.path(), ignored);
  }
}

Result<LargeFolder> folder_for(std::string_view prefix, std::uint64_t bytes) {
  remove_abandoned(kMemory, prefix);
  if (!fits_into_memory(bytes)) {
    WW_TRY(auto folder, TemporaryDirectory::create(prefix));
    return LargeFolder(std::move(folder), std::nullopt);
  }
  WW_TRY(auto folder, TemporaryDirectory::create_in(kMemory, prefix));
  WW_TRY(auto lock, FileLock::acquire(lock_of(folder.path())));
  return LargeFolder(std::move(folder), std::move(lock));
}

Status put_file(const fs::path& path, const fs::path& beside, std::span<const std::byte> content) {
  const std::string_view text(reinterpret_cast<const char*>(content.data()), content.size());
  if (content.size() < kLarge) return write_file(path, text);
  FileDescriptor file(::open(beside.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!file.valid()) return failed("making", beside);
  Status filled = fill(file, beside, content);
  if (filled.ok() && ::rename(beside.c_str(), path.c_str()) != 0) filled = failed("moving", beside);
  if (!filled.ok()) ::unlink(beside.c_str());
  return filled;
}

Status take_file(const fs::path& path, std::span<std::byte> content) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat state {};
  if (!file.valid() || ::fstat(file.get(), &state) != 0) return failed("opening", path);
  if (!S_ISREG(state.st_mode) || static_cast<std::uint64_t>(state.st_size) != content.size())
    return Error{fmt::format("{} has {} bytes, not {}", path.filename().string(),
                             static_cast<std::uint64_t>(state.st_size), content.size())};
  const bool whole = in_pieces(content.size(), [&](std::size_t first, std::size_t count) {
    while (count > 0) {
      const ssize_t n =
          ::pread(file.get(), content.data() + first, count, static_cast<off_t>(first));
      if (n <= 0) return false;
      first += static_cast<std::size_t>(n);
      count -= static_cast<std::size_t>(n);
    }
    return true;
  });
  return whole ? Status{} : Status(failed("reading", path));
}

}  // namespace warpwright::torch
