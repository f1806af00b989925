// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "sass/check.h"
#include "sass/replay.h"
#include "sass/retime.h"

namespace warpwright::sass {

using Random = std::mt19937_64;

/// One order and one set of yields for each block of a function.
struct Schedule {
  std::vector<Order> orders;
  std::vector<std::vector<std::uint8_t>> yields;  ///< by instruction as it was built

  bool operator==(const Schedule&) const = default;
};

/// A run of instructions that may change places.
struct Region {
  std::size_t block = 0, begin = 0, end = 0;  ///< numbers within the block
  double weight = 1;                          ///< how much of a kernel's time it may be

  [[nodiscard]] std::size_t size() const { return end - begin; }
};

/// A function that is to be scheduled anew, and all that its schedules have to keep.
class Kernel {
 public:
  /// `function` must outlive it.
  Kernel(const Function& function, LatencyTable table);

  [[nodiscard]] const Function& function() const { return function_; }
  [[nodiscard]] const LatencyTable& table() const { return table_; }
  [[nodiscard]] const std::vector<BlockGraph>& graphs() const { return graphs_; }
  [[nodiscard]] const std::vector<Region>& regions() const { return regions_; }
  [[nodiscard]] Schedule original() const;
  /// By weight. There must be one.
  [[nodiscard]] const Region& any_region(Random& random) const;
  [[nodiscard]] const Instruction& at(std::size_t block, std::uint32_t number) const {
    return function_.code[graphs_[block].first + number];
  }

  /// The function under a schedule, retimed. Nothing where it is not legal, or where the checker
  /// finds a hazard: then the rules contradict each other, and the schedule is not to be used.
  [[nodiscard]] std::optional<Function> apply(const Schedule& schedule) const;
  /// The sum of stalls over all blocks, each counted by its weight.
  [[nodiscard]] double issue_cycles(const Function& scheduled) const;

 private:
  const Function& function_;
  LatencyTable table_;
  std::vector<BlockGraph> graphs_;
  EarlyUses early_;
  std::vector<Region> regions_;
  std::vector<double> block_weight_;
};

/// Greedy list scheduling of one region: of those that are ready, the one with the highest
/// priority. Nothing where the rest would need a stall that is too long.
std::optional<Order> list_schedule(const Kernel& kernel, const Region& region, const Order& order,
                                   const std::vector<double>& priority);

/// A random legal schedule of the whole function.
Schedule random_schedule(const Kernel& kernel, Random& random);

}  // namespace warpwright::sass
