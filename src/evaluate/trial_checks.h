// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <future>

#include "evaluate/trial_runs.h"

namespace warpwright::evaluate {

/// Checks results on other threads while the device runs the next case. What is found is told in
/// the order of the cases, whatever ends first.
class CheckQueue {
 public:
  explicit CheckQueue(TrialState& state) : state_(state) {}
  /// Waits for what is under way: it refers to the trial.
  ~CheckQueue();
  CheckQueue(const CheckQueue&) = delete;
  CheckQueue& operator=(const CheckQueue&) = delete;

  /// Results of one case: of one run, or of two that must both be right.
  struct Results {
    std::vector<Fetched> runs;
    std::vector<Finding> findings;  ///< of the first run
  };
  /// Takes the case's inputs; settles old checks when too many are under way.
  Result<Next> add(LoadedCase& loaded, std::vector<verify::Expected> expected, Results results);
  /// All that is left. Ends the trial by the first that is wrong.
  Result<Next> settle_all();

 private:
  struct Outcome {
    std::optional<Wrong> wrong;
    std::size_t run = 0;
  };
  struct Pending {
    verify::Case item;
    std::uint64_t seed = 0;
    std::vector<Finding> findings;
    std::future<Result<Outcome>> outcome;
  };
  Result<Next> settle_first();
  Result<Next> end_with_outcome(const Pending& pending, const Outcome& outcome);

  TrialState& state_;
  std::deque<Pending> pending_;
};

}  // namespace warpwright::evaluate
