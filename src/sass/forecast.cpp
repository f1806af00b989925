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

ForecastStep forecast_step(const Instruction& instruction, double global_cycles) {
  const Control control = instruction.control();
  ForecastStep step{.waits = waits_of(instruction),
                    .write_barrier = control.write_barrier,
                    .read_barrier = control.read_barrier};
  const bool sets = control.write_barrier < kBarriers || control.read_barrier < kBarriers;
  step.in_pipe = sets || uses_memory_pipe(instruction);
  if (!step.in_pipe) return step;
  const PipeCost cost = pipe_cost_of(instruction, global_cycles);
  step.pipe = cost.pipe;
  step.result = cost.result;
  step.read = cost.read;
  step.occupies = cost.occupies;
  return step;
}

void Forecast::issue(const ForecastStep& step, int stall) {
  for (std::size_t b = 0; b < kBarriers; ++b)
    if ((step.waits >> b & 1) != 0) now_ = std::max(now_, free_at_[b]);
  if (step.in_pipe) {
    const double start = std::max(now_, pipe_free_at_[step.pipe]);
    pipe_free_at_[step.pipe] = start + step.occupies;
    const auto hold = [&](int barrier, double until) {
      if (barrier >= kBarriers) return;
      double& free_at = free_at_[static_cast<std::size_t>(barrier)];
      free_at = std::max(free_at, until);
    };
    hold(step.write_barrier, start + step.result);
    hold(step.read_barrier, start + step.read);
  }
  now_ += stall;
}

double forecast_cycles(const Function& function, std::span<const std::size_t> blocks, bool loops,
                       double global_cycles) {
  std::vector<std::pair<ForecastStep, int>> steps;
  for (const std::size_t b : blocks)
    for (std::size_t i = function.blocks[b].first; i < function.blocks[b].end; ++i)
      steps.emplace_back(forecast_step(function.code[i], global_cycles),
                         function.code[i].control().stall);
  Forecast forecast(global_cycles);
  double before = 0;
  for (int round = 0; round < (loops ? kSimulatedRounds : 1); ++round) {
    before = forecast.now();
    for (const auto& [step, stall] : steps) forecast.issue(step, stall);
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
