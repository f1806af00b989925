// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sass/program.h"

namespace warpwright::sass {

using Numbers = std::vector<std::size_t>;

/// A function written down instruction by instruction.
class Writer {
 public:
  Instruction& add(const std::string& opcode, const std::string& operands, const Numbers& defs,
                   const Numbers& uses, Control control) {
    Instruction instruction;
    instruction.offset = function_.code.size() * kWordBytes;
    instruction.opcode = opcode;
    instruction.operands = operands;
    for (const std::size_t r : defs) instruction.defs.set(r);
    for (const std::size_t r : uses) instruction.uses.set(r);
    const std::uint64_t number = function_.code.size() + 1;
    instruction.words = with_control({.low = number << 40, .high = 0}, control, false);
    return function_.code.emplace_back(instruction);
  }
  Function done() {
    function_.name = "written";
    function_.blocks = blocks_of(function_);
    return function_;
  }

 private:
  Function function_;
};

inline Control sets(int stall, int write, int read) {
  return {.stall = stall, .write_barrier = write, .read_barrier = read};
}
inline Control waits(int stall, unsigned mask) { return {.stall = stall, .wait_mask = mask}; }

inline Function permuted(const Function& function, const Numbers& order) {
  Function changed = function;
  for (std::size_t i = 0; i < order.size(); ++i) changed.code[i] = function.code[order[i]];
  return changed;
}

inline std::vector<Words> words_in(const Function& function) {
  std::vector<Words> words;
  for (const Instruction& instruction : function.code) words.push_back(instruction.words);
  return words;
}

}  // namespace warpwright::sass
