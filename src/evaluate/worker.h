// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "base/stop.h"
#include "core/evaluation.h"
#include "evaluate/job.h"
#include "evaluate/station.h"

namespace warpwright::evaluate {

/// `warpwright worker JOBDIR`: reads the request, runs the trial, writes the result. A request
/// that cannot be read also ends in a result file (harness_error), so that whoever waits for one
/// gets it; the error is for a directory that cannot be written.
Result<Evaluation> work(const JobDirectory& job, Station& station, const StopSignal& stop);

/// The stages that need no device. Absent: the job still wants work(); else the result is there.
Result<std::optional<Evaluation>> prepare(const JobDirectory& job, Station& station,
                                          const StopSignal& stop);

/// What to write when the request itself is bad.
Evaluation unreadable(const Error& error);

}  // namespace warpwright::evaluate
