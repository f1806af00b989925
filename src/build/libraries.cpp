// SPDX-License-Identifier: Apache-2.0
#include "build/libraries.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "base/files.h"
#include "base/sha256.h"

namespace warpwright::build {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 20'000;
constexpr std::size_t kMostBytes = std::size_t{256} << 20;
constexpr std::array<std::string_view, 8> kNoLibraries = {"/",     "/home", "/root", "/etc",
                                                          "/proc", "/sys",  "/dev",  "/var"};

/// A candidate can have what it includes printed by a compiler: only folders of code will do.
Status check_folder(const fs::path& folder) {
  const auto refuse = [&](std::string_view why) {
    return Error{fmt::format("the library folder '{}' {}", folder.string(), why)};
  };
  std::error_code code;
  if (!folder.is_absolute()) return refuse("must be an absolute path");
  const fs::path real = fs::canonical(folder, code);
  if (code || !fs::is_directory(real, code)) return refuse("is not there");
  const std::string text = real.string();
  if (std::find(kNoLibraries.begin(), kNoLibraries.end(), text) != kNoLibraries.end()) {
    return refuse("holds more than a library");
  }
  for (const std::string_view above : {"/etc/", "/proc/", "/sys/", "/dev/"}) {
    if (text.starts_with(above)) return refuse("holds more than a library");
  }
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home != '\0' && fs::path(home).lexically_normal() == real) {
    return refuse("is a home folder");
  }
  for (const fs::path& part : real) {
    const std::string name = part.string();
    if (name.size() > 1 && name.front() == '.') return refuse("is hidden");
  }
  return {};
}

Result<std::string> digest_of_folder(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code code;
  for (fs::recursive_directory_iterator it(folder, code), end; it != end; it.increment(code)) {
    if (code) break;
    if (!it->is_regular_file(code) || it->is_symlink(code)) continue;
    files.push_back(it->path());
    if (files.size() > kMostFiles) {
      return Error{fmt::format("the library folder '{}' has more than {} files", folder.string(),
                               kMostFiles)};
    }
  }
  if (code) return Error{fmt::format("cannot list '{}': {}", folder.string(), code.message())};
  std::sort(files.begin(), files.end());
  std::string all;
  std::size_t bytes = 0;
  for (const fs::path& file : files) {
    WW_TRY(const std::string text, read_file(file, kMostBytes));
    bytes += text.size();
    if (bytes > kMostBytes) {
      return Error{fmt::format("the library folder '{}' has more than {} MiB", folder.string(),
                               kMostBytes >> 20)};
    }
    all += fmt::format("{}\n{}\n", file.lexically_relative(folder).string(), sha256_hex(text));
  }
  return sha256_hex(all);
}

}  // namespace

Result<std::string> describe_libraries(const std::vector<fs::path>& folders) {
  std::string text;
  for (const fs::path& folder : folders) {
    WW_CHECK(check_folder(folder));
    WW_TRY(const std::string digest, digest_of_folder(folder));
    text += fmt::format("{}{} (sha256 {})", text.empty() ? "" : ", ", folder.string(),
                        digest.substr(0, 16));
  }
  return text;
}

}  // namespace warpwright::build
