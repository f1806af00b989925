// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "evaluate/oracle_code.h"
#include "evaluate/session.h"

namespace warpwright::evaluate {

/// The judge's own code for a task, ready for a device, and what its reference launches at the
/// sizes of a judgement. Made before a candidate gets the device. Code and plans of listed sizes
/// are made once for all candidates of a task: a plan holds shapes and addresses, and no values or
/// secrets.
struct OracleKit {
  std::shared_ptr<const BuiltOracle> built;
  std::map<std::string, LaunchPlan> plans;  ///< by call_key()

  /// Null where the task has no reference.cu.
  [[nodiscard]] const LaunchPlan* plan_of(const build::SolveCall& call) const;
};
Result<std::shared_ptr<const OracleKit>> oracle_kit(const Prepared& prepared, Context& context);

/// The kit's code on the session's device, loaded at the first use.
Result<const verify::Oracle*> oracle_of(Session& session);

}  // namespace warpwright::evaluate
