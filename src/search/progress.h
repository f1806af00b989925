// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/budget.h"
#include "search/trial.h"

namespace warpwright::search {

/// Where a search stands; what a progress line shows.
struct SearchState {
  int round = 0;
  int to_ask = 0;
  int asking = 0;
  int to_judge = 0;
  int judging = 0;
  int waiting = 0;  ///< questions that only `tell` can answer
  int finished = 0;
  int valid = 0;
  std::optional<double> best_us;
  std::optional<double> best_speedup;
  std::optional<double> best_roofline;
  std::string best_trial;
  std::int64_t live_tokens = 0;  ///< of answers being written right now
  std::string note;              ///< e.g. "rate limit, 12 s"
  Cost spent;
  Cost in_flight;
  Limits limits;
  double elapsed_s = 0;
};

/// Told what happens, on the engine's thread. Never decides anything.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_state(const SearchState& state) = 0;
  virtual void on_trial(const Trial& trial, const SearchState& state) = 0;
  /// "asked", "answered", "failed", "baseline", "limit", ... with a sentence.
  virtual void on_event(std::string_view kind, std::string_view text, const SearchState& state) = 0;
};

}  // namespace warpwright::search
