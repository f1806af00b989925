// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>

#include "fleet/spool.h"

namespace warpwright::fleet {

/// Finds the next job for a pilot: queues take turns, so that no search waits for another's many
/// jobs. One thread looks at a time, the others wait for it.
class Taker {
 public:
  Taker(const Spool& spool, std::string pilot, std::string gpu_key);

  struct Taken {
    Waiting place;
    evaluate::JobDirectory job;
  };
  /// Looks until there is a job, or `over` says so. `idle` is called while there is none.
  std::optional<Taken> next(const std::function<bool()>& over, const std::function<void()>& idle);

 private:
  void list();
  std::optional<Taken> take_listed();

  const Spool& spool_;
  std::string pilot_;
  std::string gpu_key_;
  std::mutex mutex_;
  std::mt19937_64 random_;
  std::map<std::string, std::deque<std::string>> listed_;  ///< by queue
  std::string last_queue_;
  std::chrono::steady_clock::time_point listed_at_;
};

}  // namespace warpwright::fleet
