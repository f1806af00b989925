// SPDX-License-Identifier: Apache-2.0
#include "sass/border.h"

#include <algorithm>
#include <deque>

#include "sass/pending.h"

namespace warpwright::sass {

namespace {

std::uint8_t left_of(int whole, int passed) {
  return static_cast<std::uint8_t>(std::max(0, whole - passed));
}

void issue_fence(RecentFences& fences, const std::string& opcode, int since) {
  if (since >= kFenceReach) return;
  const auto [row, is_new] = fences.emplace(opcode, since);
  if (!is_new) row->second = std::min(row->second, since);
}

RecentFences fences_behind(const Function& function, const Block& block,
                           const RecentFences& entry) {
  RecentFences now;
  const int count = static_cast<int>(block.end - block.first);
  for (const auto& [opcode, since] : entry) issue_fence(now, opcode, since + count);
  int left = 0;
  for (std::size_t i = block.end; i-- > block.first;) {
    left += function.code[i].control().stall;
    if (holds_back(function.code[i], function.is_fence(i)))
      issue_fence(now, function.code[i].opcode, left);
  }
  return now;
}

/// What a block leaves behind. Another order of it keeps each distance to its end where that
/// matters; of its length only one cycle per instruction is certain.
Border behind(const Function& function, const Block& block, const Border& entry,
              const LatencyTable& table) {
  Border now = entry;
  now.fences = fences_behind(function, block, entry.fences);
  const int count = static_cast<int>(block.end - block.first);
  for (std::size_t r = 0; r < kRegisters; ++r) {
    now.result[r] = left_of(now.result[r], count);
    now.source[r] = left_of(now.source[r], count);
  }
  int left = 0;
  for (std::size_t i = block.first; i < block.end; ++i) left += function.code[i].control().stall;
  for (std::size_t i = block.first; i < block.end; ++i) {
    const Instruction& instruction = function.code[i];
    const Control control = instruction.control();
    const bool guarded = control.write_barrier != kNoBarrier || returns_in_order(instruction);
    const std::uint8_t result = guarded ? 0 : left_of(slowest_result(instruction, table), left);
    for_each_register(instruction.defs, [&](std::size_t r) {
      now.result[r] = instruction.guard ? std::max(now.result[r], result) : result;
      if (!instruction.guard) now.source[r] = 0;
    });
    const std::uint8_t source =
        control.read_barrier == kNoBarrier ? left_of(slowest_source(instruction), left) : 0;
    for_each_register(instruction.uses,
                      [&](std::size_t r) { now.source[r] = std::max(now.source[r], source); });
    left -= control.stall;
  }
  return now;
}

}  // namespace

bool Border::merge(const Border& other) {
  bool changed = false;
  for (std::size_t r = 0; r < kRegisters; ++r) {
    changed = changed || other.result[r] > result[r] || other.source[r] > source[r];
    result[r] = std::max(result[r], other.result[r]);
    source[r] = std::max(source[r], other.source[r]);
  }
  for (const auto& [opcode, since] : other.fences) {
    const auto [row, is_new] = fences.emplace(opcode, since);
    changed = changed || is_new || since < row->second;
    row->second = std::min(row->second, since);
  }
  return changed;
}

int slowest_result(const Instruction& instruction, const LatencyTable& table) {
  const auto first = table.most_of(instruction.opcode);
  const auto others = table.most_of(instruction.opcode + "+1");
  if (!first && !others) return kSlowestResult;
  return std::max(first.value_or(0), others.value_or(0));
}

int slowest_source(const Instruction& instruction) {
  const bool late = uses_memory_pipe(instruction) ||
                    instruction.control().write_barrier != kNoBarrier ||
                    instruction.base_opcode().ends_with("MMA") || !may_move(instruction);
  return late ? kSlowestSource : 0;
}

std::vector<Border> borders_of(const Function& function, const LatencyTable& table) {
  std::vector<Border> entry(function.blocks.size());
  std::deque<std::size_t> work;
  std::vector<bool> queued(function.blocks.size(), true);
  for (std::size_t b = 0; b < function.blocks.size(); ++b) {
    work.push_back(b);
    if (!function.blocks[b].entered_unknown) continue;
    entry[b].result.fill(kSlowestResult);
    entry[b].source.fill(kSlowestSource);
  }
  while (!work.empty()) {
    const std::size_t b = work.front();
    work.pop_front();
    queued[b] = false;
    const Border out = behind(function, function.blocks[b], entry[b], table);
    for (const std::size_t next : function.blocks[b].successors) {
      if (!entry[next].merge(out) || queued[next]) continue;
      queued[next] = true;
      work.push_back(next);
    }
  }
  return entry;
}

}  // namespace warpwright::sass
