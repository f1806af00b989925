// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace warpwright {

namespace fs = std::filesystem;

namespace {

Error system_error(std::string_view attempt, const fs::path& path, int code) {
  return Error{std::string(attempt) + " '" + path.string() + "': " + std::strerror(code)};
}

Status write_all(int fd, std::string_view content, const fs::path& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_error("cannot write", path, errno);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

enum class Sync { no, yes };

Status sync_folder_of(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  FileDescriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.valid() || ::fsync(directory.get()) != 0) {
    return system_error("cannot sync folder", folder, errno);
  }
  return {};
}

/// Fills an open file and gives it its name; without success it is removed.
Status finish_file(FileDescriptor file, const fs::path& partial, const fs::path& path,
                   std::string_view content, Sync sync) {
  Status status = write_all(file.get(), content, partial);
  // What was reserved and not needed.
  if (status.ok() && ::ftruncate(file.get(), static_cast<off_t>(content.size())) != 0) {
    status = system_error("cannot shorten", partial, errno);
  }
  if (status.ok() && sync == Sync::yes && ::fsync(file.get()) != 0) {
    status = system_error("cannot sync", partial, errno);
  }
  file.reset();
  if (status.ok() && ::rename(partial.c_str(), path.c_str()) != 0) {
    status = system_error("cannot rename a finished file to", path, errno);
  }
  if (!status.ok()) {
    ::unlink(partial.c_str());
    return status;
  }
  return sync == Sync::yes ? sync_folder_of(path) : Status();
}

Status replace_file(const fs::path& path, std::string_view content, Sync sync) {
  // The process id keeps two writers apart; the last rename wins, whole.
  const fs::path partial = path.string() + ".part" + std::to_string(::getpid());
  FileDescriptor file(::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file.valid()) return system_error("cannot create", partial, errno);
  return finish_file(std::move(file), partial, path, content, sync);
}

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}

int FileDescriptor::release() { return std::exchange(fd_, -1); }

void FileDescriptor::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

Result<std::string> read_all(int fd, std::size_t max_bytes) {
  std::string content;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error{std::string("cannot read: ") + std::strerror(errno)};
    if (got == 0) return content;
    if (content.size() + static_cast<std::size_t>(got) > max_bytes) {
      return Error{"larger than the limit of " + std::to_string(max_bytes) + " bytes"};
    }
    content.append(buffer, static_cast<std::size_t>(got));
  }
}

Result<std::string> read_file(const fs::path& path, std::size_t max_bytes) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) return system_error("cannot open", path, errno);
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return system_error("cannot inspect", path, errno);
  if (!S_ISREG(facts.st_mode)) return Error{"'" + path.string() + "' is not a plain file"};
  auto content = read_all(file.get(), max_bytes);
  if (!content.ok()) return Error{"'" + path.string() + "': " + content.error().message};
  return content;
}

Status write_file_durably(const fs::path& path, std::string_view content) {
  return replace_file(path, content, Sync::yes);
}

Status write_file(const fs::path& path, std::string_view content) {
  return replace_file(path, content, Sync::no);
}

Result<ReservedFile> ReservedFile::create(const fs::path& path, std::size_t bytes) {
  ReservedFile reserved(path, {});
  const fs::path partial = reserved.partial();
  // Readable, because the C library writes the blocks itself where the file system cannot.
  FileDescriptor file(::open(partial.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file.valid()) return system_error("cannot create", partial, errno);
  reserved.file_ = std::move(file);
  int code = EINTR;
  while (code == EINTR) {
    code = ::posix_fallocate(reserved.file_.get(), 0, static_cast<off_t>(bytes));
  }
  if (code != 0 && code != EOPNOTSUPP && code != EINVAL && code != ENOSYS) {
    return system_error("no room for " + std::to_string(bytes) + " bytes in", partial, code);
  }
  return reserved;
}

fs::path ReservedFile::partial() const { return path_.string() + ".part"; }

ReservedFile::~ReservedFile() {
  if (file_.valid()) ::unlink(partial().c_str());
}

Status ReservedFile::commit(std::string_view content) {
  ASSERT(file_.valid(), "a reserved file is committed once");
  return finish_file(std::move(file_), partial(), path_, content, Sync::yes);
}

Status make_directories(const fs::path& path) {
  std::error_code code;
  fs::create_directories(path, code);
  if (code) return Error{"cannot create folder '" + path.string() + "': " + code.message()};
  return {};
}

fs::path temporary_folder() {
  std::error_code code;
  fs::path folder = fs::temp_directory_path(code);
  return code ? fs::path("/tmp") : folder;
}

fs::path absolute_path(const fs::path& path) {
  std::error_code code;
  fs::path whole = fs::absolute(path, code);
  return code ? path : whole;
}

Result<bool> path_exists(const fs::path& path) {
  std::error_code code;
  const bool there = fs::exists(path, code);
  if (code) return Error{"cannot look at '" + path.string() + "': " + code.message()};
  return there;
}

Result<TemporaryDirectory> TemporaryDirectory::create(std::string_view prefix) {
  return create_in(temporary_folder(), prefix);
}

Result<TemporaryDirectory> TemporaryDirectory::create_in(const fs::path& parent,
                                                         std::string_view prefix) {
  std::string name = (parent / (std::string(prefix) + "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) return system_error("cannot create", name, errno);
  // What root judges runs as a user of no one, who must be able to pass through, not to look.
  if (::geteuid() == 0) ::chmod(name.c_str(), 0711);
  return TemporaryDirectory(fs::path(name));
}

TemporaryDirectory::TemporaryDirectory(TemporaryDirectory&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

TemporaryDirectory::~TemporaryDirectory() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Result<std::optional<FileLock>> FileLock::acquire(const fs::path& path) {
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!file.valid()) return system_error("cannot open lock", path, errno);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return std::optional<FileLock>();
    return system_error("cannot lock", path, errno);
  }
  return std::optional<FileLock>(FileLock(std::move(file)));
}

bool FileLock::is_held(const fs::path& path) {
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file.valid()) return false;
  if (::flock(file.get(), LOCK_SH | LOCK_NB) == 0) return false;
  return errno == EWOULDBLOCK;
}

}  // namespace warpwright
