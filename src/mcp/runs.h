// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/archive.h"

namespace warpwright::mcp {

/// Oldest first; none where there is no archive yet.
Result<std::vector<store::RunRecord>> all_runs(const std::filesystem::path& archive);

struct RunStory {
  store::RunRecord run;
  std::vector<store::TrialRecord> trials;
};
/// By id, unique beginning of an id, or "last".
Result<RunStory> run_story(const std::filesystem::path& archive, const std::string& name);

/// The trial of that name; the best one for "" and "best".
Result<const store::TrialRecord*> trial_named(const RunStory& story, const std::string& name);

}  // namespace warpwright::mcp
