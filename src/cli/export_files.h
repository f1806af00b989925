// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "cli/export_build.h"
#include "core/task.h"
#include "store/records.h"

namespace warpwright::cli {

/// The trial of that name, the best one for "", where it is valid.
Result<const store::TrialRecord*> valid_trial(const store::RunRecord& run,
                                              const std::vector<store::TrialRecord>& trials,
                                              const std::string& name);

/// The files of an exported kernel by name: kernel, header, a CMake file, baseline, a small host
/// test with its inputs (where the task has a baseline), and the provenance that says where the
/// kernel comes from and what the judge found.
Result<std::map<std::string, std::string>> export_files(
    const Task& task, const store::RunRecord& run, const store::TrialRecord& best,
    const std::vector<store::ConfigValue>& config, const ExportNames& names = {});

}  // namespace warpwright::cli
