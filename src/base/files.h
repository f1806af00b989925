// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace warpwright {

/// Closes what it holds. Movable, never copied.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor() { reset(); }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool valid() const { return fd_ >= 0; }
  int release();
  void reset();

 private:
  int fd_ = -1;
};

inline constexpr std::size_t kMaxTextFileBytes = std::size_t{64} << 20;

/// The whole file; an error when it is missing, not a plain file, or larger than max_bytes.
Result<std::string> read_file(const std::filesystem::path& path,
                              std::size_t max_bytes = kMaxTextFileBytes);

/// Everything until end of file on a descriptor, e.g. standard input.
Result<std::string> read_all(int fd, std::size_t max_bytes = kMaxTextFileBytes);

/// Readers see the old content or the new, never a part, also after a power cut: written under
/// another name, synced, renamed, and the folder synced.
Status write_file_durably(const std::filesystem::path& path, std::string_view content);

/// The same without the syncs: complete or absent for every reader while the machine stays up.
Status write_file(const std::filesystem::path& path, std::string_view content);

Status make_directories(const std::filesystem::path& path);

/// A fresh private directory under the system's temporary directory, removed with this object.
class TemporaryDirectory {
 public:
  static Result<TemporaryDirectory> create(std::string_view prefix);
  TemporaryDirectory(TemporaryDirectory&& other) noexcept;
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
  ~TemporaryDirectory();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryDirectory(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

/// An advisory lock that the kernel drops when its owner dies, however it dies.
class FileLock {
 public:
  /// The lock, or an error saying that another process holds it.
  static Result<FileLock> acquire(const std::filesystem::path& path);
  /// Whether a live process holds the lock on path right now.
  static bool is_held(const std::filesystem::path& path);

 private:
  explicit FileLock(FileDescriptor fd) : fd_(std::move(fd)) {}
  FileDescriptor fd_;
};

}  // namespace warpwright
