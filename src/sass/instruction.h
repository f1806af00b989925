// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sass/control.h"
#include "sass/registers.h"

namespace warpwright::sass {

/// "@P0" or "@!UP1" before an opcode.
struct Guard {
  std::size_t predicate = 0;  ///< its index in a RegisterSet
  bool negated = false;

  bool operator==(const Guard&) const = default;
};

/// The address of a memory operand: a base register with a constant offset.
struct MemoryOperand {
  std::string base;       ///< as written, without the offset: "R2.64", "UR4", "R3+UR5"
  RegisterSet registers;  ///< general and uniform registers of the base
  std::int64_t offset = 0;
};

/// What memory an instruction touches.
struct MemoryAccess {
  enum class Space : int { global, shared, local, generic };
  Space space = Space::global;
  bool writes = false;
  bool ordered = false;  ///< volatile or strong: keeps its place among all accesses
  int bytes = 0;         ///< of a thread
  std::optional<MemoryOperand> at;
};

/// One instruction of a listing: text and exact register sets from nvdisasm, words from the file.
struct Instruction {
  std::uint64_t offset = 0;  ///< in its section, as it was built
  Words words;
  std::optional<Guard> guard;
  std::string opcode;    ///< "IMAD.WIDE.U32"
  std::string operands;  ///< the rest of the text
  RegisterSet defs, uses;
  std::array<int, 4> live = {};  ///< live registers by bank
  int line = 0;                  ///< in the source, 0 = not known
  bool shows_reuse = false;      ///< the text has ".reuse"
  bool half_known = false;       ///< names registers of which it is not known what it does to them

  [[nodiscard]] Control control() const { return control_of(words); }
  /// Up to the first dot.
  [[nodiscard]] std::string_view base_opcode() const;
  /// "@P0 IMAD R2, R3, 0x100, R6"
  [[nodiscard]] std::string text() const;
  /// The registers that its result depends on: of a guarded instruction the old values, too.
  [[nodiscard]] RegisterSet inputs() const { return guard ? uses | defs : uses; }
};

/// Whether the two can never both take effect: guards on a predicate and on its negation.
bool exclusive(const Instruction& a, const Instruction& b);

/// Registers in the source slots that the reuse bits speak of, 255 = none or not known.
std::array<int, 3> source_slots(const Instruction& instruction);

/// May take another place among its neighbours. Everything that synchronises, transfers control or
/// is not known to be plain stays where it is, and nothing passes it.
bool may_move(const Instruction& instruction);

/// Ends a basic block.
bool transfers_control(const Instruction& instruction);

/// Goes through the memory pipes, which take their instructions in order.
bool uses_memory_pipe(const Instruction& instruction);

/// What it does to memory; two accesses for a copy from global to shared memory.
std::vector<MemoryAccess> memory_accesses(const Instruction& instruction);

}  // namespace warpwright::sass
