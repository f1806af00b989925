// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "port/names.h"

namespace warpwright::port {

/// What a build file tells a compiler that concerns the source.
struct BuildFlags {
  std::vector<std::string> defines;   ///< "NAME" or "NAME=value"
  std::vector<std::string> includes;  ///< as written, relative to the build file
  std::string standard;               ///< "c++17"; empty = not said
};

/// Reads -D, -I and -std= out of a Makefile. Flags with variables that are not plain text are left
/// out.
BuildFlags build_flags_of(std::string_view makefile);

/// The same of the Makefile in a folder; nothing where there is none.
BuildFlags build_flags_in(const std::filesystem::path& folder);

/// Whether a file by its name says how a program is built.
bool is_build_file(std::string_view name);

/// The build file for the other platform: in a Makefile the compiler's name and its own flags
/// change, in others a note at the top says what to do.
std::string changed_build_file(std::string_view name, std::string_view text, Direction direction);

}  // namespace warpwright::port
