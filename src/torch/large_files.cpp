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

}  // namespace

Result<SweptFolder> folder_for(std::string_view prefix, std::uint64_t bytes) {
  if (fits_into_memory(bytes)) return SweptFolder::create_in(kMemory, prefix);
  sweep_folders(kMemory, prefix);
  return SweptFolder::create(prefix);
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
