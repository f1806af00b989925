// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "evaluate/oracle_code.h"
#include "evaluate/session.h"

namespace warpwright::evaluate {

/// The judge's own code for a task, ready for a device, and what its reference launches at the
/// timed sizes. Made before a candidate gets the device, and once for all candidates of a task.
struct OracleKit {
  BuiltOracle built;
  std::map<std::string, LaunchPlan> plans;  ///< by call_key()

  /// Null where the task has no reference.cu.
  [[nodiscard]] const LaunchPlan* plan_of(const build::SolveCall& call) const;
};
Result<std::shared_ptr<const OracleKit>> oracle_kit(const Prepared& prepared, Context& context);

}  // namespace warpwright::evaluate
