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

// The rule adjacent_exchange is about the work of a call, which only the SIMT machine counts
// (trial_work.cpp).

/// A size that nobody knows beforehand, recorded with the others.
void draw_work_size(TrialState& state);

/// After a run with right results: whether it did the work that the task's method takes. Of a
/// device that counts; others leave it to judge_work_by_size().
Result<Next> judge_work(TrialState& state, const LoadedCase& loaded,
                        const device::RunReport& report);

/// The same for the size that was drawn, all timed sizes and the plain edge sizes, each run once on
/// the SIMT machine unless it was judged already, as far as time allows. Says in a note which sizes
/// could not be judged.
Next judge_work_by_size(TrialState& state);

}  // namespace warpwright::evaluate
