// SPDX-License-Identifier: Apache-2.0
#include "evaluate/trial_rules.h"

#include "build/device_rules.h"
#include "evaluate/trial_feedback.h"

namespace warpwright::evaluate {

namespace {

Next forbid(TrialState& state, const build::LintFinding& broken) {
  state.evaluation.diagnostics.insert(state.evaluation.diagnostics.begin(),
                                      {"error", broken.line, 0, broken.message});
  return end_with(state, Verdict::forbidden, broken.message + " (rule " + broken.rule + ")",
                  at_line(broken.line, broken.message, state.request.source));
}

build::DeviceRules rules_of(const TrialState& state) {
  return build::device_rules(state.request.task, state.request.lane);
}

void add_census(TrialState& state) {
  const build::BuildOutcome& built = state.candidate.built;
  std::string text = build::describe(built.census);
  if (text.empty()) return;
  if (!built.sass.empty()) text += "; in machine code: " + build::describe(built.sass);
  state.evaluation.findings.push_back(
      {"instructions", built.census.front().line, "the device code has " + text});
}

}  // namespace

Next judge_device_code(TrialState& state) {
  const build::BuildOutcome& built = state.candidate.built;
  add_census(state);
  if (state.request.is_baseline) return Next::go_on;
  const auto broken = build::broken_by_code(rules_of(state), built.entries, built.census);
  return broken ? forbid(state, *broken) : Next::go_on;
}

Next judge_plans(TrialState& state) {
  if (state.request.is_baseline) return Next::go_on;
  const auto rules = rules_of(state);
  for (const auto& [key, plan] : state.candidate.plans) {
    const auto broken = build::broken_by_plan(rules, state.candidate.built.entries, plan);
    if (broken) return forbid(state, *broken);
  }
  return Next::go_on;
}

}  // namespace warpwright::evaluate
