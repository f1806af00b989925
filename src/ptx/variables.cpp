// SPDX-License-Identifier: Apache-2.0
#include "ptx/variables.h"

#include "ptx/declaration.h"

namespace warpwright::ptx {

std::vector<ModuleVariable> module_variables(std::string_view ptx) {
  std::vector<ModuleVariable> variables;
  Lexer words(ptx);
  int depth = 0;
  bool is_extern = false;
  std::string_view before;
  for (auto word = words.word(); !word.empty(); before = word, word = words.word()) {
    depth += word == "{" ? 1 : word == "}" ? -1 : 0;
    if (word == ";" || word == "}") is_extern = false;
    if (word == ".extern") is_extern = true;
    const bool state = word == ".global" || word == ".const";
    if (depth != 0 || !state || before == ".ptr") continue;
    for (const Declaration& d : read_declarations(words))
      variables.push_back({std::string(d.name), d.bytes, is_extern});
    is_extern = false;
  }
  return variables;
}

}  // namespace warpwright::ptx
