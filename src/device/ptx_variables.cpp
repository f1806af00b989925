// SPDX-License-Identifier: Apache-2.0
#include "device/ptx_variables.h"

#include "base/text.h"

namespace warpwright::device {

namespace {

constexpr std::string_view kBlanks = " \t";

std::string_view next_word(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
  const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
  rest.remove_prefix(word.size());
  return word;
}

/// The declared name of a `.visible .global .align 4 .b8 name[16] = {...};` line; else empty.
std::string_view declared_name(std::string_view line) {
  bool is_state = false;
  while (!line.empty()) {
    const std::string_view word = next_word(line);
    if (word.empty()) break;
    if (word == ".global" || word == ".const") {
      is_state = true;
    } else if (word == ".align") {
      next_word(line);
    } else if (word.front() != '.') {
      return is_state ? word.substr(0, word.find_first_of("[=;,")) : std::string_view{};
    }
  }
  return {};
}

}  // namespace

std::vector<std::string> ptx_variables(std::string_view ptx) {
  std::vector<std::string> names;
  int depth = 0;
  for (const std::string_view whole : lines_of(ptx)) {
    const std::string_view line = trimmed(whole.substr(0, whole.find("//")));
    if (depth == 0 && !line.empty() && line.front() == '.') {
      const std::string_view name = declared_name(line);
      // Externals belong to the driver (vprintf's and malloc's), not to the module.
      if (!name.empty() && !line.starts_with(".extern")) names.emplace_back(name);
    }
    for (const char c : line) depth += c == '{' ? 1 : c == '}' ? -1 : 0;
  }
  return names;
}

}  // namespace warpwright::device
