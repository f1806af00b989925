// SPDX-License-Identifier: Apache-2.0
#include "core/evaluation_json.h"
#include "store/rows.h"
#include "store/run_log.h"

namespace warpwright::store {

namespace {

Result<std::optional<CandidateRecord>> read_candidate(Database& database, const std::string& run,
                                                      TrialRecord& trial) {
  const Query query = database.statement(
      "SELECT c.source, c.reason, coalesce(t.text, '') FROM candidates c "
      "LEFT JOIN texts t ON t.sha256 = c.source WHERE c.run = ? AND c.trial = ?");
  SQLite::bind(*query, run, trial.prompt.trial);
  if (!query->executeStep()) return std::optional<CandidateRecord>();
  trial.source_sha256 = query->getColumn(0).getString();
  return std::optional<CandidateRecord>(
      CandidateRecord{query->getColumn(2).getString(), query->getColumn(1).getString()});
}

}  // namespace

Status Archive::complete(const std::string& run, TrialRecord& trial) {
  RunLog log(*this, run);
  WW_TRY(trial.reply, log.reply(trial.prompt.trial));
  WW_TRY(trial.failures, log.failures(trial.prompt.trial));
  WW_TRY(trial.candidate, read_candidate(*database_, run, trial));
  const std::string key =
      trial.source_sha256.empty() ? "trial:" + trial.prompt.trial : trial.source_sha256;
  WW_TRY(trial.evaluation, log.evaluation(key));
  return {};
}

Result<std::vector<TrialRecord>> Archive::trials(const std::string& run) {
  return guarded(path(), "read a run", [&]() -> Result<std::vector<TrialRecord>> {
    std::vector<TrialRecord> trials;
    const Query query = database_->statement(
        "SELECT trial, round, slot, repair, kind, parent FROM prompts WHERE run = ? "
        "ORDER BY round, slot, repair, trial");
    query->bind(1, run);
    while (query->executeStep()) trials.emplace_back().prompt = read_prompt(*query);
    for (auto& trial : trials) WW_CHECK(complete(run, trial));
    return trials;
  });
}

Result<std::vector<std::string>> Archive::answered_trials(const std::string& run) {
  return guarded(path(), "list a run", [&]() -> Result<std::vector<std::string>> {
    std::vector<std::string> names;
    const Query query = database_->statement(
        "SELECT p.trial FROM prompts p JOIN replies r ON r.run = p.run AND r.trial = p.trial "
        "WHERE p.run = ? AND r.origin NOT IN ('given', 'tune', 'merge') "
        "ORDER BY p.round, p.slot, p.repair, p.trial");
    query->bind(1, run);
    while (query->executeStep()) names.push_back(query->getColumn(0).getString());
    return names;
  });
}

Result<TrialRecord> Archive::trial(const std::string& run, const std::string& name) {
  return guarded(path(), "read a trial", [&]() -> Result<TrialRecord> {
    TrialRecord trial;
    {
      const Query query = database_->statement(
          "SELECT trial, round, slot, repair, kind, parent FROM prompts WHERE run = ? AND "
          "trial = ?");
      SQLite::bind(*query, run, name);
      if (!query->executeStep()) return Error{"run '" + run + "' has no trial '" + name + "'"};
      trial.prompt = read_prompt(*query);
    }
    WW_CHECK(complete(run, trial));
    return trial;
  });
}

}  // namespace warpwright::store
