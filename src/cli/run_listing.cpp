// SPDX-License-Identifier: Apache-2.0
#include "cli/run_listing.h"

#include <ctime>
#include <filesystem>

#include "cli/session.h"
#include "core/evaluation.h"
#include "store/delete_run.h"

namespace warpwright::cli {

namespace fs = std::filesystem;

Result<ListedRun> listed_run(store::Archive& archive, const store::RunRecord& run) {
  ListedRun listed{.run = run};
  listed.dead = run.status == store::RunStatus::running &&
                !FileLock::is_held(run_folder(archive, run) / "lock");
  if (run.best_trial.empty()) return listed;
  WW_TRY(const auto trials, archive.trials(run.id));
  for (const auto& trial : trials) {
    if (trial.prompt.trial != run.best_trial || !trial.evaluation) continue;
    listed.best_us = score_us(*trial.evaluation);
    listed.speedup = speedup(*trial.evaluation);
  }
  return listed;
}

Result<std::string> delete_run(store::Archive& archive, const std::string& name) {
  WW_TRY(const auto run, archive.find_run(name));
  if (run.id != name && name != "last") {
    return Error{"'" + name + "' is the beginning of '" + run.id +
                 "'; to delete a run, write its whole id"};
  }
  {
    // Whoever works on it would go on writing.
    WW_TRY(const HeldRun held, hold_run(archive, run));
    const SystemClock clock;
    WW_CHECK(store::delete_run(archive.path(), run.id, clock));
  }
  std::error_code code;
  fs::remove_all(run_folder(archive, run), code);
  if (code) {
    return Error{"run '" + run.id + "' is deleted, but its folder '" +
                 run_folder(archive, run).string() + "' is not: " + code.message()};
  }
  return run.id;
}

std::string date_of(std::int64_t unix_ms) {
  const std::time_t seconds = unix_ms / 1000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
  return text;
}

}  // namespace warpwright::cli
