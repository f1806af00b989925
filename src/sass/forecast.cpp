// SPDX-License-Identifier: Apache-2.0
#include "sass/forecast.h"

#include <algorithm>

#include "sass/pending.h"

namespace warpwright::sass {

namespace {

/// Cycles until a result is there and until sources are read, the pipe, and for how long it is
/// taken.
struct PipeCost {
  double result = 24, read = 12;
  std::size_t pipe = 1;
  double occupies = 2;
};

constexpr std::size_t kMemoryPipe = 0;
constexpr double kSharedLoad = 23, kMatrixLoad = 33, kShuffle = 23, kStoreRead = 20,
                 kSharedAtomic = 60;
constexpr double kFunctionUnit = 18, kDoubleUnit = 8;

double quads_of(const Instruction& instruction) {
  if (instruction.opcode.find(".128") != std::string::npos) return 4;
  return instruction.opcode.find(".64") != std::string::npos ? 2 : 1;
}

// Latencies of L1 and shared memory as microbenchmarks of Hopper have them, rounded; who shares a
// scoreboard with whom matters more than a cycle.
PipeCost pipe_cost_of(const Instruction& instruction, double global_cycles) {
  const std::string_view base = instruction.base_opcode();
  const double quads = quads_of(instruction);
  if (base == "LDS") return {kSharedLoad + 2 * quads, 12, kMemoryPipe, 2 * quads};
  if (base == "LDSM") return {kMatrixLoad, 12, kMemoryPipe, 8};
  if (base == "SHFL") return {kShuffle, 12, kMemoryPipe, 2};
  if (base == "ATOMS") return {kSharedAtomic, 12, kMemoryPipe, 4};
  if (base.starts_with("ST") || base.starts_with("RED"))
    return {kStoreRead, 12, kMemoryPipe, 2 * quads};
  if (uses_memory_pipe(instruction)) return {global_cycles, 12, kMemoryPipe, 2 * quads};
  if (base == "MUFU" || base == "F2I" || base == "I2F" || base == "F2F" || base == "FRND")
    return {kFunctionUnit, 10, 1, 2};
  if (base.starts_with('D')) return {kDoubleUnit, 8, 1, 2};
  return {};
}

constexpr int kSimulatedRounds = 4;

}  // namespace

void Forecast::issue(const Instruction& instruction, int stall) {
  const unsigned waits = waits_of(instruction);
  for (std::size_t b = 0; b < kBarriers; ++b)
    if ((waits >> b & 1) != 0) now_ = std::max(now_, free_at_[b]);
  const Control control = instruction.control();
  const bool sets = control.write_barrier < kBarriers || control.read_barrier < kBarriers;
  if (sets || uses_memory_pipe(instruction)) {
    const PipeCost cost = pipe_cost_of(instruction, global_cycles_);
    const double start = std::max(now_, pipe_free_at_[cost.pipe]);
    pipe_free_at_[cost.pipe] = start + cost.occupies;
    const auto hold = [&](int barrier, double until) {
      if (barrier >= kBarriers) return;
      double& free_at = free_at_[static_cast<std::size_t>(barrier)];
      free_at = std::max(free_at, until);
    };
    hold(control.write_barrier, start + cost.result);
    hold(control.read_barrier, start + cost.read);
  }
  now_ += stall;
}

double forecast_cycles(const Function& function, std::span<const std::size_t> blocks, bool loops,
                       double global_cycles) {
  Forecast forecast(global_cycles);
  double before = 0;
  for (int round = 0; round < (loops ? kSimulatedRounds : 1); ++round) {
    before = forecast.now();
    for (const std::size_t b : blocks)
      for (std::size_t i = function.blocks[b].first; i < function.blocks[b].end; ++i)
        forecast.issue(function.code[i], function.code[i].control().stall);
  }
  return forecast.now() - before;
}

std::vector<std::vector<std::size_t>> innermost_loops(const Function& function) {
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (std::size_t b = 0; b < function.blocks.size(); ++b)
    for (const std::size_t next : function.blocks[b].successors)
      // What follows the end of a function jumps to itself.
      if (next < b || (next == b && function.blocks[b].end - function.blocks[b].first > 1))
        found.emplace_back(next, b);
  std::vector<std::vector<std::size_t>> loops;
  for (const auto& [first, last] : found) {
    bool inner = true;
    for (const auto& [other_first, other_last] : found)
      if ((other_first != first || other_last != last) && other_first >= first &&
          other_last <= last)
        inner = false;
    if (!inner) continue;
    auto& loop = loops.emplace_back();
    for (std::size_t b = first; b <= last; ++b) loop.push_back(b);
  }
  return loops;
}

}  // namespace warpwright::sass
