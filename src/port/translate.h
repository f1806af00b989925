// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "port/findings.h"
#include "port/names.h"

namespace warpwright::port {

/// How one file is carried over.
struct TranslateOptions {
  Direction direction = Direction::to_hip;
  /// From the file's folder to that of the compatibility headers: "" or "../".
  std::string headers_at;
  /// A file that is compiled, and so needs the runtime's header.
  bool unit = false;
  /// Names that the project defines itself: kept.
  std::set<std::string, std::less<>> own_names;
  /// How a file of the project is to be included; nothing for headers of others.
  std::function<std::optional<std::string>(std::string_view header, bool quoted)> project_header;
};

struct Translation {
  std::string text;
  Findings findings;  ///< without file names
};

/// Carries one source over. Comments and literals stay; so does all that has no counterpart, which
/// is listed. Any text is taken: what is no C++ is copied.
Translation translate(std::string_view source, const TranslateOptions& options);

/// Macros that a source defines, and variables that hide a name of the platform.
std::set<std::string, std::less<>> own_names_of(std::string_view source);

/// The headers of compatibility that a port needs beside it: file name and content.
struct CompatibilityFile {
  std::string name;
  std::string content;
};
std::vector<CompatibilityFile> compatibility_files(Direction direction);

}  // namespace warpwright::port
