// SPDX-License-Identifier: Apache-2.0
#include "report/archive_json.h"

#include "core/evaluation_json.h"
#include "core/json_reader.h"

namespace warpwright::report {

using nlohmann::json;

json run_json(const store::RunRecord& run) {
  return {{"run", run.id},
          {"task", run.task},
          {"strategy", run.strategy},
          {"model", run.model},
          {"device", run.device},
          {"status", name_of(run.status)},
          {"ending", run.ending},
          {"best_trial", run.best_trial},
          {"created_ms", run.created_ms},
          {"elapsed_ms", run.elapsed_ms}};
}

json trial_json(const store::TrialRecord& trial) {
  json object = {{"trial", trial.prompt.trial},         {"round", trial.prompt.round},
                 {"slot", trial.prompt.slot},           {"repair", trial.prompt.repair},
                 {"kind", trial.prompt.kind},           {"parent", trial.prompt.parent},
                 {"source_sha256", trial.source_sha256}};
  if (trial.reply) {
    object["reply"] = {
        {"model", trial.reply->model},
        {"origin", trial.reply->origin},
        {"finish_reason", trial.reply->finish_reason},
        {"tokens", trial.reply->fresh + trial.reply->cache_read + trial.reply->cache_write +
                       trial.reply->output},
        {"cost_usd", trial.reply->unpriced.empty() ? json(trial.reply->cost_usd) : json()}};
  }
  json failures = json::array();
  for (const auto& failure : trial.failures) {
    failures.push_back(
        {{"attempt", failure.attempt}, {"error", failure.error}, {"tokens", failure.tokens}});
  }
  object["failures"] = failures;
  if (trial.candidate) object["source"] = trial.candidate->source;
  if (trial.evaluation) {
    object["evaluation"] = parse_json_or_discard(evaluation_to_json(*trial.evaluation));
  }
  return object;
}

json derived_json(const store::DerivedRecord& record) {
  json object = {{"source_sha256", record.source_sha256},
                 {"kind", record.kind},
                 {"accepted", record.accepted},
                 {"summary", record.summary},
                 {"created_ms", record.created_ms}};
  json report = parse_json_or_discard(record.report);
  if (report.is_object()) object["report"] = std::move(report);
  return object;
}

}  // namespace warpwright::report
