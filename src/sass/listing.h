// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sass/instruction.h"

namespace warpwright::sass {

/// The code of one section as nvdisasm writes it with "-c -plr -hex".
struct ListedSection {
  std::string name;  ///< without ".text."
  std::vector<Instruction> code;
  std::map<std::string, std::size_t> labels;  ///< name -> number of the instruction behind it
};

/// Any text gives a listing or an error. Instructions without a table of live ranges are errors:
/// their registers would not be known.
Result<std::vector<ListedSection>> parse_listing(std::string_view text);

}  // namespace warpwright::sass
