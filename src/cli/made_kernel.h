// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "search/engine.h"
#include "store/archive.h"

namespace warpwright::cli {

// What steps after a search make of judged kernels: its parameters tuned, several merged. The kind
// of such a trial is the step's name, and its source has a verdict in the archive.

/// Stored as a trial of its run, once. Returns it with the name that it has there: where that of
/// `made` belongs to another source, from before the search went on, a number follows it.
Result<search::Trial> store_made(store::Archive& archive, const store::RunRecord& run,
                                 search::Trial made);

/// From now on the run's best trial.
Status take_as_best(store::Archive& archive, const store::RunRecord& run, const search::Trial& made,
                    search::Ending& ending);

/// Whether a step could not end because of a stop: then the ending says so, and resuming goes on.
bool end_if_stopped(search::Ending& ending, const StopSignal& stop);

}  // namespace warpwright::cli
