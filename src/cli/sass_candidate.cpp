// SPDX-License-Identifier: Apache-2.0
#include "cli/sass_candidate.h"

#include "base/files.h"
#include "cli/sass_files.h"
#include "cli/session.h"
#include "core/task_json.h"
#include "evaluate/judgement.h"

namespace warpwright::cli {

namespace {

Result<store::TrialRecord> wanted_trial(store::Archive& archive, const store::RunRecord& run,
                                        const std::string& name) {
  const bool best = name.empty() || name == "best";
  if (best && run.best_trial.empty())
    return Error{"run '" + run.id + "' has no valid kernel yet; name one of its trials"};
  const std::string& wanted = best ? run.best_trial : name;
  WW_TRY(auto trials, archive.trials(run.id));
  for (auto& trial : trials) {
    if (trial.prompt.trial != wanted) continue;
    if (trial.candidate && !trial.candidate->source.empty()) return std::move(trial);
    return Error{"trial '" + wanted + "' of run '" + run.id + "' has no kernel" +
                 (trial.candidate && !trial.candidate->reason.empty()
                      ? ": " + trial.candidate->reason
                      : std::string(" yet"))};
  }
  return Error{"run '" + run.id + "' has no trial '" + wanted + "'; 'warpwright show " + run.id +
               "' lists them"};
}

/// The described device that a verdict names; else as the settings have it.
std::string judged_target(const store::TrialRecord& trial, const std::string& otherwise) {
  if (!trial.evaluation) return otherwise;
  for (const DeviceFacts& known : known_devices())
    if (trial.evaluation->device.find(known.name) != std::string::npos) return known.key;
  return otherwise;
}

/// Machine code is made without a device: only the target and the compiler matter.
Result<evaluate::JobRequest> build_request(store::Archive& archive, const store::RunRecord& run,
                                           const store::TrialRecord& trial) {
  WW_TRY(const auto stored, archive.config(run.id));
  Settings settings;
  WW_CHECK(settings.adopt(stored));
  WW_TRY(const Task task, task_from_json(run.task_json));
  WW_TRY(auto request, job_pattern(settings, task));
  request.id = "sass";
  request.source = trial.candidate->source;
  request.device = DeviceName("simt");
  if (settings.text("judge.target") == "auto")
    request.target = judged_target(trial, request.target);
  if (!trial.evaluation) return request;
  const auto compiler = trial.evaluation->manifest.find("compiler");
  if (compiler == trial.evaluation->manifest.end()) return request;
  const std::string name = compiler->second.substr(0, compiler->second.find(' '));
  if (const auto choice = FrontEndChoice::named(name)) request.front_end = *choice;
  return request;
}

/// Empty where the compiler makes none: clang leaves some of CUDA's functions to nvcc.
Result<std::string> cubin_by(const evaluate::JobRequest& request, const StopSignal& stop) {
  WW_TRY(const auto folder, TemporaryDirectory::create("warpwright-sass-show"));
  evaluate::Station station;
  auto context = evaluate::make_context(request, folder.path() / "build", station, stop);
  const auto source = std::make_shared<const evaluate::Source>(evaluate::Source{request});
  auto built = evaluate::build_program(source, context);
  if (!built.ok()) return Error{evaluate::reason_of(built.error())};
  return std::move(built->code.cubin);
}

Result<std::string> built_cubin(evaluate::JobRequest request, const std::string& trial,
                                const StopSignal& stop) {
  auto cubin = cubin_by(request, stop);
  if (cubin.ok() && cubin->empty() && request.front_end.name() != "nvcc") {
    request.front_end = "nvcc";
    auto by_nvcc = cubin_by(request, stop);
    if (by_nvcc.ok()) cubin = std::move(by_nvcc);
  }
  if (!cubin.ok())
    return Error{"trial '" + trial + "' could not be built: " + cubin.error().message};
  if (!cubin->empty()) return cubin;
  return Error{"trial '" + trial + "' was built without ptxas" + std::string(kNoMachineCode)};
}

Result<std::string> stored_machine_code(store::Archive& archive, const store::RunRecord& run,
                                        const store::TrialRecord& trial) {
  WW_TRY(const auto all, archive.derived(run.id, store::Archive::Content::read));
  for (const store::DerivedRecord& record : all) {
    if (record.source_sha256 != trial.source_sha256 || record.kind != "sass") continue;
    if (record.accepted) return record.content;
    return Error{"trial '" + trial.prompt.trial + "': " + record.summary};
  }
  return Error{"the machine code of trial '" + trial.prompt.trial +
               "' was not tuned; on a GPU: warpwright resume " + run.id + " --sass MINUTES"};
}

}  // namespace

Result<std::string> candidate_cubin(const WantedCandidate& wanted, const StopSignal& stop) {
  const SystemClock clock;
  WW_TRY(const auto archive, store::Archive::open_read_only(archive_path(wanted.archive), clock));
  WW_TRY(const auto run, archive->find_run(wanted.run));
  WW_TRY(const auto trial, wanted_trial(*archive, run, wanted.candidate));
  if (wanted.tuned) return stored_machine_code(*archive, run, trial);
  WW_TRY(const auto request, build_request(*archive, run, trial));
  return built_cubin(request, trial.prompt.trial, stop);
}

}  // namespace warpwright::cli
