// SPDX-License-Identifier: Apache-2.0
#include "evaluate/explain.h"

#include <algorithm>

#include "device/simt_findings.h"
#include "evaluate/trial_limits.h"
#include "evaluate/trial_measure.h"
#include "evaluate/trial_runs.h"

namespace warpwright::evaluate {

namespace {

constexpr double kCheckedSeconds = 5;
// A run of so little that takes too long is a hang.
constexpr std::uint64_t kHangBytes = 64 << 10;
constexpr std::uint64_t kSeed = 20260101;

Result<Next> prepare_program(TrialState& state) {
  for (const auto stage : {lint_stage, build_stage, record_stage}) {
    WW_TRY(const Next next, stage(state));
    if (next == Next::ended) return next;
    if (state.stop.requested()) return Error{"stopped"};
  }
  WW_TRY(state.lease, state.station.lease(state.target, state.deadline.remaining_s()));
  state.device = state.lease.device();
  WW_TRY(const auto loaded,
         state.device->load(
             {.ptx = state.candidate.built.ptx, .cubin = "", .source_file = "candidate.cu"}));
  if (loaded.fault) {
    return end_with(state, loaded.fault->verdict, loaded.fault->message, loaded.fault->message);
  }
  state.candidate.module = loaded.module;
  state.seed = state.request.seed.value_or(kSeed);
  return Next::go_on;
}

/// The size asked for if it can be checked, else the largest that can, up to `most_bytes`.
Result<const verify::Case*> checked_case(const TrialState& state, std::uint64_t most_bytes) {
  const verify::Case* best = nullptr;
  std::uint64_t most = 0;
  for (const verify::Case& item : state.cases) {
    // What is explained must not depend on what was drawn.
    const bool known = size_labelled(state.request.task, item.size->label) == item.size;
    if (item.variant != nullptr || !known) continue;
    WW_TRY(const std::uint64_t bytes, footprint_bytes(state.request.task, *item.size));
    if (bytes > most_bytes) continue;
    const bool asked = !state.request.sizes.empty() && item.size->label == state.request.sizes[0];
    if (asked) return &item;
    if (best != nullptr && bytes < most) continue;
    best = &item;
    most = bytes;
  }
  return best;
}

bool timed_out(const device::RunReport& report) {
  return std::any_of(report.faults.begin(), report.faults.end(),
                     [](const device::Fault& fault) { return fault.kind == "timeout"; });
}

Status run_checked(TrialState& state, Explanation& e) {
  for (const std::uint64_t most_bytes : {~std::uint64_t{0}, kHangBytes}) {
    WW_TRY(const verify::Case* item, checked_case(state, most_bytes));
    if (item == nullptr || item->size->label == e.checked_size) return {};
    WW_TRY(auto loaded, load_case(state, *state.device, state.candidate, *item, state.seed));
    WW_TRY(auto report,
           loaded.replay->run(
               {.poison_seed = state.seed, .limit_s = kCheckedSeconds, .keep_launches = true}));
    e.checked_size = item->size->label;
    e.checked = std::move(report.launches);
    // What never became a launch has no launch report.
    for (const device::Fault& fault : report.faults)
      if (fault.kind == "invalid_launch" || fault.kind == "out_of_memory")
        e.evaluation.findings.push_back({fault.kind, fault.line, fault.message});
    if (!timed_out(report)) return {};
  }
  return {};
}

Status run_counted(TrialState& state, Explanation& e) {
  if (state.timed.empty()) return {};
  const TaskSize& size = *state.timed.back();
  WW_TRY(auto sampled, run_sampled(state, size, derived_seed(state.seed, 1), true));
  device::RunReport& report = sampled.report;
  e.counted_size = size.label;
  e.counted = std::move(report.launches);
  if (report.faults.empty()) e.estimate_us = report.elapsed_us;
  merge_resources(state, report.resources, *sampled.plan);
  for (Finding& finding : report.findings) e.evaluation.findings.push_back(std::move(finding));
  return {};
}

}  // namespace

std::vector<simt::Fault> Explanation::faults() const {
  std::vector<simt::Fault> all;
  for (const device::LaunchDetail& launch : checked)
    all.insert(all.end(), launch.report.faults.begin(), launch.report.faults.end());
  std::stable_sort(all.begin(), all.end(), [](const simt::Fault& a, const simt::Fault& b) {
    return device::is_only_a_finding(a) < device::is_only_a_finding(b);
  });
  return all;
}

bool Explanation::clean() const {
  const auto all = faults();
  return evaluation.valid() && std::all_of(all.begin(), all.end(), device::is_only_a_finding);
}

Result<Explanation> explain(const JobRequest& request, const std::filesystem::path& scratch,
                            const StopSignal& stop) {
  JobRequest simulated = request;
  simulated.device = "simt";
  simulated.checks = "full";
  Station station;
  TrialState state = begin_trial(simulated, scratch, station, stop);
  Explanation e;
  e.task = request.task.name;
  e.source = request.source;
  WW_TRY(const Next next, prepare_program(state));
  e.target = state.target.facts;
  if (next == Next::go_on) {
    state.evaluation.verdict = Verdict::ok;
    WW_CHECK(run_checked(state, e));
    WW_CHECK(run_counted(state, e));
  }
  std::vector<Finding> findings = std::move(e.evaluation.findings);
  e.evaluation = std::move(state.evaluation);
  e.evaluation.findings.insert(e.evaluation.findings.end(), findings.begin(), findings.end());
  return e;
}

}  // namespace warpwright::evaluate
