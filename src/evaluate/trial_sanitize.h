// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "evaluate/job.h"
#include "evaluate/station.h"
#include "evaluate/trial_state.h"

namespace warpwright::evaluate {

/// Some of the trial's cases for slow and careful runs: the largest of at most `max_bytes`, then
/// some with special inputs.
std::vector<verify::Case> small_cases(const TrialState& state, std::uint64_t max_bytes);

/// Those of more than `beyond_bytes` and at most `max_bytes`, the smallest first, then some with
/// special inputs.
std::vector<verify::Case> larger_cases(const TrialState& state, std::uint64_t beyond_bytes,
                                       std::uint64_t max_bytes);

/// What a careful run on the SIMT machine says of small cases, and of larger ones as far as there
/// was time.
struct CarefulRun {
  bool complete = false;              ///< every small case ran to its end with full checks
  std::string why_not;                ///< else
  std::vector<device::Fault> faults;  ///< memory faults and races of the first case that has any
  verify::Case item;                  ///< that case
};
CarefulRun run_carefully(TrialState& state);

/// The same before a GPU is taken. Ends the trial when it finds anything; else the sanitize stage
/// knows already.
Next look_before(TrialState& state);

/// The program that replays this trial's plans, in a job directory under `folder`.
Result<std::vector<std::string>> replay_command(const TrialState& state,
                                                const std::filesystem::path& folder);

/// `warpwright worker --replay-only JOBDIR`: builds and records like a trial, then runs the plans
/// of small cases once each on bare buffers, and nothing else, so that a tool can watch. With
/// `only_size`, that timed size instead.
Status replay_only(const JobDirectory& job, const std::string& only_size, Station& station,
                   const StopSignal& stop);

}  // namespace warpwright::evaluate
