// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "flops/attributes.h"
#include "flops/run.h"
#include "flops/static_count.h"

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
  std::vector<std::string> notes;                ///< what limits the counts
  std::map<std::string, Attributes> attributes;  ///< by kernel
  DeviceFacts device;
  build::FrontEnd front_end = build::FrontEnd::automatic;
};

/// Builds, runs and counts. The error is the world's.
Result<Analysis> analyse(const build::Builder& builder, const AnalysisRequest& request,
                         const StopSignal* stop = nullptr);

/// What the text alone says: compiled, not run. Missing things and faults as above.
struct StaticAnalysis {
  Ending ending = Ending::counted;
  std::string reason, detail;
  std::vector<std::string> missing;
  std::vector<StaticCount> counts;
};
Result<StaticAnalysis> analyse_text(const build::Builder& builder, const AnalysisRequest& request,
                                    const StopSignal* stop = nullptr);

/// The contract's JSON, one object.
std::string analysis_json(const Analysis& analysis);
/// A table for people, with a roofline.
std::string analysis_text(const Analysis& analysis);
/// A page that needs nothing else: the same, with the roofline as a picture.
std::string analysis_page(const Analysis& analysis, std::string_view title);
/// An analysis that ended before anything was built.
Analysis nothing_there(const std::string& what);

}  // namespace warpwright::flop
