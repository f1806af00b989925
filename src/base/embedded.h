// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace warpwright {

/// A text file of the repository that travels inside the program. ww_embed() in cmake/embed.cmake
/// generates the functions that list them.
struct EmbeddedFile {
  std::string_view path;  ///< relative to the repository root
  std::string_view content;
};

}  // namespace warpwright
