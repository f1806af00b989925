// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>

#include "base/embedded.h"
#include "sass/dependence.h"
#include "sass/fences.h"
#include "sass/latency.h"

namespace warpwright {

// Generated from the tables of this folder.
std::span<const EmbeddedFile> latency_tables();

}  // namespace warpwright

namespace warpwright::sass {

namespace {

// What lies farther apart tells nothing about a minimum.
constexpr int kFarthest = 100;

/// How soon behind each fence ptxas puts others.
void learn_fences(const Function& function, const Block& block, LatencyTable& table) {
  const std::size_t count = block.end - block.first;
  const auto times = issue_times(function, block.first, count);
  for (std::size_t f = 0; f < count; ++f) {
    const Instruction& fence = function.code[block.first + f];
    if (!holds_back(fence, function.is_fence(block.first + f))) continue;
    for (std::size_t i = f + 1; i < count && times[i] - times[f] <= kFenceReach; ++i) {
      const PairName pair = behind_fence_name(fence.opcode, function.code[block.first + i]);
      table.observe(pair.relation, pair.producer, pair.consumer, times[i] - times[f]);
    }
  }
}

void learn_block(const Function& function, const Block& block, LatencyTable& table) {
  const std::size_t count = block.end - block.first;
  const auto times = issue_times(function, block.first, count);
  const auto at = [&](std::size_t i) -> const Instruction& {
    return function.code[block.first + i];
  };
  const auto observe = [&](const PairName& pair, int cycles) {
    if (cycles > kFarthest) return;
    table.observe(pair.relation, pair.producer, pair.consumer, cycles);
    // What is read later than all else says nothing of the others.
    if (!pair.consumer.ends_with(":H"))
      table.observe(pair.relation, pair.producer, std::string(LatencyTable::kAny), cycles);
  };
  for_each_pair(function, block, [&](Cause cause, std::size_t from, std::size_t to, std::size_t r) {
    const Control control = at(from).control();
    const int cycles = times[to] - times[from];
    // Loads without a scoreboard ride with later ones: their distances are no latencies.
    const bool fixed = control.write_barrier == kNoBarrier && !returns_in_order(at(from));
    if (cause == Cause::read && fixed) observe(read_name(at(from), at(to), r), cycles);
    if (cause == Cause::overwrite && fixed) observe(overwrite_name(at(from), at(to), r), cycles);
    if (cause == Cause::after_read && control.read_barrier == kNoBarrier)
      observe(after_read_name(at(from), at(to), r), cycles);
  });
  for (std::size_t i = 0; i + 1 < count; ++i)
    observe(issue_name(at(i), at(i + 1)), at(i).control().stall);
}

}  // namespace

void learn(const Program& program, LatencyTable& table) {
  table.set_architecture(program.cubin().architecture());
  for (const Function& function : program.functions())
    for (const Block& block : function.blocks) {
      learn_block(function, block, table);
      learn_fences(function, block, table);
    }
}

Result<LatencyTable> shipped_table(int architecture) {
  const std::string name = "sm_" + std::to_string(architecture) + ".txt";
  for (const EmbeddedFile& file : latency_tables())
    if (file.path.ends_with(name)) return LatencyTable::parse(file.content);
  return Error{"there is no table of latencies for sm_" + std::to_string(architecture) +
               "; make one from cubins of nvcc with `warpwright sass learn`, and name it with "
               "--table"};
}

}  // namespace warpwright::sass
