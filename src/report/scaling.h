// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "store/records.h"

namespace warpwright::report {

/// What more answers would have brought, from one run. A value is the speed-up over the baseline
/// (where there is none, over the run's first valid kernel), and 0 for an answer that is not valid.
struct Scaling {
  std::string run, task, strategy;
  std::size_t answers = 0;      ///< that were judged
  std::size_t independent = 0;  ///< of them, to questions that refine nothing
  /// [k-1]: the expected best of k of the independent answers.
  std::vector<double> parallel;
  /// [k-1]: the best of the run's first k answers, in the order of its rounds.
  std::vector<double> serial;
  /// [t-1]: the mean over all chains (an answer and what it refines, back to the first) that are
  /// at least t long of the best within their first t turns.
  std::vector<double> turns;
};

Scaling scaling_of(const store::RunRecord& run, const std::vector<store::TrialRecord>& trials);

/// The expected largest of k values drawn from these without putting back, for k = 1 ... n.
std::vector<double> expected_best(std::vector<double> values);

}  // namespace warpwright::report
