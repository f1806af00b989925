// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluate/trial_runs.h"
#include "evaluate/trial_state.h"

namespace warpwright::evaluate {

// The rules of the lane and the task, decided as soon as each can be: docs/judge.md. Baselines are
// our own and not held to them.

/// After the build, on the device code. Also leaves the census of it as a finding.
Next judge_device_code(TrialState& state);

/// After recording, on the plans.
Next judge_plans(TrialState& state);

/// After a run with right results: whether it did the work that the task's method takes.
Result<Next> judge_work(TrialState& state, const LoadedCase& loaded,
                        const device::RunReport& report);

}  // namespace warpwright::evaluate
