// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "cli/sass_improve.h"
#include "evaluate/job.h"
#include "search/engine.h"
#include "store/archive.h"

namespace warpwright::cli {

/// Tunes the machine code of one source; an error is the world's.
using TuneSource =
    std::function<Result<SassTuned>(const evaluate::JobRequest& request, double minutes)>;

/// The step of a run after its winner is known: its machine code is tuned for at most so many
/// minutes, and the result is stored beside the judged source, never in its place. What is stored
/// already is not made again. Without a GPU here, and after any trouble, there is a note and the
/// run ends as it would have.
struct ScheduleStep {
  store::Archive& archive;
  const store::RunRecord& run;
  evaluate::JobRequest pattern;
  std::string no_gpu;  ///< why there is none to tune on; empty: there is
  double minutes = 0;
  TuneSource tune;
};
void tune_schedule(const ScheduleStep& step, const search::Ending& ending,
                   search::Observer& observer);

}  // namespace warpwright::cli
