// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "build/compiler.h"
#include "build/record.h"
#include "core/launch_plan.h"

namespace warpwright::build {

/// Whether the plan is one that this program could have asked for in this call. The text of a plan
/// comes from an untrusted process: beyond check_plan, its buffers must be the call's, its kernels
/// and variables the program's, and its parameters as long as the kernels declare them.
Status plan_fits(const LaunchPlan& plan, const BuildOutcome& built, const RecordRequest& request,
                 const SolveCall& call);

}  // namespace warpwright::build
