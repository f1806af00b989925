// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sass/cubin.h"
#include "sass/instruction.h"

namespace warpwright::sass {

/// A run of instructions that is entered at its beginning and left at its end only.
struct Block {
  std::size_t first = 0, end = 0;       ///< numbers of instructions
  std::vector<std::size_t> successors;  ///< numbers of blocks
  /// Reached in a way that the text does not tell: from calls, through tables.
  bool entered_unknown = false;
};

/// One section of code. The order of `code` is the order in memory; an instruction keeps the offset
/// at which it was built wherever it moves.
struct Function {
  std::string name;
  std::vector<Instruction> code;
  std::map<std::string, std::size_t> labels;
  std::set<std::uint64_t> pinned;  ///< offsets that side tables name
  std::vector<Block> blocks;

  /// Stays where it is, and nothing passes it.
  [[nodiscard]] bool is_fence(std::size_t at) const {
    return pinned.contains(at * kWordBytes) || !may_move(code[at]);
  }
};

/// A cubin with its instructions understood.
class Program {
 public:
  /// `listing` is nvdisasm's text of the same bytes; words that differ are an error.
  static Result<Program> join(Cubin cubin, std::string_view listing);

  [[nodiscard]] const Cubin& cubin() const { return cubin_; }
  [[nodiscard]] const std::vector<Function>& functions() const { return functions_; }
  [[nodiscard]] const Function* function(std::string_view name) const;

  /// The file with other instructions in one function: as many as before.
  [[nodiscard]] std::string bytes_with(const Function& changed) const;
  /// The file, put together again from the instructions.
  [[nodiscard]] std::string bytes() const;

 private:
  Cubin cubin_;
  std::vector<Function> functions_;
};

/// Basic blocks and the ways between them.
std::vector<Block> blocks_of(const Function& function);

}  // namespace warpwright::sass
