// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "evaluate/trial_feedback.h"
#include "evaluate/trial_limits.h"
#include "evaluate/trial_rules.h"
#include "evaluate/trial_state.h"

namespace warpwright::evaluate {

namespace {

constexpr double kLongestRecordSeconds = 20;

struct Calls {
  std::vector<build::SolveCall> calls;  ///< distinct ones
  std::vector<std::string> keys;
  std::vector<verify::Case> cases;  ///< the first case that makes each call
};

Status add_call(const Task& task, const verify::Case& item, Calls& calls) {
  WW_TRY(auto call, call_of(task, *item.size, item.variant));
  std::string key = call_key(call);
  if (std::find(calls.keys.begin(), calls.keys.end(), key) != calls.keys.end()) return {};
  calls.calls.push_back(std::move(call));
  calls.keys.push_back(std::move(key));
  calls.cases.push_back(item);
  return {};
}

Result<build::RecordOutcome> record_program(TrialState& state, Program& program,
                                            const Calls& calls) {
  build::RecordRequest request{.arguments = build::solve_arguments(state.request.task),
                               .calls = calls.calls,
                               .target = state.target.facts};
  const double limit_s = std::clamp(state.deadline.remaining_s(), 1.0, kLongestRecordSeconds);
  request.limits.wall = std::chrono::milliseconds(static_cast<int>(limit_s * 1e3));
  WW_TRY(auto outcome, build::record(*state.builder, program.built, request, &state.stop));
  for (std::size_t i = 0; i < outcome.plans.size() && i < calls.keys.size(); ++i) {
    program.plans[calls.keys[i]] = std::move(outcome.plans[i]);
  }
  outcome.plans.clear();
  return outcome;
}

/// The baseline is our own and stands in for a reference: whatever goes wrong with it is ours.
Status add_baseline(TrialState& state, const Calls& calls) {
  Program baseline{.source = state.request.task.baseline_source};
  WW_TRY(baseline.built, build_source(state, baseline.source));
  if (baseline.built.verdict != Verdict::ok) {
    return Error{"the task's baseline does not compile: " + baseline.built.reason + "\n" +
                 compile_feedback(baseline.built.diagnostics, baseline.source)};
  }
  WW_TRY(const auto outcome, record_program(state, baseline, calls));
  if (outcome.verdict != Verdict::ok) {
    return Error{"the task's baseline could not be recorded: " + outcome.reason};
  }
  state.baseline = std::move(baseline);
  return {};
}

std::uint64_t drawn_seed() {
  std::random_device source;
  return (std::uint64_t{source()} << 32) ^ source();
}

/// A copy or a memset may be all that an edge size needs, so kernels are not demanded.
bool does_nothing(const LaunchPlan& plan) {
  return std::all_of(plan.steps.begin(), plan.steps.end(), [](const PlanStep& step) {
    return std::holds_alternative<Allocate>(step) || std::holds_alternative<Free>(step);
  });
}

}  // namespace

Result<build::SolveCall> call_of(const Task& task, const TaskSize& size,
                                 const InputVariant* variant) {
  WW_TRY(const Values values, values_at(task, size, variant));
  build::SolveCall call;
  for (const TaskArgument& argument : task.arguments) {
    build::CallArgument& value = call.arguments.emplace_back();
    if (is_buffer(argument)) {
      WW_TRY(const std::uint64_t count, element_count(argument, values));
      value.buffer_bytes = count * bytes_of(argument.type);
      continue;
    }
    WW_TRY(value.real, scalar_value(argument, values));
    if (is_floating(argument.type)) continue;
    value.integer = static_cast<std::int64_t>(value.real);
  }
  return call;
}

std::string call_key(const build::SolveCall& call) {
  std::string key;
  for (const auto& argument : call.arguments) {
    key += fmt::format("{}/{:a}/{};", argument.buffer_bytes, argument.real, argument.integer);
  }
  return key;
}

Result<Next> record_stage(TrialState& state) {
  const Task& task = state.request.task;
  state.seed = state.request.seed.value_or(drawn_seed());
  WW_CHECK(choose_work(state));
  draw_work_size(state);
  Calls calls;
  for (const verify::Case& item : state.cases) WW_CHECK(add_call(task, item, calls));
  for (const TaskSize* size : state.timed) WW_CHECK(add_call(task, {size, nullptr}, calls));
  if (state.work_size) WW_CHECK(add_call(task, {state.work_size.get(), nullptr}, calls));
  if (calls.calls.empty()) return Error{"no size of the task fits the device"};

  WW_TRY(const auto outcome, record_program(state, state.candidate, calls));
  if (outcome.verdict != Verdict::ok) {
    std::string feedback = at_line(outcome.line, outcome.reason, state.request.source);
    if (outcome.failed_call >= 0 &&
        static_cast<std::size_t>(outcome.failed_call) < calls.cases.size()) {
      feedback = "At " + describe_case(calls.cases[static_cast<std::size_t>(outcome.failed_call)]) +
                 ":\n" + feedback;
    }
    return end_with(state, outcome.verdict, outcome.reason, std::move(feedback));
  }
  // At single sizes that may be right: an array of one element is its own reverse.
  if (std::all_of(calls.keys.begin(), calls.keys.end(), [&](const std::string& key) {
        return does_nothing(state.candidate.plans.at(key));
      })) {
    const std::string reason = "solve() does nothing on the device";
    return end_with(state, Verdict::mismatch, reason, reason + ".\n");
  }
  if (judge_plans(state) == Next::ended) return Next::ended;
  const bool stands_in = task.reference_source.empty() && !state.request.timing_only;
  if (stands_in) WW_CHECK(add_baseline(state, calls));
  return Next::go_on;
}

}  // namespace warpwright::evaluate
