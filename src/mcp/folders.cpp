// SPDX-License-Identifier: Apache-2.0
#include "mcp/folders.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "suite/load.h"

namespace warpwright::mcp {

namespace fs = std::filesystem;

namespace {

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
constexpr std::size_t kMaxParts = 64;
constexpr std::size_t kMaxPathBytes = 4096;

Error refused(std::string_view path, const std::string& why) {
  return Error{"'" + std::string(path.substr(0, 300)) + "' " + why};
}

Error failed(std::string_view path, int code) {
  if (code == ELOOP || code == EMLINK) {
    return refused(path, "is or passes a symbolic link; only plain files and folders are opened");
  }
  return refused(path, std::string("cannot be opened: ") + std::strerror(code));
}

/// One step down, never through a link.
Result<FileDescriptor> step(int folder, const std::string& name, std::string_view path) {
  FileDescriptor next(::openat(folder, name.c_str(), kFolderFlags | O_NOFOLLOW));
  if (next.valid()) return next;
  const int code = errno;
  // A link to a folder is "no folder" to some kernels.
  struct stat facts {};
  if (code == ENOTDIR && ::fstatat(folder, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
      S_ISLNK(facts.st_mode)) {
    return failed(path, ELOOP);
  }
  return failed(path, code);
}

/// The folder that holds the last part.
Result<FileDescriptor> walk(int root, const std::vector<std::string>& parts, std::size_t count,
                            std::string_view path) {
  FileDescriptor here(::openat(root, ".", kFolderFlags));
  if (!here.valid()) return failed(path, errno);
  for (std::size_t i = 0; i < count; ++i) {
    WW_TRY(here, step(here.get(), parts[i], path));
  }
  return here;
}

Result<std::string> read_at(int folder, const std::string& name, std::string_view path,
                            std::size_t max_bytes) {
  // Without O_NONBLOCK a pipe would hold us for ever.
  const FileDescriptor file(
      ::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.valid()) return failed(path, errno);
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return failed(path, errno);
  if (!S_ISREG(facts.st_mode)) return refused(path, "is not a plain file");
  if (static_cast<std::uint64_t>(facts.st_size) > max_bytes) {
    return refused(path, "is larger than " + std::to_string(max_bytes) + " bytes");
  }
  return read_all(file.get(), max_bytes);
}

/// Empty where there is no such file.
Result<std::string> read_if_there(int folder, const std::string& name, std::string_view path) {
  struct stat facts {};
  if (::fstatat(folder, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT) {
    return std::string();
  }
  return read_at(folder, name, std::string(path) + "/" + name, kMaxSourceBytes);
}

Status write_new(int folder, const std::string& name, const std::string& text) {
  const FileDescriptor file(
      ::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!file.valid()) return failed(name, errno);
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = ::write(file.get(), text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Error{"writing '" + name + "': " + std::strerror(errno)};
    done += static_cast<std::size_t>(count);
  }
  return {};
}

}  // namespace

Result<Folders> Folders::open(const std::vector<std::string>& paths) {
  Folders folders;
  for (const auto& path : paths) {
    // Its own name may be a link: whoever starts the server knows what it means.
    std::error_code code;
    const fs::path real = fs::canonical(path, code);
    FileDescriptor fd(code ? -1 : ::open(real.c_str(), kFolderFlags));
    if (!fd.valid()) {
      return Error{"--allow '" + path + "' is not a folder that can be opened: " +
                   (code ? code.message() : std::strerror(errno))};
    }
    folders.roots_.push_back({real, std::move(fd)});
  }
  return folders;
}

std::vector<std::string> Folders::names() const {
  std::vector<std::string> names;
  for (const auto& root : roots_) names.push_back(root.path.string());
  return names;
}

Result<Folders::Place> Folders::place_of(std::string_view path) const {
  if (roots_.empty()) {
    return refused(path,
                   "cannot be touched: this server was started without --allow FOLDER; "
                   "send texts instead of files");
  }
  if (path.empty() || path.size() > kMaxPathBytes || path.find('\0') != path.npos) {
    return refused(path, "is not a path");
  }
  const fs::path given{std::string(path)};
  for (const auto& root : roots_) {
    const bool relative = given.is_relative();
    auto part = given.begin();
    if (!relative) {
      const auto [in_root, in_path] =
          std::mismatch(root.path.begin(), root.path.end(), given.begin(), given.end());
      if (in_root != root.path.end()) continue;
      part = in_path;
    }
    Place place{&root, {}};
    for (; part != given.end(); ++part) {
      if (*part == "..") return refused(path, "has '..' in it");
      if (!part->empty() && *part != ".") place.parts.push_back(part->string());
    }
    if (place.parts.size() > kMaxParts) return refused(path, "is too deep");
    return place;
  }
  std::string list;
  for (const auto& root : roots_) list += (list.empty() ? "" : ", ") + root.path.string();
  return refused(path, "is outside of what this server may touch: " + list);
}

Result<std::string> Folders::read(std::string_view path, std::size_t max_bytes) const {
  WW_TRY(const Place place, place_of(path));
  if (place.parts.empty()) return refused(path, "is a folder");
  WW_TRY(const auto folder, walk(place.root->fd.get(), place.parts, place.parts.size() - 1, path));
  return read_at(folder.get(), place.parts.back(), path, max_bytes);
}

Result<Task> Folders::task(std::string_view path) const {
  WW_TRY(const Place place, place_of(path));
  WW_TRY(const auto folder, walk(place.root->fd.get(), place.parts, place.parts.size(), path));
  struct stat facts {};
  if (::fstatat(folder.get(), "reference.cpp", &facts, AT_SYMLINK_NOFOLLOW) == 0) {
    return refused(path,
                   "has a reference.cpp, which would run outside of the sandbox: remove it "
                   "(expected values then come from baseline.cu), or write a reference.cu");
  }
  suite::TaskFolder texts;
  texts.name = place.parts.empty() ? place.root->path.filename().string() : place.parts.back();
  texts.where = texts.name + "/task.toml";
  const std::string where(path);
  WW_TRY(texts.toml, read_at(folder.get(), "task.toml", where + "/task.toml", kMaxSourceBytes));
  // A module needs no baseline; it runs inside of the sandbox.
  WW_TRY(texts.torch, read_if_there(folder.get(), "reference.py", path));
  WW_TRY(texts.baseline, texts.torch.empty() ? read_at(folder.get(), "baseline.cu",
                                                       where + "/baseline.cu", kMaxSourceBytes)
                                             : read_if_there(folder.get(), "baseline.cu", path));
  WW_TRY(texts.slow, read_if_there(folder.get(), "slow.cu", path));
  WW_TRY(texts.device_reference, read_if_there(folder.get(), "reference.cu", path));
  return suite::parse_task(texts);
}

Result<std::string> Folders::make(std::string_view path,
                                  const std::map<std::string, std::string>& files) const {
  WW_TRY(const Place place, place_of(path));
  if (place.parts.empty()) return refused(path, "is already there");
  WW_TRY(const auto parent, walk(place.root->fd.get(), place.parts, place.parts.size() - 1, path));
  const std::string& name = place.parts.back();
  if (::mkdirat(parent.get(), name.c_str(), 0755) != 0) {
    if (errno == EEXIST) return refused(path, "is already there; choose another name");
    return failed(path, errno);
  }
  WW_TRY(const auto folder, step(parent.get(), name, path));
  fs::path whole = place.root->path;
  for (const auto& part : place.parts) whole /= part;
  for (const auto& [file, text] : files) WW_CHECK(write_new(folder.get(), file, text));
  return whole.string();
}

}  // namespace warpwright::mcp
