// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>

#include "base/clock.h"

namespace warpwright::llm {

/// Spreads requests over time: at most so many requests and tokens in any minute, and none while
/// the provider asked for a pause. Zero is no limit. Safe to share between threads.
class RateLimit {
 public:
  RateLimit(double requests_per_minute, double tokens_per_minute)
      : requests_per_minute_(requests_per_minute), tokens_per_minute_(tokens_per_minute) {}

  /// Zero: go, and the request is counted. Otherwise ask again after that time. A request larger
  /// than a whole minute's tokens goes alone.
  Nanoseconds admit(Nanoseconds now, std::int64_t tokens);
  /// Nobody goes before `until`.
  void hold(Nanoseconds until);

 private:
  struct Sent {
    Nanoseconds when;
    std::int64_t tokens;
  };

  double requests_per_minute_;
  double tokens_per_minute_;
  std::mutex mutex_;
  Nanoseconds held_until_{0};
  std::deque<Sent> last_minute_;
};

}  // namespace warpwright::llm
