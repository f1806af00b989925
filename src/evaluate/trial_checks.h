// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <future>
#include <vector>

#include "evaluate/trial_runs.h"

namespace warpwright::evaluate {

/// Checks results on other threads while the device goes on. What is found is told in the order of
/// the cases, whatever ends first, and under the stage that the results come from.
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
  /// Takes the case's inputs; settles old checks when too much is under way.
  Result<Next> add(LoadedCase& loaded, std::vector<verify::Expected> expected, Results results);
  /// The same for timed calls with the same inputs. What is expected is computed on the other
  /// thread, too.
  Result<Next> add_timed(LoadedCase& loaded, std::vector<Fetched> runs);

  /// What has ended by now. Ends the trial by the first that is wrong, as the others do.
  Result<Next> settle_ready();
  /// All of the validation; what is left needs no device.
  Result<Next> settle_validation();
  Result<Next> settle_all();

 private:
  struct Outcome {
    std::optional<Wrong> wrong;
    std::size_t run = 0;
  };
  struct Pending {
    verify::Case item;
    std::uint64_t seed = 0;
    Stage stage = Stage::validate;
    std::uint64_t bytes = 0;  ///< held, about
    std::vector<Finding> findings;
    std::future<Result<Outcome>> outcome;
  };
  Result<Next> push(Pending pending);
  Result<Next> settle_first();
  Result<Next> end_with_outcome(const Pending& pending, const Outcome& outcome);

  TrialState& state_;
  std::deque<Pending> pending_;
};

}  // namespace warpwright::evaluate
