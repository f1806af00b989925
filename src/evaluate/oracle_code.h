// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/stop.h"
#include "build/compiler.h"
#include "core/launch_plan.h"
#include "verify/oracle.h"

namespace warpwright::evaluate {

/// The judge's own code for one task and device. The program holds it as text, and the compilers
/// that build candidates build it too: kept in the cache by its content, it costs seconds once.
struct BuiltOracle {
  verify::OracleCode code;
  build::BuildOutcome reference;  ///< for recording; its PTX is empty for a task without one
};
Result<BuiltOracle> build_oracle(const build::Builder& builder, const Task& task,
                                 const DeviceFacts& target, build::FrontEnd front_end,
                                 const StopSignal* stop = nullptr);

/// What the task's reference.cu launches, one plan per set of values. Empty without one.
Result<std::vector<LaunchPlan>> record_reference(const build::Builder& builder,
                                                 const BuiltOracle& built, const Task& task,
                                                 const std::vector<Values>& values,
                                                 const DeviceFacts& target,
                                                 const StopSignal* stop = nullptr);

}  // namespace warpwright::evaluate
