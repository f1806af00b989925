// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "flops/program.h"

namespace warpwright::flop {

/// One text of a program.
struct SourceFile {
  std::string name;  ///< as a reader would call it: relative to the first source's folder
  std::string text;
};

/// The program's sources and the headers that they include by quotes, each once, in the order in
/// which a compiler meets them. What cannot be read is left out; so is what goes beyond 4 MiB.
std::vector<SourceFile> source_files(const ProgramRequest& program);

}  // namespace warpwright::flop
