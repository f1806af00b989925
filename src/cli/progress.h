// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "core/budget.h"
#include "search/progress.h"
#include "search/strategy.h"

namespace warpwright::cli {

enum class ProgressMode { automatic, lines, json, quiet };

/// On a terminal one live line on standard error; in a log one plain line per trial; with json one
/// object per event on standard output (docs/formats.md).
std::unique_ptr<search::Observer> make_progress(ProgressMode mode,
                                                const search::StrategyOptions& plan,
                                                const Clock& clock);

/// "round 2/4 | 1 asked, 2 judged, 5 done (3 valid) | best 12.3 us (x4.1) | 31k tokens, $0.02 |
/// ..."
std::string progress_line(const search::SearchState& state, const search::StrategyOptions& plan);

/// What was spent: "$0.0123", or that it is not known.
std::string money_text(const Cost& spent);
/// The same for programs: null where it is not known.
nlohmann::json usd_json(const Cost& spent);

}  // namespace warpwright::cli
