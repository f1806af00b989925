// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/stop.h"
#include "core/evaluation.h"
#include "evaluate/job.h"
#include "evaluate/station.h"

namespace warpwright::evaluate {

/// The life of a candidate from source to verdict, in this process: lint, build, record, validate,
/// measure. The first bad stage decides. `scratch` is a directory for what the stages write.
/// A world that fails the judge is the verdict harness_error with the reason.
Evaluation run_trial(const JobRequest& request, const std::filesystem::path& scratch,
                     Station& station, const StopSignal& stop);

/// The same with a station for this trial alone.
Evaluation run_trial(const JobRequest& request, const std::filesystem::path& scratch,
                     const StopSignal& stop);

/// The stages that need no device. Absent: nothing was wrong so far, and what was built is in the
/// request's cache for the trial itself.
std::optional<Evaluation> prepare_trial(const JobRequest& request,
                                        const std::filesystem::path& scratch, Station& station,
                                        const StopSignal& stop);

}  // namespace warpwright::evaluate
