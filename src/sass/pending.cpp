// SPDX-License-Identifier: Apache-2.0
#include "sass/pending.h"

#include <deque>

namespace warpwright::sass {

namespace {

constexpr int kPairs = 7;

/// All pairs with this read barrier or this write barrier.
constexpr std::uint64_t pairs_with(int barrier) {
  std::uint64_t pairs = 0;
  for (int other = 0; other < kPairs; ++other) {
    pairs |= std::uint64_t{1} << (barrier * kPairs + other);
    if (other < kBarriers) pairs |= std::uint64_t{1} << (other * kPairs + barrier);
  }
  return pairs;
}

std::uint64_t pairs_of(unsigned mask) {
  std::uint64_t pairs = 0;
  for (int barrier = 0; barrier < kBarriers; ++barrier)
    if ((mask >> barrier & 1) != 0) pairs |= pairs_with(barrier);
  return pairs;
}

}  // namespace

void Pending::wait(unsigned mask) {
  if (mask == 0) return;
  const std::uint64_t pairs = pairs_of(mask);
  for (std::size_t i = 0; i < kRegisters; ++i) {
    writes_[i] = static_cast<std::uint8_t>(writes_[i] & ~mask);
    reads_[i] &= ~pairs;
  }
}

Pending::GuardCode Pending::code_of(const Guard& guard) {
  return static_cast<GuardCode>(guard.predicate * 2 + (guard.negated ? 1 : 0));
}

bool Pending::excludes(GuardCode code, const Instruction& instruction) {
  return code != 0 && instruction.guard && (code_of(*instruction.guard) ^ 1) == code;
}

void Pending::issue(const Instruction& instruction) {
  const Control control = instruction.control();
  const GuardCode guard = instruction.guard ? code_of(*instruction.guard) : GuardCode{0};
  if (control.write_barrier < kBarriers)
    for_each_register(instruction.defs, [&](std::size_t index) {
      writer_guard_[index] = writes_[index] == 0 ? guard : GuardCode{0};
      writes_[index] = static_cast<std::uint8_t>(writes_[index] | 1U << control.write_barrier);
    });
  if (control.read_barrier < kBarriers) {
    const int partner = control.write_barrier < kBarriers ? control.write_barrier : kBarriers;
    const bool in_order = uses_memory_pipe(instruction);
    // Predicates and uniform registers are read when the instruction issues.
    for_each_register(instruction.uses, [&](std::size_t index) {
      if (bank_of(index) != Bank::general) return;
      reader_guard_[index] = reads_[index] == 0 ? guard : GuardCode{0};
      read_in_order_[index] = in_order && (reads_[index] == 0 || read_in_order_[index]);
      reads_[index] |= std::uint64_t{1} << (control.read_barrier * kPairs + partner);
    });
  }
  // A predicate that changes excludes nothing any more.
  if ((instruction.defs >> kBankStart[1]).any())
    for (std::size_t i = 0; i < kRegisters; ++i) {
      if (writer_guard_[i] != 0 && instruction.defs.test(writer_guard_[i] / 2))
        writer_guard_[i] = 0;
      if (reader_guard_[i] != 0 && instruction.defs.test(reader_guard_[i] / 2))
        reader_guard_[i] = 0;
    }
}

bool Pending::merge(const Pending& other) {
  bool changed = false;
  for (std::size_t i = 0; i < kRegisters; ++i) {
    changed =
        changed || (other.writes_[i] & ~writes_[i]) != 0 || (other.reads_[i] & ~reads_[i]) != 0;
    join_guards(i, other);
    writes_[i] = static_cast<std::uint8_t>(writes_[i] | other.writes_[i]);
    reads_[i] |= other.reads_[i];
  }
  return changed;
}

void Pending::join_guards(std::size_t i, const Pending& other) {
  if (other.writes_[i] != 0)
    writer_guard_[i] = writes_[i] == 0 || writer_guard_[i] == other.writer_guard_[i]
                           ? other.writer_guard_[i]
                           : GuardCode{0};
  if (other.reads_[i] == 0) return;
  const bool first = reads_[i] == 0;
  reader_guard_[i] =
      first || reader_guard_[i] == other.reader_guard_[i] ? other.reader_guard_[i] : GuardCode{0};
  read_in_order_[i] = other.read_in_order_[i] && (first || read_in_order_[i]);
}

unsigned Pending::read_by(std::size_t index) const {
  unsigned mask = 0;
  for (int barrier = 0; barrier < kBarriers; ++barrier)
    if ((reads_[index] & pairs_with(barrier)) != 0) mask |= 1U << barrier;
  return mask;
}

RegisterSet Pending::results_of(unsigned mask) const {
  RegisterSet found;
  for (std::size_t i = 0; i < kRegisters; ++i)
    if ((writes_[i] & mask) != 0) found.set(i);
  return found;
}

RegisterSet Pending::sources_of(unsigned mask) const {
  RegisterSet found;
  const std::uint64_t pairs = pairs_of(mask);
  for (std::size_t i = 0; i < kRegisters; ++i)
    if ((reads_[i] & pairs) != 0) found.set(i);
  return found;
}

RegisterSet Pending::unwritten(const Instruction& instruction) const {
  RegisterSet found;
  for_each_register(instruction.uses | instruction.defs, [&](std::size_t index) {
    found[index] = writes_[index] != 0 && !excludes(writer_guard_[index], instruction);
  });
  return found;
}

RegisterSet Pending::unread(const Instruction& instruction) const {
  RegisterSet found;
  const bool in_order = uses_memory_pipe(instruction);
  for_each_register(instruction.defs, [&](std::size_t index) {
    found[index] = reads_[index] != 0 && !excludes(reader_guard_[index], instruction) &&
                   !(in_order && read_in_order_[index]);
  });
  return found;
}

unsigned waits_of(const Instruction& instruction) {
  unsigned mask = instruction.control().wait_mask;
  if (instruction.base_opcode() != "DEPBAR") return mask;
  const std::size_t at = instruction.operands.find("SB");
  if (at != std::string::npos && at + 2 < instruction.operands.size()) {
    const int number = instruction.operands[at + 2] - '0';
    if (number >= 0 && number < kBarriers) mask |= 1U << number;
  }
  // "DEPBAR {5,4}" waits for a list of them.
  if (const std::size_t open = instruction.operands.find('{'); open != std::string::npos)
    for (const char digit : instruction.operands.substr(open))
      if (digit >= '0' && digit < '0' + kBarriers) mask |= 1U << (digit - '0');
  return mask;
}

std::vector<Pending> pending_at_entry(const Function& function) {
  std::vector<Pending> entry(function.blocks.size());
  std::deque<std::size_t> work;
  std::vector<bool> queued(function.blocks.size(), true);
  for (std::size_t b = 0; b < function.blocks.size(); ++b) work.push_back(b);
  while (!work.empty()) {
    const std::size_t b = work.front();
    work.pop_front();
    queued[b] = false;
    Pending state = entry[b];
    for (std::size_t i = function.blocks[b].first; i < function.blocks[b].end; ++i) {
      state.wait(waits_of(function.code[i]));
      state.issue(function.code[i]);
    }
    for (const std::size_t next : function.blocks[b].successors) {
      if (!entry[next].merge(state) || queued[next]) continue;
      queued[next] = true;
      work.push_back(next);
    }
  }
  return entry;
}

}  // namespace warpwright::sass
