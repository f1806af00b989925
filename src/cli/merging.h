// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/task.h"
#include "evaluate/evaluator.h"
#include "portfolio/portfolio.h"
#include "search/engine.h"
#include "store/archive.h"

namespace warpwright::cli {

/// Kind of the trials that were merged, and origin of their answers.
inline constexpr const char* kMergeStep = "merge";

/// The valid kernels of a run by their trials' names, each source once, the best one first; merged
/// ones are left out.
std::vector<portfolio::Part> valid_kernels(const std::vector<store::TrialRecord>& trials,
                                           const std::string& best_trial);

/// Whether the rule set lets several kernel functions stand in one source.
bool may_merge(const std::string& rule_set);

/// The step of a run that merges by size.
struct MergeStep {
  store::Archive& archive;
  const store::RunRecord& run;
  const Task& task;
  std::string rule_set;  ///< that the run's kernels are judged by
  evaluate::Evaluator& evaluator;
  std::vector<portfolio::Part> more;  ///< judged kernels that are no trials: other configurations
  const StopSignal& stop;
};

/// Where no kernel of a search that has come to its end is the fastest at all sizes: one source
/// that calls the fastest by size is judged beside the best kernel, at the price of one evaluation,
/// and stored as the trial BEST.merge. If it is faster, it is the run's best trial. A verdict that
/// is in the archive is not asked for again, if it is of the same two kernels. Without anything to
/// merge, and when the judge fails, there is a note; after a stop the ending says so.
Status merge_best(const MergeStep& step, search::Ending& ending, search::Observer& observer);

}  // namespace warpwright::cli
