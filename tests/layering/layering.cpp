// SPDX-License-Identifier: Apache-2.0
#include "layering/layering.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace warpwright::layering {

namespace {

constexpr std::string_view kTexts = "texts";

/// A folder of texts, or one inside of it.
bool is_text(const Table& table, std::string folder) {
  while (true) {
    const auto row = table.find(folder);
    if (row != table.end()) return row->second.contains(std::string(kTexts));
    const auto slash = folder.rfind('/');
    if (slash == std::string::npos) return false;
    folder.resize(slash);
  }
}

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  line = trimmed(line);
  if (!line.starts_with('|')) return cells;
  line.remove_prefix(1);
  while (!line.empty()) {
    const auto end = std::min(line.find('|'), line.size());
    std::string cell(trimmed(line.substr(0, end)));
    std::erase(cell, '`');
    cells.push_back(cell);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return cells;
}

std::set<std::string> words_of(std::string_view text) {
  std::set<std::string> words;
  std::string word;
  for (const char c : std::string(text) + " ") {
    if (c != ' ' && c != ',') {
      word += c;
      continue;
    }
    if (!word.empty() && word != "-" && word != "–" && word != "—") words.insert(word);
    word.clear();
  }
  return words;
}

/// Depth-first; `path` is the way from the start to here.
std::string cycle_from(const Table& table, const std::string& folder,
                       std::vector<std::string>& path, std::set<std::string>& done) {
  if (const auto seen = std::find(path.begin(), path.end(), folder); seen != path.end()) {
    return fmt::format("{} -> {}", fmt::join(seen, path.end(), " -> "), folder);
  }
  if (done.contains(folder)) return {};
  path.push_back(folder);
  if (const auto row = table.find(folder); row != table.end()) {
    for (const auto& next : row->second) {
      auto cycle = next == folder ? std::string() : cycle_from(table, next, path, done);
      if (!cycle.empty()) return cycle;
    }
  }
  path.pop_back();
  done.insert(folder);
  return {};
}

}  // namespace

Result<Table> parse_table(std::string_view markdown) {
  Table table;
  std::set<std::string> everything;
  bool inside = false;
  for (const auto line : lines_of(markdown)) {
    const auto cells = cells_of(line);
    if (!inside) {
      inside = cells.size() >= 3 && cells[0] == "folder" && cells[1] == "is" &&
               cells[2] == "may include";
      continue;
    }
    if (cells.empty()) break;
    if (cells.size() < 3)
      return Error{fmt::format("a row of the table has too few columns: {}", line)};
    if (cells[0].find_first_not_of("-: ") == std::string::npos) continue;
    if (!table.emplace(cells[0], words_of(cells[2])).second) {
      return Error{fmt::format("the table names {} twice", cells[0])};
    }
    everything.insert(cells[0]);
  }
  if (table.empty()) return Error{"no table with the columns: folder | is | may include"};
  for (auto& [folder, allowed] : table) {
    if (allowed == std::set<std::string>{"all"}) allowed = everything;
    for (const auto& name : allowed) {
      if (name != kTexts && !everything.contains(name)) {
        return Error{fmt::format("{} may include {}, which has no row of its own", folder, name)};
      }
    }
  }
  return table;
}

std::string find_cycle(const Table& table) {
  std::set<std::string> done;
  for (const auto& row : table) {
    std::vector<std::string> path;
    if (auto cycle = cycle_from(table, row.first, path, done); !cycle.empty()) return cycle;
  }
  return {};
}

std::vector<std::string> violations(const Table& table, const std::vector<SourceFile>& files) {
  std::vector<std::string> found;
  std::set<std::string> unknown;
  for (const auto& file : files) {
    if (is_text(table, file.folder)) continue;
    const auto row = table.find(file.folder);
    if (row == table.end()) {
      if (unknown.insert(file.folder).second) {
        found.push_back(fmt::format("src/{}: the table has no row for this folder", file.folder));
      }
      continue;
    }
    int number = 0;
    for (auto line : lines_of(file.text)) {
      ++number;
      line = trimmed(line);
      if (!line.starts_with('#')) continue;
      line = trimmed(line.substr(1));
      if (!line.starts_with("include")) continue;
      line = trimmed(line.substr(7));
      if (!line.starts_with('"')) continue;
      const auto path = line.substr(1, line.find('"', 1) - 1);
      const auto slash = path.rfind('/');
      if (slash == path.npos) continue;
      const std::string target(path.substr(0, slash));
      if (target == file.folder || row->second.contains(target)) continue;
      if (is_text(table, target) && target.starts_with(file.folder + "/")) continue;
      found.push_back(
          fmt::format("{}:{}: {} may not include {}", file.path, number, file.folder, target));
    }
  }
  return found;
}

}  // namespace warpwright::layering
