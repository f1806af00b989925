// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "store/records.h"

namespace warpwright::report {

/// A run and a trial as `warpwright runs --json` and `show --json` print them.
nlohmann::json run_json(const store::RunRecord& run);
nlohmann::json trial_json(const store::TrialRecord& trial);
/// What was made from a source, with its proof and without its content.
nlohmann::json derived_json(const store::DerivedRecord& record);

}  // namespace warpwright::report
