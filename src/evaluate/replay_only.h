// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "evaluate/job.h"
#include "evaluate/stages.h"

namespace warpwright::evaluate {

/// Cases of at most so many bytes are replayed under tools that slow a GPU down.
std::uint64_t watched_bytes(const Prepared& prepared);

/// The program that replays this candidate's plans, in a job directory under `folder`.
Result<std::vector<std::string>> replay_command(const Prepared& prepared, const Context& context,
                                                const std::filesystem::path& folder);

/// `warpwright worker --replay-only JOBDIR`: builds and records like a judgement, then runs the
/// plans of small cases once each on bare buffers, and nothing else, so that a tool can watch. With
/// `only_size`, that timed size instead.
Status replay_only(const JobDirectory& job, const std::string& only_size, Station& station,
                   const StopSignal& stop);

}  // namespace warpwright::evaluate
