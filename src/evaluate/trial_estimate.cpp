// SPDX-License-Identifier: Apache-2.0
// Times on the SIMT machine: estimates from a part of the blocks, most of them on results that
// nobody sees. A call that seems to do too little is run as a whole, and its results are checked.
#include <fmt/format.h>

#include <algorithm>

#include "evaluate/trial_feedback.h"
#include "evaluate/trial_limits.h"
#include "evaluate/trial_measure.h"

namespace warpwright::evaluate {

namespace {

constexpr std::uint64_t kEstimatedElements = std::uint64_t{1} << 20;
// Some blocks write less than others, and a part of them stands for all.
constexpr double kEnoughWritten = 0.95;
constexpr double kWholeRunSeconds = 20;

void add_findings(TrialState& state, const std::vector<Finding>& findings) {
  auto& all = state.evaluation.findings;
  for (const Finding& finding : findings) {
    const bool known = std::any_of(all.begin(), all.end(), [&](const Finding& other) {
      return other.kind == finding.kind && other.line == finding.line;
    });
    if (!known) all.push_back(finding);
  }
}

/// What a call writes at least: its outputs hold arbitrary bits before it.
Result<double> least_written(const Task& task, const TaskSize& size) {
  WW_TRY(const auto call, call_of(task, size, nullptr));
  double bytes = 0;
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    const TaskArgument& argument = task.arguments[i];
    if (!is_buffer(argument) || argument.role != ArgumentRole::output) continue;
    bytes += static_cast<double>(call.arguments[i].buffer_bytes);
  }
  return bytes;
}

Result<bool> does_too_little(const TrialState& state, const Sized& sized,
                             const device::RunReport& report) {
  if (state.request.is_baseline || state.request.timing_only) return false;
  if (report.elapsed_us < sized.roof.impossible_us) return true;
  WW_TRY(const double least, least_written(state.request.task, *sized.size));
  return report.written_bytes < kEnoughWritten * least;
}

/// The whole call with its own inputs, and whether its results are right.
Result<Next> run_whole(TrialState& state, const Sized& sized, device::RunReport& report) {
  const verify::Case item{sized.size, nullptr};
  const std::uint64_t seed = timed_seed(state, sized.number, 0);
  WW_TRY(auto loaded, load_case(state, *state.device, state.candidate, item, seed));
  WW_TRY(auto whole,
         loaded.replay->run(
             {.poison_seed = derived_seed(seed, 0), .timed = true, .limit_s = kWholeRunSeconds}));
  const bool endless =
      std::any_of(whole.faults.begin(), whole.faults.end(),
                  [](const device::Fault& fault) { return fault.verdict == Verdict::timeout; });
  if (endless) {
    report.elapsed_us = std::max(report.elapsed_us, sized.roof.floor_us);
    note(state, fmt::format("size {}: the part of the blocks that was run writes too little, and "
                            "all of them are too many to be checked here",
                            sized.size->label));
    return Next::go_on;
  }
  if (!whole.faults.empty()) return end_with_faults(state, whole.faults, item);
  WW_TRY(const auto expected, expected_values(state, loaded));
  WW_TRY(const Next next, check_results(state, loaded, expected, whole.findings));
  if (next == Next::ended) return next;
  report = std::move(whole);
  if (const auto ended = impossible(state, sized, report.elapsed_us)) return *ended;
  return Next::go_on;
}

}  // namespace

Result<SampledRun> run_sampled(TrialState& state, const TaskSize& size, std::uint64_t seed,
                               bool keep_launches) {
  const Task& task = state.request.task;
  WW_TRY(const auto call, call_of(task, size, nullptr));
  WW_TRY(const auto trial, verify::make_trial(task, size, nullptr, seed));
  WW_TRY(const auto inputs, verify::generate_inputs(trial, kEstimatedElements));
  WW_TRY(auto buffers, CaseBuffers::make(*state.device, task, call, inputs));
  const LaunchPlan& plan = state.candidate.plans.at(call_key(call));
  WW_TRY(auto replay, state.device->prepare(state.candidate.module, plan, buffers.bindings()));
  WW_TRY(auto report, replay->run({.poison_seed = state.seed,
                                   .timed = true,
                                   .may_sample = true,
                                   .limit_s = work_limits(state).run_s,
                                   .keep_launches = keep_launches}));
  return SampledRun{std::move(report), &plan};
}

Result<std::optional<device::RunReport>> estimate(TrialState& state, const Sized& sized) {
  WW_TRY(auto sampled, run_sampled(state, *sized.size, timed_seed(state, 0, 0)));
  device::RunReport& report = sampled.report;
  if (!report.faults.empty()) {
    note(state, fmt::format("size {} has no estimate: a sample of its blocks does not run on its "
                            "own ({})",
                            sized.size->label, report.faults.front().kind));
    return std::optional<device::RunReport>{};
  }
  merge_resources(state, report.resources, *sampled.plan);
  add_findings(state, report.findings);
  return std::optional(std::move(report));
}

Result<Next> estimate_size(TrialState& state, const Sized& sized) {
  WW_TRY(auto report, estimate(state, sized));
  if (!report) return Next::go_on;
  const bool checked = has_case(state.cases, *sized.size);
  WW_TRY(const bool too_little, does_too_little(state, sized, *report));
  if (!checked && too_little) {
    WW_TRY(const Next next, run_whole(state, sized, *report));
    if (next == Next::ended) return next;
  }
  state.evaluation.measurements.push_back({.size = sized.size->label,
                                           .source = TimeSource::estimated,
                                           .median_us = report->elapsed_us,
                                           .low_us = report->elapsed_us,
                                           .high_us = report->elapsed_us,
                                           .samples = 1,
                                           .floor_us = sized.roof.floor_us});
  return Next::go_on;
}

}  // namespace warpwright::evaluate
