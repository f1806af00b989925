// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

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

/// A variable of a module that keeps its value from one launch to the next.
struct PtxVariable {
  std::string name;
  std::uint64_t bytes = 0;
};
std::vector<PtxVariable> module_variables(std::string_view ptx);

}  // namespace warpwright::build
