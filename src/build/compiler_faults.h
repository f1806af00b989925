// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpwright::build {

/// Source that a compiler is known to translate wrongly, by its text alone: whether the fault
/// strikes depends on more than that. So it may explain a wrong result, and never is one.
struct CompilerFault {
  std::string_view name;
  std::string_view what;     ///< for people: what goes wrong, and where it was seen
  std::string_view message;  ///< for the model
  /// Gets the source without comments, strings emptied; returns the lines in question.
  std::vector<int> (*find)(std::string_view stripped);
};

/// Of nvcc. clang has none that we know of.
std::span<const CompilerFault> compiler_faults();

struct SuspectLine {
  int line = 0;
  std::string message;
};

std::vector<SuspectLine> suspect_lines(std::string_view source);

}  // namespace warpwright::build
