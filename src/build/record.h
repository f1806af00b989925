// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/stop.h"
#include "build/compiler.h"
#include "core/launch_plan.h"

namespace warpwright::build {

/// The value of one argument in one call: the size of a buffer, or a scalar.
struct CallArgument {
  std::uint64_t buffer_bytes = 0;  ///< pointers
  double real = 0;                 ///< f32 and f64 scalars
  std::int64_t integer = 0;        ///< all other scalars
};

/// One call of `solve`; as many arguments as the build was made for.
struct SolveCall {
  std::vector<CallArgument> arguments;
};

struct RecordRequest {
  std::vector<SolveArgument> arguments;  ///< the same as in the BuildRequest
  std::vector<SolveCall> calls;
  DeviceFacts target;
  sandbox::Limits limits{.wall = std::chrono::seconds(20),
                         .cpu_s = 3,
                         .memory_bytes = std::uint64_t{2} << 30,
                         .processes = 32,
                         .output_bytes = std::uint64_t{256} << 20};
};

/// One plan per call, or why there is none.
struct RecordOutcome {
  Verdict verdict = Verdict::harness_error;  ///< ok, host_error, launch_error or timeout
  std::string reason;
  int line = 0;          ///< in the candidate, 0 = not known
  int failed_call = -1;  ///< which call did not come through
  std::vector<LaunchPlan> plans;
  double wall_s = 0;
};

/// Runs the host part in the sandbox, away from any GPU, and writes down what it asks the device
/// to do. Each call is made by two processes of its own, in an order that nobody can tell, and by
/// one that makes all of them; all must ask for the same. Whatever the host part does, this
/// returns; the error is the world's.
Result<RecordOutcome> record(const Builder& builder, const BuildOutcome& built,
                             const RecordRequest& request, const StopSignal* stop = nullptr);

}  // namespace warpwright::build
