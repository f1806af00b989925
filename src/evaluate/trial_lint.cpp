// SPDX-License-Identifier: Apache-2.0
#include "build/lint.h"
#include "evaluate/trial_feedback.h"
#include "evaluate/trial_state.h"

namespace warpwright::evaluate {

Result<Next> lint_stage(TrialState& state) {
  const JobRequest& request = state.request;
  if (request.is_baseline) return Next::go_on;
  const auto broken = build::lint(request.source);
  if (!broken) return Next::go_on;
  state.evaluation.diagnostics.push_back({"error", broken->line, 0, broken->message});
  return end_with(state, Verdict::forbidden, broken->message + " (rule " + broken->rule + ")",
                  at_line(broken->line, broken->message, request.source));
}

}  // namespace warpwright::evaluate
