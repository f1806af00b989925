// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/stop.h"
#include "core/evaluation.h"
#include "evaluate/job.h"

namespace warpwright::evaluate {

/// The life of a candidate from source to verdict, in this process: lint, build, record, validate,
/// measure. The first bad stage decides. `scratch` is a directory for what the stages write.
/// A world that fails the judge is the verdict harness_error with the reason.
Evaluation run_trial(const JobRequest& request, const std::filesystem::path& scratch,
                     const StopSignal& stop);

}  // namespace warpwright::evaluate
