// SPDX-License-Identifier: Apache-2.0
#include "mcp/runs.h"

#include "base/files.h"

namespace warpwright::mcp {

Result<std::vector<store::RunRecord>> all_runs(const std::filesystem::path& archive) {
  WW_TRY(const bool there, path_exists(archive));
  if (!there) return std::vector<store::RunRecord>();
  const SystemClock clock;
  WW_TRY(const auto open, store::Archive::open_read_only(archive, clock));
  return open->runs();
}

Result<RunStory> run_story(const std::filesystem::path& archive, const std::string& name) {
  WW_TRY(const bool there, path_exists(archive));
  if (!there) return Error{"there are no runs yet"};
  const SystemClock clock;
  WW_TRY(const auto open, store::Archive::open_read_only(archive, clock));
  RunStory story;
  WW_TRY(story.run, open->find_run(name));
  WW_TRY(story.trials, open->trials(story.run.id));
  return story;
}

Result<const store::TrialRecord*> trial_named(const RunStory& story, const std::string& name) {
  const std::string wanted = name.empty() || name == "best" ? story.run.best_trial : name;
  if (wanted.empty()) return Error{"run '" + story.run.id + "' has no valid kernel yet"};
  for (const auto& trial : story.trials) {
    if (trial.prompt.trial == wanted) return &trial;
  }
  return Error{"run '" + story.run.id + "' has no trial '" + wanted + "'; show_run lists them"};
}

}  // namespace warpwright::mcp
