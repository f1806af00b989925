// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "cli/progress.h"
#include "cli/settings.h"
#include "core/device_facts.h"
#include "core/task.h"
#include "evaluate/job.h"
#include "evaluate/local_evaluator.h"
#include "llm/make_model.h"
#include "prompt/compose.h"
#include "search/engine.h"
#include "store/archive.h"

namespace warpwright::cli {

/// The archive a command works on: --archive, else WARPWRIGHT_ARCHIVE, else .warpwright/archive.db.
std::filesystem::path archive_path(const std::string& from_flag);

/// The settings' share of each part; errors name the setting.
Result<llm::ModelOptions> model_options(const Settings& settings);
Result<evaluate::JobRequest> job_pattern(const Settings& settings, const Task& task);
/// For a process per job directory.
std::vector<std::string> worker_command(const Settings& settings);
/// The user's own worker command, or our own that stays warm.
void choose_worker(const Settings& settings, evaluate::LocalOptions& options);
Result<DeviceFacts> target_facts(const Settings& settings);
Result<prompt::FeedbackLevel> feedback_level(const Settings& settings);
Result<prompt::TemplateSet> prompt_templates(const Settings& settings);
Limits limits_of(const Settings& settings);

/// All checks that can be made before anything is stored or paid.
Status check_settings(const Settings& settings, const Task& task);

/// One process's part of a run: wires the parts, runs the engine, prints the summary. Returns the
/// exit code.
int work_on_run(store::Archive& archive, const store::RunRecord& run, const Task& task,
                const Settings& settings, ProgressMode mode, const Clock& clock);

}  // namespace warpwright::cli
