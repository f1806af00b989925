// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "cli/settings.h"
#include "evaluate/job.h"
#include "fleet/fleet_evaluator.h"
#include "store/records.h"

namespace warpwright::cli {

// --worker slurm[:OPTIONS] and --worker spool:DIR.

[[nodiscard]] bool names_a_fleet(const Settings& settings);
/// What can be wrong with the words of --worker and the settings [fleet]; nothing is made yet.
Status check_fleet(const Settings& settings);
/// The folder that the settings name.
Result<std::filesystem::path> spool_folder(const Settings& settings);
/// Makes the spool where it is not there. With an empty queue the jobs go with the evaluator.
Result<std::unique_ptr<fleet::FleetEvaluator>> make_fleet_evaluator(const Settings& settings,
                                                                    evaluate::JobRequest pattern,
                                                                    const std::string& queue);
/// What the live page shows of a spool: JSON, "{}" where it cannot be read now.
std::string fleet_for_page(const std::filesystem::path& spool);
/// The same for all processes that work on the run, and for no other run.
std::string queue_of_run(const std::filesystem::path& archive, const store::RunRecord& run);
/// Removes what a fleet keeps of a run; without a fleet there is nothing.
void forget_queue(const Settings& settings, const std::string& queue);

}  // namespace warpwright::cli
