// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "store/archive.h"

namespace warpwright::cli {

/// One run as lists show it.
struct ListedRun {
  store::RunRecord run;
  bool dead = false;  ///< said to be running, but no process works on it: it was killed
  std::optional<double> best_us;
  std::optional<double> speedup;  ///< of the best kernel over the baseline
};

Result<ListedRun> listed_run(store::Archive& archive, const store::RunRecord& run);

/// Removes a run and its folder; refused while a process works on it. The name is an id or "last".
Result<std::string> delete_run(store::Archive& archive, const std::string& name);

/// "2026-11-16 22:40", UTC.
std::string date_of(std::int64_t unix_ms);

}  // namespace warpwright::cli
