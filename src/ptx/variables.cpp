// SPDX-License-Identifier: Apache-2.0
#include "ptx/variables.h"

#include "ptx/lexer.h"

namespace warpwright::device {

namespace {

bool is_name(std::string_view word) {
  const char c = word.front();
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

/// What follows ".global": one name or several, each with dimensions and a value.
void declare(PtxLexer& words, bool external, std::vector<std::string>& names) {
  bool named = false;
  int braces = 0;
  for (auto word = words.next(); !word.empty(); word = words.next()) {
    braces += word == "{" ? 1 : word == "}" ? -1 : 0;
    if (braces > 0 || word == "}") continue;
    if (word == ";") return;
    if (word == ",") {
      named = false;
    } else if (word == ".align") {
      words.next();
    } else if (!named && is_name(word)) {
      // Externals belong to the driver (vprintf's and malloc's), not to the module.
      if (!external) names.emplace_back(word);
      named = true;
    }
  }
}

}  // namespace

std::vector<std::string> ptx_variables(std::string_view ptx) {
  std::vector<std::string> names;
  PtxLexer words(ptx);
  int depth = 0;
  bool external = false;
  std::string_view before;
  for (auto word = words.next(); !word.empty(); before = word, word = words.next()) {
    depth += word == "{" ? 1 : word == "}" ? -1 : 0;
    if (word == ";" || word == "}") external = false;
    if (word == ".extern") external = true;
    const bool state = word == ".global" || word == ".const";
    if (depth == 0 && state && before != ".ptr") {
      declare(words, external, names);
      external = false;
    }
  }
  return names;
}

}  // namespace warpwright::device
