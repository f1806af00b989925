// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "evaluate/evaluator.h"
#include "portfolio/portfolio.h"
#include "search/engine.h"
#include "store/archive.h"

namespace warpwright::cli {

struct TuneBudget {
  std::size_t most = 0;   ///< judgements
  std::int64_t kept = 0;  ///< of the run's limit of evaluations, for what comes after
};

/// Tunes the best kernel of a search that has come to its end, where it declares parameters, within
/// the budget and what the run's limit of evaluations leaves. What is faster
/// becomes the run's best trial, BEST.tune. Verdicts are kept in the archive as they come, so that
/// a process that is killed is gone on with; after a stop the ending says so. Returns the valid
/// configurations.
Result<std::vector<portfolio::Part>> tune_best(store::Archive& archive, const store::RunRecord& run,
                                               evaluate::Evaluator& evaluator, TuneBudget budget,
                                               search::Ending& ending, search::Observer& observer,
                                               const StopSignal& stop);

}  // namespace warpwright::cli
