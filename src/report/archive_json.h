// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "store/records.h"

namespace warpwright::report {

/// A run and a trial as `warpwright runs --json` and `show --json` print them.
nlohmann::json run_json(const store::RunRecord& run);
nlohmann::json trial_json(const store::TrialRecord& trial);

}  // namespace warpwright::report
