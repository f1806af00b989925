// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluate/careful_run.h"

namespace warpwright::evaluate {

/// Runs small cases with the build that traps where an access leaves the local array that it was
/// meant for (BuildOutcome::bounds_ptx). Nothing is found in a candidate
/// without that build; `why_not` says so where it has local arrays.
CarefulRun run_within_bounds(const Prepared& prepared, Context& context);

}  // namespace warpwright::evaluate
