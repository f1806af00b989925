// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpwright::port {

/// Where a program is carried to.
enum class Direction { to_hip, to_cuda };

/// What became of a name.
enum class NameFate {
  foreign,   ///< not a name of the platform: kept
  mapped,    ///< has a counterpart
  library,   ///< of a library beside the platform; its counterpart has to be installed
  unmapped,  ///< a name of the platform without a counterpart
};

struct NameChange {
  NameFate fate = NameFate::foreign;
  std::string to;           ///< mapped and library
  std::string_view advice;  ///< unmapped and library: what a person can do
};

/// A name of the source platform in the words of the other.
NameChange change_name(std::string_view name, Direction direction);

/// A header, without its marks. `foreign`: an ordinary header.
NameChange change_header(std::string_view header, Direction direction);

/// Every name of HIP's runtime that has a counterpart, with it.
std::vector<std::pair<std::string, std::string>> hip_names_in_cuda();

}  // namespace warpwright::port
