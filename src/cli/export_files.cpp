// SPDX-License-Identifier: Apache-2.0
#include "cli/export_files.h"

#include "cli/export_folder.h"
#include "core/evaluation_json.h"
#include "core/json_reader.h"

namespace warpwright::cli {

namespace {

/// The described device that the settings name, else the one the judge measured on.
std::string target_name(const store::TrialRecord& best,
                        const std::vector<store::ConfigValue>& config) {
  for (const auto& value : config) {
    if (value.key == "judge.target" && value.value != "auto") return value.value;
  }
  return best.evaluation->device;
}

std::string provenance_text(const Task& task, const store::RunRecord& run,
                            const store::TrialRecord& best,
                            const std::vector<store::ConfigValue>& config) {
  nlohmann::json document = {{"format", 1},
                             {"made_by", "warpwright " WARPWRIGHT_VERSION},
                             {"task", task.name},
                             {"run", run.id},
                             {"trial", best.prompt.trial},
                             {"strategy", run.strategy},
                             {"model", run.model},
                             {"created_ms", run.created_ms},
                             {"source_sha256", best.source_sha256}};
  if (best.reply)
    document["answered_by"] = {{"model", best.reply->model}, {"origin", best.reply->origin}};
  document["evaluation"] = parse_json_or_discard(evaluation_to_json(*best.evaluation));
  for (const auto& value : config) {
    document["settings"][value.key] = {{"value", value.value}, {"origin", value.origin}};
  }
  return dump_json(document, 2) + "\n";
}

}  // namespace

Result<const store::TrialRecord*> valid_trial(const store::RunRecord& run,
                                              const std::vector<store::TrialRecord>& trials,
                                              const std::string& name) {
  const std::string wanted = name.empty() ? run.best_trial : name;
  if (wanted.empty()) return Error{"run '" + run.id + "' has no valid kernel yet"};
  for (const auto& trial : trials) {
    if (trial.prompt.trial != wanted) continue;
    if (!trial.evaluation || !trial.evaluation->valid()) {
      return Error{"trial '" + wanted + "' of run '" + run.id + "' is not valid; nothing exported"};
    }
    return &trial;
  }
  return Error{"run '" + run.id + "' has no trial '" + wanted + "'"};
}

Result<std::map<std::string, std::string>> export_files(
    const Task& task, const store::RunRecord& run, const store::TrialRecord& best,
    const std::vector<store::ConfigValue>& config, const ExportNames& names) {
  const KernelToExport kernel{.task = task,
                              .source = best.candidate->source,
                              .device = target_name(best, config),
                              .provenance = provenance_text(task, run, best, config)};
  std::optional<exchange::TestCase> test;
  if (!task.baseline_source.empty()) {
    WW_TRY(test, test_case(task));
  }
  return export_folder(kernel, names, test ? &*test : nullptr);
}

}  // namespace warpwright::cli
