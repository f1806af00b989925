// SPDX-License-Identifier: Apache-2.0
#include "sass/replay.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/mix.h"
#include "sass/pending.h"

namespace warpwright::sass {

namespace {

using Symbol = std::uint64_t;

Symbol symbol_of(Symbol a, Symbol b) { return mixed_bits(a * 0x9e3779b97f4a7c15ULL + b); }

/// One register: its value, and what instructions under a guard have added since.
struct Cell {
  struct Part {
    Guard guard;
    Symbol condition = 0, value = 0;
  };
  Symbol whole = 0;
  std::vector<Part> parts;
};

/// A block's registers while it runs.
class Registers {
 public:
  Registers() {
    for (std::size_t r = 0; r < kRegisters; ++r) cells_[r].whole = mixed_bits(r + 1);
  }

  /// What an instruction sees: parts under the opposite of its own guard have no effect on it.
  [[nodiscard]] Symbol read(std::size_t index, const Instruction& reader) const {
    return seen(index, reader.guard ? &*reader.guard : nullptr,
                reader.guard ? condition_of(*reader.guard) : 0);
  }
  [[nodiscard]] Symbol left(std::size_t index) const { return seen(index, nullptr, 0); }

  /// Runs it; the value of all that it read.
  Symbol run(const Instruction& instruction) {
    Symbol inputs = mixed_bits(instruction.offset + 1);
    for_each_register(instruction.uses, [&](std::size_t r) {
      inputs = symbol_of(inputs, symbol_of(r, read(r, instruction)));
    });
    const Symbol condition = instruction.guard ? condition_of(*instruction.guard) : 0;
    for_each_register(instruction.defs, [&](std::size_t r) {
      const Symbol value = symbol_of(inputs, r + kRegisters);
      if (instruction.guard) {
        cells_[r].parts.push_back({*instruction.guard, condition, value});
      } else {
        cells_[r] = {value, {}};
      }
    });
    return inputs;
  }

 private:
  [[nodiscard]] Symbol condition_of(const Guard& guard) const { return left(guard.predicate); }

  // Parts of one predicate's value and its negation may come in any order: they are added.
  [[nodiscard]] Symbol seen(std::size_t index, const Guard* guard, Symbol condition) const {
    Symbol value = cells_[index].whole, sum = 0;
    const Cell::Part* last = nullptr;
    for (const Cell::Part& part : cells_[index].parts) {
      const bool opposite = guard != nullptr && guard->predicate == part.guard.predicate &&
                            guard->negated != part.guard.negated && condition == part.condition;
      if (opposite) continue;
      const bool apart = last != nullptr && last->guard.predicate == part.guard.predicate &&
                         last->guard.negated != part.guard.negated &&
                         last->condition == part.condition;
      if (!apart) {
        value = symbol_of(value, sum);
        sum = 0;
      }
      sum += symbol_of(part.value, part.guard.negated ? 1 : 2);
      last = &part;
    }
    return symbol_of(value, sum);
  }

  std::array<Cell, kRegisters> cells_;
};

/// What each instruction reads, by the offset at which it was built, and what a block leaves.
struct Trace {
  std::map<std::uint64_t, Symbol> read;
  std::vector<Symbol> left;
};

Trace trace_of(const Function& function, const Block& block) {
  Registers registers;
  Trace trace;
  for (std::size_t i = block.first; i < block.end; ++i)
    trace.read[function.code[i].offset] = registers.run(function.code[i]);
  for (std::size_t r = 0; r < kRegisters; ++r) trace.left.push_back(registers.left(r));
  return trace;
}

void compare_values(const Function& original, const Function& changed, std::size_t block,
                    std::vector<Hazard>& hazards) {
  const Trace before = trace_of(original, original.blocks[block]);
  const Trace after = trace_of(changed, original.blocks[block]);
  for (std::size_t i = original.blocks[block].first; i < original.blocks[block].end; ++i) {
    const Instruction& me = changed.code[i];
    const auto wanted = before.read.find(me.offset);
    if (wanted == before.read.end() || wanted->second == after.read.at(me.offset)) continue;
    hazards.push_back({HazardKind::registers, original.name, i * kWordBytes,
                       me.text() + ": reads other values than in the original order"});
    return;  // all that depends on it follows
  }
  for (std::size_t r = 0; r < kRegisters; ++r)
    if (before.left[r] != after.left[r])
      return hazards.push_back({HazardKind::registers, original.name,
                                original.blocks[block].first * kWordBytes,
                                "the block leaves another value in " + register_name(r)});
}

bool is_same_block(const Function& original, const Function& changed, const Block& block) {
  for (std::size_t i = block.first; i < block.end; ++i)
    if (original.code[i].words != changed.code[i].words) return false;
  return true;
}

/// `visit` gets the place of an instruction and the register that it uses early.
template <class Visit>
void for_each_early_use(const Function& function, const Visit& visit) {
  const auto entry = pending_at_entry(function);
  for (std::size_t b = 0; b < function.blocks.size(); ++b) {
    Pending state = entry[b];
    for (std::size_t i = function.blocks[b].first; i < function.blocks[b].end; ++i) {
      const Instruction& me = function.code[i];
      state.wait(waits_of(me));
      for_each_register(state.unwritten(me) | state.unread(me),
                        [&](std::size_t r) { visit(i, r); });
      state.issue(me);
    }
  }
}

}  // namespace

EarlyUses early_uses(const Function& function) {
  EarlyUses found;
  for_each_early_use(
      function, [&](std::size_t at, std::size_t r) { found.emplace(function.code[at].offset, r); });
  return found;
}

std::vector<Hazard> replay_against(const Function& original, const Function& changed) {
  return replay_against(original, early_uses(original), changed);
}

std::vector<Hazard> replay_against(const Function& original, const EarlyUses& early,
                                   const Function& changed) {
  std::vector<Hazard> hazards;
  if (changed.code.size() != original.code.size())
    return {{HazardKind::form, original.name, 0, "the function has another length"}};
  for (std::size_t b = 0; b < original.blocks.size(); ++b)
    if (!is_same_block(original, changed, original.blocks[b]))
      compare_values(original, changed, b, hazards);
  for_each_early_use(changed, [&](std::size_t at, std::size_t r) {
    if (early.contains({changed.code[at].offset, r})) return;
    hazards.push_back(
        {HazardKind::scoreboard, original.name, at * kWordBytes,
         changed.code[at].text() + ": no wait says that " + register_name(r) + " may be used"});
  });
  return hazards;
}

}  // namespace warpwright::sass
