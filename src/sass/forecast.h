// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include "sass/program.h"

namespace warpwright::sass {

/// All that a forecast needs of an instruction.
struct ForecastStep {
  unsigned waits = 0;
  int write_barrier = kNoBarrier, read_barrier = kNoBarrier;
  bool in_pipe = false;  ///< takes the pipe, and comes back some time later
  std::size_t pipe = 0;
  double result = 0, read = 0, occupies = 0;  ///< cycles
};
ForecastStep forecast_step(const Instruction& instruction, double global_cycles);

/// How one warp that has a scheduler for itself gets through code: stalls, and waits for
/// scoreboards whose setters take the time that is usual on Hopper. Other warps, misses and
/// conflicts are left out, so it ranks orders of the same code, and says little of times.
class Forecast {
 public:
  /// `global_cycles`: what a load from global memory takes.
  explicit Forecast(double global_cycles) : global_cycles_(global_cycles) {}

  void issue(const Instruction& instruction, int stall) {
    issue(forecast_step(instruction, global_cycles_), stall);
  }
  /// The same of a step that was made for the same cycles.
  void issue(const ForecastStep& step, int stall);
  [[nodiscard]] double now() const { return now_; }

 private:
  static constexpr std::size_t kPipes = 2;

  double global_cycles_;
  double now_ = 0;
  std::array<double, kBarriers> free_at_ = {};
  std::array<double, kPipes> pipe_free_at_ = {};
};

/// Cycles of one round of these blocks, in this order, when they are run again and again (`loops`),
/// or once.
double forecast_cycles(const Function& function, std::span<const std::size_t> blocks, bool loops,
                       double global_cycles);

/// The innermost loops of a function, each as its blocks in the order in memory.
std::vector<std::vector<std::size_t>> innermost_loops(const Function& function);

}  // namespace warpwright::sass
