// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "evaluate/trial_checks.h"
#include "evaluate/trial_feedback.h"
#include "evaluate/trial_limits.h"
#include "evaluate/trial_rules.h"
#include "evaluate/trial_runs.h"
#include "evaluate/trial_sanitize.h"

namespace warpwright::evaluate {

namespace {

Status load_reference(TrialState& state) {
  if (state.request.task.reference_source.empty() || state.request.timing_only) return {};
  const auto cache = state.request.cache.empty() ? state.scratch / "cache" : state.request.cache;
  WW_TRY(auto reference,
         verify::Reference::load(state.request.task, {.cache = cache / "references"}));
  state.reference.emplace(std::move(reference));
  return {};
}

Result<Next> open_and_load(TrialState& state) {
  WW_CHECK(load_reference(state));
  state.seed = state.request.seed.value_or(state.seed);  // given by now, in a comparison
  state.evaluation.seed = fmt::format("{:#018x}", state.seed);
  if (state.target.is_cuda && !state.request.timing_only) {
    // All that needs no GPU, while another candidate may have it. A kernel that is known to access
    // what it must not does not get that far.
    if (look_before(state) == Next::ended) return Next::ended;
    WW_CHECK(make_ahead(state));
  }
  if (const auto ended = out_of_time(state)) return *ended;
  if (state.device == nullptr) {
    const PartTimer timer(state, "wait");
    WW_TRY(state.lease, state.station.lease(state.target, state.deadline.remaining_s()));
    state.deadline.postpone(state.lease.waited_s());
    state.device = state.lease.device();
    state.device_since = std::chrono::steady_clock::now();
  }
  state.evaluation.device = state.device->info().description;
  WW_TRY(const auto fault, load_program(*state.device, state.candidate));
  if (fault) {
    return end_with(state, fault->verdict, fault->message, fault->message + "\n");
  }
  if (state.baseline) {
    WW_TRY(const auto own, load_program(*state.device, *state.baseline));
    if (own) return Error{"the task's baseline cannot be loaded: " + own->message};
  }
  return Next::go_on;
}

/// A GPU says that something went wrong, not where: the SIMT machine finds the line, if it can.
std::vector<device::Fault> explained(TrialState& state, std::vector<device::Fault> faults,
                                     const verify::Case& item, std::uint64_t seed) {
  constexpr std::uint64_t kSmallBytes = 8 << 20;
  const auto bytes = footprint_bytes(state.request.task, *item.size);
  if (!state.target.is_cuda || !bytes.ok() || *bytes > kSmallBytes) return faults;
  if (faults.front().kind == "timeout") return faults;  // it would not end there either
  device::ResolvedDevice simt{.choice = {.device = "simt"}, .facts = state.target.facts};
  auto machine = device::open_device(simt, 0);
  if (!machine.ok()) return faults;
  Program program{.source = state.candidate.source,
                  .built = state.candidate.built,
                  .plans = state.candidate.plans};
  const auto unloadable = load_program(**machine, program);
  if (!unloadable.ok() || *unloadable) return faults;
  auto loaded = load_case(state, **machine, program, item, seed);
  if (!loaded.ok()) return faults;
  auto report = loaded->replay->run({.poison_seed = seed, .limit_s = 4});
  if (!report.ok() || report->faults.empty()) return faults;
  // The verdict is the hardware's; the place is the machine's.
  for (device::Fault& fault : report->faults) fault.verdict = faults.front().verdict;
  return std::move(report->faults);
}

/// A simulated run of a large size that takes too long is a limit of ours, not a hang: small sizes
/// have ended before it.
bool too_large_to_judge(TrialState& state, const device::RunReport& report,
                        const verify::Case& item) {
  const std::uint64_t hang_bytes = work_limits(state).hang_bytes;
  if (hang_bytes == 0 || report.faults.empty() || report.faults.front().kind != "timeout") {
    return false;
  }
  const auto bytes = footprint_bytes(state.request.task, *item.size);
  if (!bytes.ok() || *bytes <= hang_bytes) return false;
  note(state, describe_case(item) + " was not checked: too much work to simulate");
  return true;
}

/// One run of a case. Absent: the machine could not judge it, or the trial has ended.
Result<std::optional<device::RunReport>> run_case(TrialState& state, LoadedCase& loaded,
                                                  CheckQueue& checks, std::uint64_t poison_seed,
                                                  Next& next) {
  device::RunReport report;
  {
    const PartTimer timer(state, "run");
    WW_TRY(report, loaded.replay->run(
                       {.poison_seed = poison_seed, .limit_s = run_limit_s(state, loaded.item)}));
  }
  if (too_large_to_judge(state, report, loaded.item)) return std::optional<device::RunReport>{};
  if (!report.faults.empty()) {
    // An earlier case may be wrong, and says more about the candidate.
    WW_TRY(next, checks.settle_all());
    if (next == Next::ended) return std::optional<device::RunReport>{};
    next = end_with_faults(state, explained(state, report.faults, loaded.item, loaded.trial.seed),
                           loaded.item);
    return std::optional<device::RunReport>{};
  }
  merge_resources(state, report.resources, state.candidate.plans.at(call_key(loaded.call)));
  return std::optional(std::move(report));
}

/// A rule on the work done is about right results; wrong ones have a verdict of their own.
Result<Next> judge_right_work(TrialState& state, const LoadedCase& loaded,
                              std::span<const verify::Expected> expected, const Fetched& fetched,
                              const device::RunReport& report) {
  if (!has_rule(state.request.task, "adjacent_exchange")) return Next::go_on;
  WW_TRY(const auto wrong, find_wrong(loaded.trial, loaded.inputs, expected, fetched));
  return wrong ? Next::go_on : judge_work(state, loaded, report);
}

Result<Next> validate_case(TrialState& state, const verify::Case& item, std::uint64_t number,
                           CheckQueue& checks) {
  const std::uint64_t seed = derived_seed(state.seed, number);
  WW_TRY(auto loaded, load_case(state, *state.device, state.candidate, item, seed));
  WW_TRY(auto expected, expected_values(state, loaded));
  // Every other case a second time: what an output held before must not matter.
  CheckQueue::Results results;
  const std::uint64_t last = number % 2;
  for (std::uint64_t run = 0; run <= last; ++run) {
    Next next = Next::go_on;
    const std::uint64_t poison_seed = run == 0 ? seed : derived_seed(seed, run);
    WW_TRY(const auto report, run_case(state, loaded, checks, poison_seed, next));
    if (next == Next::ended) return next;
    if (!report) break;
    const PartTimer timer(state, "fetch");
    WW_TRY(auto fetched, fetch_results(loaded, run == last));
    results.runs.push_back(std::move(fetched));
    if (run > 0) continue;
    results.findings = report->findings;
    WW_TRY(next, judge_right_work(state, loaded, expected, results.runs.front(), *report));
    if (next == Next::ended) return next;
  }
  return checks.add(loaded, std::move(expected), std::move(results));
}

}  // namespace

Result<Next> validate_stage(TrialState& state) {
  WW_TRY(const Next opened, open_and_load(state));
  if (opened == Next::ended) return opened;
  state.checks = std::make_shared<CheckQueue>(state);
  CheckQueue& checks = *state.checks;
  const double budget_s = work_limits(state).validate_s;
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < state.cases.size(); ++i) {
    if (state.stop.requested()) return Error{"stopped"};
    if (const auto ended = out_of_time(state)) return *ended;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    if (spent.count() > budget_s && !state.target.is_cuda) {
      note(state, fmt::format("{} of {} validation cases were left out for want of time",
                              state.cases.size() - i, state.cases.size()));
      break;
    }
    WW_TRY(const Next next, validate_case(state, state.cases[i], i, checks));
    if (next == Next::ended) return next;
  }
  const bool late = state.settles_late && state.target.is_cuda;
  return late ? checks.settle_ready() : checks.settle_all();
}

}  // namespace warpwright::evaluate
