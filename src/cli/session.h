// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/files.h"
#include "cli/progress.h"
#include "cli/settings.h"
#include "core/device_facts.h"
#include "core/task.h"
#include "evaluate/evaluator.h"
#include "evaluate/job.h"
#include "evaluate/worker_client.h"
#include "llm/make_model.h"
#include "prompt/compose.h"
#include "search/engine.h"
#include "store/archive.h"

namespace warpwright::cli {

/// The archive a command works on: --archive, else WARPWRIGHT_ARCHIVE, else .warpwright/archive.db.
std::filesystem::path archive_path(const std::string& from_flag);

/// Opens it for verbs that need what is there: an error where there is none, and none is made.
Result<std::unique_ptr<store::Archive>> existing_archive(const std::string& from_flag,
                                                         const Clock& clock);

/// The settings' share of each part; errors name the setting.
Result<llm::ModelOptions> model_options(const Settings& settings);
Result<evaluate::JobRequest> job_pattern(const Settings& settings, const Task& task);
/// The judge that the settings name: our own worker that stays warm, the user's program, a fleet,
/// or a mailbox. Job directories of the first two are made under jobs.
struct JudgePlace {
  std::filesystem::path jobs;
  evaluate::JobRequest pattern;
  bool stay_warm = true;  ///< else our own worker is a process per job
  /// Of warm_worker(): our own worker, shared by the evaluators of several tasks.
  std::shared_ptr<evaluate::WorkerClient> shared = nullptr;
  /// Names the jobs of a run in a spool, so that a resumed run finds them; empty: the jobs are
  /// forgotten with the evaluator.
  std::string queue = "";
};
/// Our own worker, started at its first job.
std::shared_ptr<evaluate::WorkerClient> warm_worker();
Result<std::unique_ptr<evaluate::Evaluator>> make_evaluator(const Settings& settings,
                                                            JudgePlace place);
/// --jobs, else one per core.
int judge_parallelism(const Settings& settings);
/// The folder of --worker mailbox:FOLDER; empty for any other judge.
std::filesystem::path mailbox_folder(const Settings& settings);
Result<DeviceFacts> target_facts(const Settings& settings);
Result<prompt::FeedbackLevel> feedback_level(const Settings& settings);
Result<prompt::TemplateSet> prompt_templates(const Settings& settings);
Limits limits_of(const Settings& settings);

struct CheckedSettings {
  bool price_known = true;  ///< of the model
};
/// The task as the model is told of it: of its timed sizes those that count.
Result<Task> task_for_model(const Settings& settings, const Task& task);

/// All checks that can be made before anything is stored or paid.
Result<CheckedSettings> check_settings(const Settings& settings, const Task& task);

struct RunManner {
  ProgressMode mode = ProgressMode::automatic;
  bool wait = false;  ///< answers that are told while the judge works are taken at once
};

/// Beside the archive: a folder per run for the spool, the jobs and the lock.
std::filesystem::path run_folder(const store::Archive& archive, const store::RunRecord& run);

/// A run that nobody else may work on or change while this exists, and its folder.
struct HeldRun {
  std::filesystem::path folder;
  FileLock lock;
};
/// The error says when another process has it.
/// Where a run keeps the kernel that it begins with (--from), in its folder.
std::filesystem::path given_kernel(const std::filesystem::path& folder);
inline constexpr std::size_t kMaxGivenBytes = std::size_t{1} << 20;

Result<HeldRun> hold_run(const store::Archive& archive, const store::RunRecord& run);

/// Stores somebody's answer to an open question. An empty one is refused.
Status tell_answer(store::Archive& archive, const std::string& run, const std::string& trial,
                   const std::string& text, const std::string& by);

/// What the settings say of the run as a whole: strategy, model and device.
void describe(store::RunRecord& run, const Settings& settings);

/// Who looks at a search from outside.
struct Onlookers {
  search::Observer& observer;
  const StopSignal& stop;
  const Clock& clock;
};

/// Wires the parts of a run and runs the engine, without a word on any stream. With `wait`, answers
/// that are told while the judge works are taken at once.
Result<search::Ending> run_engine(store::Archive& archive, const store::RunRecord& run,
                                  const HeldRun& held, const Task& task, const Settings& settings,
                                  bool wait, const Onlookers& onlookers);

/// How the settings plan a search: candidates, rounds, repairs.
search::StrategyOptions strategy_options(const Settings& settings);

/// One process's part of a run: wires the parts, runs the engine, prints the summary. Returns the
/// exit code.
int work_on_run(store::Archive& archive, const store::RunRecord& run, const HeldRun& held,
                const Task& task, const Settings& settings, const RunManner& manner,
                const Clock& clock);

}  // namespace warpwright::cli
