// SPDX-License-Identifier: Apache-2.0
#include "sass/unlisted.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"

namespace warpwright::sass {

namespace {

/// An opcode that moves the predicates of a mask from or to a register.
struct SetMove {
  std::string_view opcode;
  bool writes;  ///< the predicates; else it reads them
};

constexpr auto kSetMoves =
    std::to_array<SetMove>({{"P2R", false}, {"R2P", true}, {"UP2UR", false}, {"UR2UP", true}});

bool is_word(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

template <class Visit>
void for_each_word(std::string_view text, const Visit& visit) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    // What stands behind a dot is a modifier: "R4.B1", "SR_TID.X".
    if (end > at && (at == 0 || text[at - 1] != '.')) visit(text.substr(at, end - at));
    at = std::max(end, at + 1);
  }
}

/// "R12", "P0", "UR4", "UP1"; not the constant ones.
std::optional<std::size_t> register_named(std::string_view word) {
  static constexpr std::pair<std::string_view, Bank> kPrefixes[] = {{"UR", Bank::uniform},
                                                                    {"UP", Bank::uniform_predicate},
                                                                    {"R", Bank::general},
                                                                    {"P", Bank::predicate}};
  for (const auto& [prefix, bank] : kPrefixes) {
    if (!word.starts_with(prefix)) continue;
    std::size_t number = 0;
    const char* end = word.data() + word.size();
    const auto read = std::from_chars(word.data() + prefix.size(), end, number);
    if (read.ec == std::errc() && read.ptr == end && number < kBankSize[static_cast<int>(bank)])
      return register_at(bank, number);
  }
  return std::nullopt;
}

/// The predicates of the mask that is the last operand; all where it is no number.
RegisterSet masked(std::string_view operands, Bank bank) {
  const std::size_t comma = operands.rfind(',');
  const std::string_view last =
      trimmed(operands.substr(comma == std::string_view::npos ? 0 : comma + 1));
  unsigned mask = ~0U;
  if (last.starts_with("0x")) {
    const char* end = last.data() + last.size();
    const auto read = std::from_chars(last.data() + 2, end, mask, 16);
    if (read.ec != std::errc() || read.ptr != end) mask = ~0U;
  }
  RegisterSet predicates;
  for (std::size_t i = 0; i < kBankSize[static_cast<int>(bank)]; ++i)
    if ((mask >> i & 1) != 0) predicates.set(register_at(bank, i));
  return predicates;
}

void add_set(Instruction& instruction, Bank bank) {
  const auto* move = std::find_if(kSetMoves.begin(), kSetMoves.end(), [&](const SetMove& each) {
    return each.opcode == instruction.base_opcode();
  });
  if (move == kSetMoves.end()) {
    instruction.uses |= masked("", bank);
    instruction.half_known = true;
    return;
  }
  (move->writes ? instruction.defs : instruction.uses) |= masked(instruction.operands, bank);
}

}  // namespace

void add_unlisted_registers(Instruction& instruction) {
  for_each_word(instruction.operands, [&](std::string_view word) {
    if (word == "PR") return add_set(instruction, Bank::predicate);
    if (word == "UPR") return add_set(instruction, Bank::uniform_predicate);
    const auto named = register_named(word);
    if (!named || instruction.uses.test(*named) || instruction.defs.test(*named)) return;
    instruction.uses.set(*named);
    instruction.half_known = true;
  });
  if (!instruction.guard || is_constant(instruction.guard->predicate)) return;
  instruction.uses.set(instruction.guard->predicate);
}

}  // namespace warpwright::sass
