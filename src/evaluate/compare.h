// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "base/stop.h"
#include "core/evaluation.h"
#include "evaluate/job.h"
#include "evaluate/station.h"

namespace warpwright::evaluate {

/// The candidate against its rival: both are built, recorded and validated like any candidate,
/// then timed in turns in this process, on the same data at the same addresses. The evaluation is
/// the candidate's, with a comparison; a bad verdict of the rival is there too, and `failed` says
/// whose it is.
Evaluation run_comparison(const JobRequest& request, const std::filesystem::path& scratch,
                          Station& station, const StopSignal& stop);

/// The stages of both that need no device. Absent: nothing was wrong so far.
std::optional<Evaluation> prepare_comparison(const JobRequest& request,
                                             const std::filesystem::path& scratch, Station& station,
                                             const StopSignal& stop);

}  // namespace warpwright::evaluate
