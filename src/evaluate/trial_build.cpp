// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/files.h"
#include "evaluate/trial_feedback.h"
#include "evaluate/trial_rules.h"
#include "evaluate/trial_state.h"

namespace warpwright::evaluate {

namespace {

constexpr double kLongestBuildSeconds = 60;

/// clang's PTX may call math functions that only the SIMT machine has, and its dialect is wider
/// than nvcc's: a GPU gets nvcc wherever there is one, the SIMT machine gets clang.
Result<build::FrontEnd> front_end_for(const TrialState& state, const build::Toolchain& tools) {
  const auto wanted = build::front_end_named(state.request.front_end);
  if (!wanted) return Error{"unknown front end \"" + state.request.front_end + "\""};
  build::FrontEnd front_end = *wanted;
  if (front_end == build::FrontEnd::automatic && state.target.is_cuda &&
      tools.supports(build::FrontEnd::nvcc)) {
    front_end = build::FrontEnd::nvcc;
  }
  return tools.resolve(front_end);
}

Status open_workshop(TrialState& state) {
  WW_TRY(state.target, device::resolve_device({.device = state.request.device,
                                               .target = state.request.target,
                                               .checks = state.request.checks,
                                               .engine = state.request.engine}));
  WW_CHECK(make_directories(state.scratch));
  const auto cache = state.request.cache.empty() ? state.scratch / "cache" : state.request.cache;
  WW_TRY(state.builder, state.station.builder(cache, state.request.unsafe));
  return {};
}

}  // namespace

Result<build::BuildOutcome> build_source(TrialState& state, const std::string& source) {
  WW_TRY(const auto front_end, front_end_for(state, state.builder->tools()));
  const double limit_s = std::clamp(state.deadline.remaining_s(), 1.0, kLongestBuildSeconds);
  build::BuildRequest request{.source = source,
                              .arguments = build::solve_arguments(state.request.task),
                              .signature = signature_of(state.request.task),
                              .target = state.target.facts,
                              .front_end = front_end};
  request.limits.wall = std::chrono::milliseconds(static_cast<int>(limit_s * 1e3));
  return state.builder->build(request, &state.stop);
}

Result<Next> build_stage(TrialState& state) {
  WW_CHECK(open_workshop(state));
  state.candidate.source = state.request.source;
  WW_TRY(state.candidate.built, build_source(state, state.request.source));
  const build::BuildOutcome& built = state.candidate.built;
  state.evaluation.diagnostics = built.diagnostics;
  state.evaluation.resources = built.resources;
  if (built.verdict == Verdict::ok) return judge_device_code(state);
  std::string feedback = compile_feedback(built.diagnostics, state.request.source);
  if (feedback.empty()) feedback = built.reason + "\n";
  return end_with(state, built.verdict, built.reason, std::move(feedback));
}

}  // namespace warpwright::evaluate
