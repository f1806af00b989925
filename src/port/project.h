// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "port/build_flags.h"
#include "port/findings.h"
#include "port/names.h"

namespace warpwright::port {

/// What to carry over, and where to.
struct CarryRequest {
  std::filesystem::path input;   ///< a file or a folder
  std::filesystem::path output;  ///< a folder; for a file also a file's name
  Direction direction = Direction::to_hip;
};

/// A file that a compiler is to be called with.
struct Unit {
  std::filesystem::path path;  ///< where it was written
  std::string name;            ///< relative to the project
  std::filesystem::path from;  ///< what it was made of
  bool device = false;         ///< has kernels; else it is a part for the host alone
};

/// A project that was written anew.
struct CarriedProject {
  std::filesystem::path root;                        ///< what was read lies below it
  std::filesystem::path folder;                      ///< what was written lies below it
  std::vector<std::filesystem::path> from_includes;  ///< include folders of what was read
  std::vector<Unit> units;
  std::vector<std::string> files;  ///< all that were translated, relative to the project
  BuildFlags flags;                ///< include folders are absolute and below `folder`
  bool keeps_objects = false;      ///< what compilers make is put beside the units
  Findings findings;
};

/// Translates a file with the headers of its project, or a whole folder, and writes the result with
/// the same layout. Files that are no sources are copied.
Result<CarriedProject> carry_over(const CarryRequest& request);

}  // namespace warpwright::port
