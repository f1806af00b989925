// SPDX-License-Identifier: Apache-2.0
// Times on the SIMT machine: estimates from a part of the blocks, most of them on results that
// nobody sees. A call that seems to do too little is run as a whole, and its results are checked.
#include <fmt/format.h>

#include <algorithm>

#include "evaluate/limits.h"
#include "evaluate/measure.h"

namespace warpwright::evaluate {

namespace {

constexpr std::uint64_t kEstimatedElements = std::uint64_t{1} << 20;
// Some blocks write less than others, and a part of them stands for all.
constexpr double kEnoughWritten = 0.95;
constexpr double kWholeRunSeconds = 20;

void add_findings(Notes& notes, const std::vector<Finding>& findings) {
  auto& all = notes.findings;
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

Result<bool> does_too_little(const Session& session, const Sized& sized,
                             const device::RunReport& report) {
  const JobRequest& request = session.prepared.request();
  if (request.is_baseline || request.timing_only) return false;
  if (report.elapsed_us < sized.roof.impossible_us) return true;
  WW_TRY(const double least, least_written(request.task, *sized.size));
  return report.written_bytes < kEnoughWritten * least;
}

/// The whole call with its own inputs, and whether its results are right.
Outcome<> run_whole(Session& session, const Sized& sized, device::RunReport& report) {
  const verify::Case item{sized.size, nullptr};
  const std::uint64_t seed = timed_seed(session.prepared, sized.number, 0);
  WW_TRY(auto loaded, load_case(session, item, seed));
  WW_TRY(auto whole,
         loaded.replay->run(
             {.poison_seed = derived_seed(seed, 0), .timed = true, .limit_s = kWholeRunSeconds}));
  const bool endless =
      std::any_of(whole.faults.begin(), whole.faults.end(),
                  [](const device::Fault& fault) { return fault.verdict == Verdict::timeout; });
  if (endless) {
    report.elapsed_us = std::max(report.elapsed_us, sized.roof.floor_us);
    note(session.context,
         fmt::format("size {}: the part of the blocks that was run writes too little, and all of "
                     "them are too many to be checked here",
                     sized.size->label));
    return {};
  }
  if (!whole.faults.empty()) {
    return faulted(session.prepared, whole.faults, item, session.context.notes);
  }
  WW_TRY(const auto expected, expected_values(session, loaded));
  WW_CHECK(check_results(session, loaded, expected, whole.findings));
  report = std::move(whole);
  return outcome_of(impossible(sized, report.elapsed_us));
}

}  // namespace

Result<SampledRun> run_sampled(Session& session, const TaskSize& size, std::uint64_t seed,
                               bool keep_launches) {
  const Prepared& prepared = session.prepared;
  WW_TRY(const auto call, call_of(prepared.task(), size, nullptr));
  WW_TRY(const auto trial, verify::make_trial(prepared.task(), size, nullptr, seed));
  WW_TRY(const auto inputs, verify::generate_inputs(trial, kEstimatedElements));
  WW_TRY(auto buffers, CaseBuffers::make(session.device, prepared.task(), call, inputs));
  const LaunchPlan& plan = prepared.candidate.plans.at(call_key(call));
  WW_TRY(auto replay, session.device.prepare(session.module, plan, buffers.bindings()));
  WW_TRY(auto report,
         replay->run({.poison_seed = prepared.seed,
                      .timed = true,
                      .may_sample = true,
                      .limit_s = work_limits(prepared.request(), prepared.target).run_s,
                      .keep_launches = keep_launches}));
  return SampledRun{std::move(report), &plan};
}

Result<std::optional<device::RunReport>> estimate(Session& session, const Sized& sized) {
  WW_TRY(auto sampled, run_sampled(session, *sized.size, timed_seed(session.prepared, 0, 0)));
  device::RunReport& report = sampled.report;
  if (!report.faults.empty()) {
    note(session.context,
         fmt::format("size {} has no estimate: a sample of its blocks does not run on its own ({})",
                     sized.size->label, report.faults.front().kind.name()));
    return std::optional<device::RunReport>{};
  }
  merge_resources(session, report.resources, *sampled.plan);
  add_findings(session.context.notes, report.findings);
  return std::optional(std::move(report));
}

Outcome<std::optional<Measurement>> estimate_size(Session& session, const Sized& sized) {
  WW_TRY(auto report, estimate(session, sized));
  if (!report) return std::optional<Measurement>{};
  const bool checked = has_case(session.prepared.cases, *sized.size);
  WW_TRY(const bool too_little, does_too_little(session, sized, *report));
  if (!checked && too_little) WW_CHECK(run_whole(session, sized, *report));
  return std::optional(estimated_measurement(sized, report->elapsed_us));
}

Measurement estimated_measurement(const Sized& sized, double us) {
  return {.size = sized.size->label,
          .source = TimeSource::estimated,
          .median_us = us,
          .low_us = us,
          .high_us = us,
          .samples = 1,
          .floor_us = sized.roof.floor_us};
}

}  // namespace warpwright::evaluate
