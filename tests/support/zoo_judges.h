// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/files.h"
#include "core/evaluation.h"
#include "support/zoo.h"

namespace warpwright {

/// Judges members on the SIMT machine in the background, two at a time: compilers, most of the
/// time, wait for nothing.
class ZooJudges {
 public:
  struct Settings {
    bool short_timeouts = false;  ///< members that may get a timeout have ten seconds
    double limit_s = 300;         ///< for all others
    std::optional<std::uint64_t> seed = std::nullopt;
  };

  /// `members` outlives this. `waiting` are numbers of members, in the order to judge them.
  ZooJudges(const std::vector<ZooMember>& members, std::deque<std::size_t> waiting,
            Settings settings);

  /// Waits for a member's turn.
  Evaluation result(std::size_t member);

 private:
  void work();
  Evaluation judge(const ZooMember& member) const;

  const std::vector<ZooMember>& members_;
  Settings settings_;
  TemporaryDirectory shared_;
  std::deque<std::size_t> waiting_;
  std::map<std::size_t, Evaluation> results_;
  std::mutex mutex_;
  std::condition_variable done_;
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace warpwright
