// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace warpwright::build {

/// Who turns a candidate into PTX and a host part. Written to disk by name.
enum class FrontEnd : int {
  automatic = 0,  ///< clang where there is one, else nvcc
  clang = 1,
  nvcc = 2,
};

std::string_view name_of(FrontEnd front_end);
std::optional<FrontEnd> front_end_named(std::string_view name);

/// One compiler as found: empty path = not there.
struct Compiler {
  std::filesystem::path path;
  std::string version;  ///< its first line of --version; part of every cache key
  int major = 0;

  [[nodiscard]] bool found() const { return !path.empty(); }
};

/// What this machine can build with.
struct Toolchain {
  Compiler clang;  ///< 17 or newer
  Compiler nvcc;
  Compiler host;                ///< g++, nvcc's partner and the recorder's compiler without clang
  std::filesystem::path ptxas;  ///< of the toolkit, empty without one
  std::filesystem::path nvdisasm;   ///< of the toolkit, may be empty
  std::filesystem::path toolkit;    ///< the toolkit's root folder
  std::filesystem::path addr2line;  ///< for line numbers of host errors, may be empty

  [[nodiscard]] bool supports(FrontEnd front_end) const;
  /// clang or nvcc for `automatic`; the error says what to install.
  [[nodiscard]] Result<FrontEnd> resolve(FrontEnd wanted) const;
  /// Folders that the sandbox must show beyond the system's, for the compilers to work.
  [[nodiscard]] std::vector<std::filesystem::path> folders() const;
};

/// Looks in PATH, and for a toolkit also in /usr/local/cuda.
Toolchain find_toolchain();

}  // namespace warpwright::build
