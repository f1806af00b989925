// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
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

/// A file whose room on the disk is there before its content is: made for something that is paid
/// for and then must not fail. Removed with this object unless committed.
class ReservedFile {
 public:
  /// Room for `bytes` beside `path`, as `path` with ".part" at its end; one process at a time may
  /// do so. An error when there is no such room, or nothing can be written there. Where the file
  /// system cannot promise room, none is promised.
  static Result<ReservedFile> create(const std::filesystem::path& path, std::size_t bytes);
  ReservedFile(ReservedFile&& other) noexcept = default;
  ReservedFile& operator=(ReservedFile&&) = delete;
  ~ReservedFile();

  /// As write_file_durably does. May be called once; after an error the room is given back.
  Status commit(std::string_view content);

 private:
  ReservedFile(std::filesystem::path path, FileDescriptor file)
      : path_(std::move(path)), file_(std::move(file)) {}
  [[nodiscard]] std::filesystem::path partial() const;

  std::filesystem::path path_;
  FileDescriptor file_;
};

Status make_directories(const std::filesystem::path& path);

/// The system's temporary directory; /tmp where TMPDIR names none.
std::filesystem::path temporary_folder();

/// The path from the root; as it is where the current folder is gone.
std::filesystem::path absolute_path(const std::filesystem::path& path);

/// Whether there is something, or an error where that cannot be found out.
Result<bool> path_exists(const std::filesystem::path& path);

/// A fresh private directory, removed with this object.
class TemporaryDirectory {
 public:
  /// Under the system's temporary directory.
  static Result<TemporaryDirectory> create(std::string_view prefix);
  static Result<TemporaryDirectory> create_in(const std::filesystem::path& parent,
                                              std::string_view prefix);
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
  /// The lock; nothing while another process holds it; an error where nobody can have it.
  static Result<std::optional<FileLock>> acquire(const std::filesystem::path& path);
  /// Whether a live process holds the lock on path right now.
  static bool is_held(const std::filesystem::path& path);

 private:
  explicit FileLock(FileDescriptor fd) : fd_(std::move(fd)) {}
  FileDescriptor fd_;
};

}  // namespace warpwright
