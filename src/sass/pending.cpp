// SPDX-License-Identifier: Apache-2.0
#include "sass/pending.h"

#include <algorithm>
#include <deque>

namespace warpwright::sass {

namespace {

using Masks = std::uint64_t;

constexpr Masks one_mask(unsigned mask) { return Masks{1} << mask; }

/// All masks that have the scoreboard.
constexpr Masks masks_with(int barrier) {
  Masks masks = 0;
  for (unsigned mask = 0; mask < 1U << kBarriers; ++mask)
    if ((mask >> barrier & 1) != 0) masks |= one_mask(mask);
  return masks;
}

constexpr std::array<Masks, kBarriers> kMasksWith = [] {
  std::array<Masks, kBarriers> masks = {};
  for (int barrier = 0; barrier < kBarriers; ++barrier)
    masks[static_cast<std::size_t>(barrier)] = masks_with(barrier);
  return masks;
}();

/// All masks that a wait for these scoreboards satisfies.
Masks satisfied_by(unsigned waits) {
  Masks masks = 0;
  for (std::size_t barrier = 0; barrier < kBarriers; ++barrier)
    if ((waits >> barrier & 1) != 0) masks |= kMasksWith[barrier];
  return masks;
}

/// The same masks, each with one more scoreboard.
Masks extended(Masks masks, int barrier) {
  const Masks with = kMasksWith[static_cast<std::size_t>(barrier)];
  return (masks & with) | (masks & ~with) << (1U << barrier);
}

unsigned bit_of(int barrier) { return barrier < kBarriers ? 1U << barrier : 0U; }

}  // namespace

Queue queue_of(const Instruction& instruction) {
  const std::string_view base = instruction.base_opcode();
  if (base == "LDS" || base == "LDSM") return Queue::shared_loads;
  static constexpr auto kConversions = std::to_array<std::string_view>(
      {"I2F", "F2I", "F2F", "I2I", "FRND", "MUFU", "POPC", "FLO", "BREV"});
  static constexpr auto kDoubles =
      std::to_array<std::string_view>({"DADD", "DMUL", "DFMA", "DSETP"});
  const auto is_in = [&](const auto& names) {
    return std::find(names.begin(), names.end(), base) != names.end();
  };
  if (is_in(kConversions)) return Queue::conversions;
  return is_in(kDoubles) ? Queue::doubles : Queue::none;
}

bool reads_late(const Instruction& instruction) {
  const Control control = instruction.control();
  return uses_memory_pipe(instruction) || control.write_barrier < kBarriers ||
         control.read_barrier < kBarriers;
}

void Pending::wait(unsigned mask) {
  if (mask == 0) return;
  const Masks satisfied = satisfied_by(mask);
  for (std::size_t i = 0; i < kRegisters; ++i) {
    writes_[i] &= ~satisfied;
    open_writes_[i] &= ~satisfied;
    reads_[i] &= ~satisfied;
    open_reads_[i] &= ~satisfied;
  }
}

Pending::GuardCode Pending::code_of(const Guard& guard) {
  return static_cast<GuardCode>(guard.predicate * 2 + (guard.negated ? 1 : 0));
}

bool Pending::excludes(GuardCode code, const Instruction& instruction) {
  return code != 0 && instruction.guard && (code_of(*instruction.guard) ^ 1) == code;
}

void Pending::ride(const Instruction& instruction) {
  const Control control = instruction.control();
  if (returns_in_order(instruction) && control.write_barrier < kBarriers)
    for (Masks& masks : open_writes_) masks = extended(masks, control.write_barrier);
  if (!uses_memory_pipe(instruction)) return;
  for (const int barrier : {control.write_barrier, control.read_barrier})
    if (barrier < kBarriers)
      for (Masks& masks : open_reads_) masks = extended(masks, barrier);
}

void Pending::add_result(std::size_t index, const Instruction& instruction) {
  const int barrier = instruction.control().write_barrier;
  const GuardCode guard = instruction.guard ? code_of(*instruction.guard) : GuardCode{0};
  const Queue queue = queue_of(instruction);
  const bool first = !is_unwritten(index);
  if (first) writer_queue_[index] = queue;
  if (writer_queue_[index] != queue) writer_queue_[index] = Queue::none;
  if (!first && barrier < kBarriers && writer_queue_[index] != Queue::none) {
    writes_[index] = extended(writes_[index], barrier);
    open_writes_[index] = extended(open_writes_[index], barrier);
  }
  writer_guard_[index] = first ? guard : GuardCode{0};
  Masks& masks = barrier < kBarriers ? writes_[index] : open_writes_[index];
  masks |= one_mask(bit_of(barrier));
}

void Pending::issue(const Instruction& instruction) {
  const Control control = instruction.control();
  const GuardCode guard = instruction.guard ? code_of(*instruction.guard) : GuardCode{0};
  ride(instruction);
  const bool guarded = control.write_barrier < kBarriers;
  if (guarded || returns_in_order(instruction))
    for_each_register(instruction.defs, [&](std::size_t index) { add_result(index, instruction); });
  const bool in_order = uses_memory_pipe(instruction);
  if (!instruction.guard)
    for_each_register(instruction.defs, [&](std::size_t index) { open_reads_[index] = 0; });
  if (reads_late(instruction)) {
    const bool own = control.read_barrier < kBarriers || !in_order;
    const Masks mask = one_mask(bit_of(control.read_barrier) | bit_of(control.write_barrier));
    // Predicates and uniform registers are read when the instruction issues.
    for_each_register(instruction.uses & ~instruction.defs, [&](std::size_t index) {
      if (bank_of(index) != Bank::general) return;
      if (!is_unread(index)) reader_queue_[index] = queue_of(instruction);
      if (reader_queue_[index] != queue_of(instruction)) reader_queue_[index] = Queue::none;
      reader_guard_[index] = is_unread(index) ? GuardCode{0} : guard;
      read_in_order_[index] = in_order && (!is_unread(index) || read_in_order_[index]);
      (own ? reads_ : open_reads_)[index] |= mask;
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
  const auto join = [&](Masks& mine, Masks theirs) {
    changed = changed || (theirs & ~mine) != 0;
    mine |= theirs;
  };
  for (std::size_t i = 0; i < kRegisters; ++i) {
    join_guards(i, other);
    join_queues(i, other);
    join(writes_[i], other.writes_[i]);
    join(open_writes_[i], other.open_writes_[i]);
    join(reads_[i], other.reads_[i]);
    join(open_reads_[i], other.open_reads_[i]);
  }
  return changed;
}

void Pending::join_guards(std::size_t i, const Pending& other) {
  if (other.is_unwritten(i))
    writer_guard_[i] = !is_unwritten(i) || writer_guard_[i] == other.writer_guard_[i]
                           ? other.writer_guard_[i]
                           : GuardCode{0};
  if (!other.is_unread(i)) return;
  const bool first = !is_unread(i);
  reader_guard_[i] =
      first || reader_guard_[i] == other.reader_guard_[i] ? other.reader_guard_[i] : GuardCode{0};
  read_in_order_[i] = other.read_in_order_[i] && (first || read_in_order_[i]);
}

void Pending::join_queues(std::size_t i, const Pending& other) {
  const auto join = [](Queue& mine, Queue theirs, bool first) {
    if (first) mine = theirs;
    if (mine != theirs) mine = Queue::none;
  };
  if (other.is_unwritten(i)) join(writer_queue_[i], other.writer_queue_[i], !is_unwritten(i));
  if (other.is_unread(i)) join(reader_queue_[i], other.reader_queue_[i], !is_unread(i));
}

RegisterSet Pending::results_of(unsigned mask) const {
  RegisterSet found;
  const Masks satisfied = satisfied_by(mask);
  for (std::size_t i = 0; i < kRegisters; ++i)
    if (((writes_[i] | open_writes_[i]) & satisfied) != 0) found.set(i);
  return found;
}

RegisterSet Pending::sources_of(unsigned mask) const {
  RegisterSet found;
  const Masks satisfied = satisfied_by(mask);
  for (std::size_t i = 0; i < kRegisters; ++i)
    if (((reads_[i] | open_reads_[i]) & satisfied) != 0) found.set(i);
  return found;
}

RegisterSet Pending::unwritten(const Instruction& instruction) const {
  RegisterSet found;
  const Queue queue = queue_of(instruction);
  for_each_register(instruction.uses | instruction.defs, [&](std::size_t index) {
    const bool behind =
        queue != Queue::none && writer_queue_[index] == queue && !instruction.uses.test(index);
    found[index] = is_unwritten(index) && !behind && !excludes(writer_guard_[index], instruction);
  });
  return found;
}

RegisterSet Pending::unread(const Instruction& instruction) const {
  RegisterSet found;
  const bool in_order = uses_memory_pipe(instruction);
  const Queue queue = queue_of(instruction);
  for_each_register(instruction.defs, [&](std::size_t index) {
    const bool behind = queue != Queue::none && reader_queue_[index] == queue;
    found[index] = is_unread(index) && !behind && !excludes(reader_guard_[index], instruction) &&
                   !(in_order && read_in_order_[index]);
  });
  return found;
}

unsigned waits_of(const Instruction& instruction) {
  unsigned mask = instruction.control().wait_mask;
  if (!instruction.opcode.starts_with("DEPBAR")) return mask;
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
