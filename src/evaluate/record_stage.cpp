// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "build/device_rules.h"
#include "evaluate/feedback.h"
#include "evaluate/limits.h"
#include "evaluate/stages.h"

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

Result<build::RecordOutcome> record_program(const Prepared& prepared, const build::Builder& builder,
                                            Program& program, const Calls& calls,
                                            const Context& context) {
  build::RecordRequest request{.arguments = build::solve_arguments(prepared.task()),
                               .calls = calls.calls,
                               .target = prepared.target.facts};
  const double limit_s = std::clamp(context.deadline.remaining_s(), 1.0, kLongestRecordSeconds);
  request.limits.wall = std::chrono::milliseconds(static_cast<int>(limit_s * 1e3));
  WW_TRY(auto outcome, build::record(builder, program.code, request, &context.stop));
  for (std::size_t i = 0; i < outcome.plans.size() && i < calls.keys.size(); ++i) {
    program.plans[calls.keys[i]] = std::move(outcome.plans[i]);
  }
  outcome.plans.clear();
  return outcome;
}

/// The baseline is our own and stands in for a reference: whatever goes wrong with it is ours.
Result<Program> recorded_baseline(const Prepared& prepared, const build::Builder& builder,
                                  const Calls& calls, const Context& context) {
  const std::string& source = prepared.task().baseline_source;
  Program baseline;
  WW_TRY(baseline.code, compile(prepared.request(), prepared.target, builder, source, context));
  if (baseline.code.verdict != Verdict::ok) {
    return Error{"the task's baseline does not compile: " + baseline.code.reason + "\n" +
                 compile_feedback(baseline.code.diagnostics, source)};
  }
  WW_TRY(const auto outcome, record_program(prepared, builder, baseline, calls, context));
  if (outcome.verdict != Verdict::ok) {
    return Error{"the task's baseline could not be recorded: " + outcome.reason};
  }
  return baseline;
}

/// A copy or a memset may be all that an edge size needs, so kernels are not demanded.
bool does_nothing(const LaunchPlan& plan) {
  return std::all_of(plan.steps.begin(), plan.steps.end(), [](const PlanStep& step) {
    return std::holds_alternative<Allocate>(step) || std::holds_alternative<Free>(step);
  });
}

Result<Calls> calls_of(const Prepared& prepared) {
  const Task& task = prepared.task();
  Calls calls;
  for (const verify::Case& item : prepared.cases) WW_CHECK(add_call(task, item, calls));
  for (const TaskSize* size : prepared.timed) WW_CHECK(add_call(task, {size, nullptr}, calls));
  if (prepared.work_size) WW_CHECK(add_call(task, {prepared.work_size, nullptr}, calls));
  if (calls.calls.empty()) return Error{"no size of the task fits the device"};
  return calls;
}

Ended not_recorded(const build::RecordOutcome& outcome, const Calls& calls,
                   const JobRequest& request) {
  std::string feedback = at_line(outcome.line, outcome.reason, request.source);
  const auto failed = static_cast<std::size_t>(outcome.failed_call);
  if (outcome.failed_call >= 0 && failed < calls.cases.size()) {
    feedback = "At " + describe_case(calls.cases[failed]) + ":\n" + feedback;
  }
  return {outcome.verdict, outcome.reason, std::move(feedback)};
}

/// Copies and memsets alone do no task. At sizes that are not timed they may be all that is needed.
Outcome<> demand_kernels(const Prepared& prepared) {
  for (const TaskSize* size : prepared.timed) {
    WW_TRY(const auto call, call_of(prepared.task(), *size, nullptr));
    const LaunchPlan& plan = prepared.candidate.plans.at(call_key(call));
    if (launches_kernel(plan)) continue;
    const std::string reason = "solve() launches no kernel at size " + size->label;
    return Ended{does_nothing(plan) ? Verdict::mismatch : Verdict::forbidden, reason,
                 reason + ": copies and memsets alone may not do the task.\n"};
  }
  return {};
}

/// The rules that only the plans show.
std::optional<Ended> judge_plans(const Prepared& prepared, Notes& notes) {
  const auto& plans = prepared.candidate.plans;
  // At single sizes that may be right: an array of one element is its own reverse.
  if (std::all_of(plans.begin(), plans.end(),
                  [](const auto& p) { return does_nothing(p.second); })) {
    const std::string reason = "solve() does nothing on the device";
    return Ended{Verdict::mismatch, reason, reason + ".\n"};
  }
  if (prepared.request().is_baseline) return std::nullopt;
  const auto rules = build::device_rules(prepared.task(), prepared.request().rule_set.name());
  for (const auto& [key, plan] : plans) {
    const auto broken = build::broken_by_plan(rules, prepared.candidate.code.entries, plan);
    if (broken) return forbidden(*broken, prepared.request(), notes);
  }
  return std::nullopt;
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

Result<std::vector<std::string>> recorded_calls(const Prepared& prepared) {
  WW_TRY(Calls calls, calls_of(prepared));
  return std::move(calls.keys);
}

Outcome<Prepared> record_stage(Built built, std::uint64_t seed, Context& context) {
  Prepared prepared{.source = std::move(built.source),
                    .target = std::move(built.target),
                    .seed = seed,
                    .candidate = {.code = std::move(built.code), .plans = {}}};
  WW_CHECK(choose_work(prepared, context));
  WW_TRY(const Calls calls, calls_of(prepared));
  WW_TRY(const auto outcome,
         record_program(prepared, built.builder, prepared.candidate, calls, context));
  if (outcome.verdict != Verdict::ok) return not_recorded(outcome, calls, prepared.request());
  if (auto ended = judge_plans(prepared, context.notes)) return std::move(*ended);
  WW_CHECK(demand_kernels(prepared));
  if (!has_reference(prepared.task()) && !prepared.request().timing_only) {
    WW_TRY(prepared.baseline, recorded_baseline(prepared, built.builder, calls, context));
  }
  return prepared;
}

}  // namespace warpwright::evaluate
