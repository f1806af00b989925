// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include "sass/program.h"

namespace warpwright::sass {

/// How one warp that has a scheduler for itself gets through code: stalls, and waits for
/// scoreboards whose setters take the time that is usual on Hopper. Other warps, misses and
/// conflicts are left out, so it ranks orders of the same code, and says little of times.
class Forecast {
 public:
  /// `global_cycles`: what a load from global memory takes.
  explicit Forecast(double global_cycles) : global_cycles_(global_cycles) {}

  void issue(const Instruction& instruction, int stall);
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
