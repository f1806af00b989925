// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace warpwright::layering {

/// Folder -> folders it may include; a sub-folder ("simt/ops") has a row of its own, and is named
/// where it may be included. "all" in the document becomes every folder of the table. A folder that
/// may include "texts" holds texts that travel inside the program and are compiled later: the
/// folder around it may include them, and what they include is not looked at.
using Table = std::map<std::string, std::set<std::string>>;

/// The table with the columns `folder | is | may include` of a Markdown document.
Result<Table> parse_table(std::string_view markdown);

/// A folder that reaches itself, as "a -> b -> a"; empty when there is none.
std::string find_cycle(const Table& table);

/// One source file: its folder under src/ ("core", "simt/ops"), its path for messages, its text.
struct SourceFile {
  std::string folder;
  std::string path;
  std::string text;
};

/// Every include the table does not allow, and every folder it does not know: one line each.
std::vector<std::string> violations(const Table& table, const std::vector<SourceFile>& files);

}  // namespace warpwright::layering
