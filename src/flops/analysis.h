// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "flops/run.h"

namespace warpwright::flop {

/// What is to be counted.
struct AnalysisRequest {
  ProgramRequest program;
  RunRequest run;
  std::string kernel;  ///< only this one; empty: all
};

/// How it ended; the numbers are exit codes that scripts rely on.
enum class Ending : int {
  counted = 0,
  at_fault = 1,  ///< the program: it does not compile, crashes, or its kernels do wrong
  missing = 2,   ///< something that it needs is not there
};

struct Analysis {
  Ending ending = Ending::counted;
  std::string reason;  ///< one sentence where it is not counted
  std::string detail;  ///< what a compiler or the program said
  std::vector<LaunchCount> launches;
  std::vector<std::string> missing;
  std::vector<std::string> notes;  ///< what limits the counts
  build::FrontEnd front_end = build::FrontEnd::automatic;
};

/// Builds, runs and counts. The error is the world's.
Result<Analysis> analyse(const build::Builder& builder, const AnalysisRequest& request,
                         const StopSignal* stop = nullptr);

/// The contract's JSON, one object.
std::string analysis_json(const Analysis& analysis);
/// A table for people.
std::string analysis_text(const Analysis& analysis);

}  // namespace warpwright::flop
