// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace warpwright::simt {

/// In which order blocks, warps, ways of a branch and lanes of an atomic get their turns. A GPU may
/// do each of them; a kernel that is right under one and wrong under another has a race.
struct Schedule {
  enum class Kind : std::uint8_t {
    forward,   ///< blocks one after the other, warps by number
    backward,  ///< the last of everything first; a block that waits lets the next one start
    shuffled,  ///< by seed, in short turns, several blocks at once; one that waits lets more start;
               ///< lanes of some warps go in groups, each at its own pace
    few,       ///< blocks start in order, `resident` at a time, in short turns by seed: one that
               ///< waits for a block that cannot start waits for ever, unless the device holds the
               ///< whole grid (LaunchOptions::co_resident)
  };
  Kind kind = Kind::forward;
  std::uint64_t seed = 1;
  std::uint32_t resident = 3;

  /// Turns end in the middle of things, at atomics and volatile accesses above all.
  [[nodiscard]] bool in_short_turns() const { return kind == Kind::shuffled || kind == Kind::few; }
  bool operator==(const Schedule&) const = default;
};

/// "forward", "backward", "shuffled[:SEED]", "few[:RESIDENT[:SEED]]".
Result<Schedule> schedule_named(std::string_view text);
/// The same text; names only what is not the usual.
std::string name_of(const Schedule& schedule);

/// The numbers behind a schedule: the same for the same seed.
class Turns {
 public:
  Turns() = default;
  explicit Turns(const Schedule& schedule);

  [[nodiscard]] bool shorts() const { return shorts_; }
  /// Warp instructions until the next turn, in short turns.
  std::int64_t short_turn();
  /// Whether a turn ends at this atomic or volatile access.
  bool ends_here() { return shorts_ && next() % 4 == 0; }
  /// Which way of a branch goes first: false as the machine always did.
  bool other_way_first() { return usual_ ? false : swapped_ || (shorts_ && next() % 2 == 0); }
  /// Lane k of an atomic's order is k ^ lanes().
  std::uint32_t lanes();
  /// Into how many groups a warp's lanes fall that go apart; 1: they stay together.
  std::uint32_t lane_groups() { return parts_ ? kLaneGroups[next() % kLaneGroups.size()] : 1; }
  /// 0 to groups - 1.
  std::uint32_t group_of_lane(std::uint32_t groups) {
    return static_cast<std::uint32_t>(next() % groups);
  }
  /// 0 to count - 1, each once. Valid until the next call.
  std::span<const std::uint32_t> order(std::size_t count);

 private:
  std::uint64_t next();

  static constexpr std::array<std::uint32_t, 4> kLaneGroups = {1, 2, 3, 5};

  bool usual_ = true, swapped_ = false, shorts_ = false, parts_ = false;
  std::uint64_t state_ = 0;
  std::vector<std::uint32_t> order_;
};

/// Which block starts when: the index of the unit that starts as number `i` of `count`. Where only
/// `window` fit on the device, windows follow each other in order.
class StartOrder {
 public:
  StartOrder() = default;
  StartOrder(const Schedule& schedule, std::uint64_t count, std::uint64_t window);
  [[nodiscard]] std::uint64_t operator()(std::uint64_t i) const {
    return order_.empty() ? i : order_[i];
  }

 private:
  std::vector<std::uint32_t> order_;
};

}  // namespace warpwright::simt
