// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "base/clock.h"
#include "evaluate/trial_feedback.h"
#include "evaluate/trial_limits.h"
#include "evaluate/trial_runs.h"
#include "profile/roofline.h"
#include "profile/timing.h"

namespace warpwright::evaluate {

namespace {

// So that no input is still in a cache, and no address or value is met twice in a row.
constexpr std::uint64_t kInputSets = 3;
// Seeds of timed inputs, apart from those of validation.
constexpr std::uint64_t kTimedSeeds = 1 << 20;
constexpr std::uint64_t kEstimatedElements = std::uint64_t{1} << 20;

struct Sized {
  const TaskSize* size;
  std::size_t number;
  profile::Roofline roof;
};

void add_findings(TrialState& state, const std::vector<Finding>& findings) {
  auto& all = state.evaluation.findings;
  for (const Finding& finding : findings) {
    const bool known = std::any_of(all.begin(), all.end(), [&](const Finding& other) {
      return other.kind == finding.kind && other.line == finding.line;
    });
    if (!known) all.push_back(finding);
  }
}

/// One replay on the SIMT machine, of a part of the blocks where there are many.
Result<Next> estimate_size(TrialState& state, const Sized& sized) {
  const Task& task = state.request.task;
  WW_TRY(const auto call, call_of(task, *sized.size, nullptr));
  WW_TRY(const auto trial,
         verify::make_trial(task, *sized.size, nullptr, derived_seed(state.seed, kTimedSeeds)));
  WW_TRY(const auto inputs, make_inputs(trial, kEstimatedElements));
  WW_TRY(auto buffers, CaseBuffers::make(*state.device, task, call, inputs));
  const LaunchPlan& plan = state.candidate.plans.at(call_key(call));
  WW_TRY(auto replay, state.device->prepare(state.candidate.module, plan, buffers.bindings()));
  WW_TRY(const auto report, replay->run({.poison_seed = state.seed,
                                         .timed = true,
                                         .may_sample = true,
                                         .limit_s = work_limits(state).run_s}));
  if (!report.faults.empty()) {
    note(state, fmt::format("size {} has no estimate: a sample of its blocks does not run on its "
                            "own ({})",
                            sized.size->label, report.faults.front().kind));
    return Next::go_on;
  }
  merge_resources(state, report.resources, plan);
  add_findings(state, report.findings);
  state.evaluation.measurements.push_back({.size = sized.size->label,
                                           .source = TimeSource::estimated,
                                           .median_us = report.elapsed_us,
                                           .low_us = report.elapsed_us,
                                           .high_us = report.elapsed_us,
                                           .samples = 1,
                                           .floor_us = sized.roof.floor_us});
  return Next::go_on;
}

profile::TimingOptions timing_options(const TrialState& state, std::size_t sizes_left) {
  const double share = 0.5 * state.deadline.remaining_s() / static_cast<double>(sizes_left);
  profile::TimingOptions options;
  options.warm_up = {.min_s = 0.05, .max_s = std::clamp(share, 0.05, 0.5)};
  options.stop.max_s = std::clamp(share, 0.1, 1.0);
  return options;
}

/// A set picked after the fact: had a timed call been wrong, it would show.
Result<Next> check_timed_results(TrialState& state, std::vector<LoadedCase>& sets) {
  std::random_device random;
  const LoadedCase& picked = sets[random() % sets.size()];
  WW_TRY(const auto expected, expected_values(state, picked));
  WW_TRY(const Next next, check_results(state, picked, expected, {}));
  if (next == Next::ended) {
    state.evaluation.feedback += "This was found in a timed call; untimed calls were right.\n";
  }
  return next;
}

Result<std::vector<LoadedCase>> load_sets(TrialState& state, const Sized& sized) {
  WW_TRY(const std::uint64_t bytes, footprint_bytes(state.request.task, *sized.size));
  const std::uint64_t sets =
      bytes * kInputSets < state.device->info().free_bytes * 7 / 10 ? kInputSets : 1;
  std::vector<LoadedCase> loaded;
  for (std::uint64_t s = 0; s < sets; ++s) {
    const std::uint64_t seed =
        derived_seed(state.seed, kTimedSeeds + sized.number * kInputSets + s);
    WW_TRY(auto one, load_case(state, *state.device, state.candidate, {sized.size, nullptr}, seed));
    loaded.push_back(std::move(one));
  }
  return loaded;
}

Result<Next> time_size(TrialState& state, const Sized& sized, std::size_t sizes_left) {
  WW_TRY(auto sets, load_sets(state, sized));
  std::uint64_t calls = 0;
  std::vector<device::Fault> faults;
  const auto next_sample = [&]() -> Result<double> {
    LoadedCase& set = sets[calls % sets.size()];
    const std::uint64_t poison_seed = derived_seed(state.seed, ~calls);
    ++calls;
    WW_TRY(auto report,
           set.replay->run(
               {.poison_seed = poison_seed, .timed = true, .limit_s = work_limits(state).run_s}));
    if (report.faults.empty()) return report.elapsed_us;
    faults = std::move(report.faults);
    return Error{faults.front().message};
  };
  const auto timing =
      profile::gather(next_sample, timing_options(state, sizes_left), SystemClock(), &state.stop);
  if (!faults.empty()) return end_with_faults(state, faults, {sized.size, nullptr});
  if (!timing.ok()) return timing.error();
  state.evaluation.measurements.push_back({.size = sized.size->label,
                                           .source = TimeSource::measured,
                                           .median_us = timing->time_us.median,
                                           .low_us = timing->time_us.low,
                                           .high_us = timing->time_us.high,
                                           .samples = static_cast<int>(timing->samples_us.size()),
                                           .floor_us = sized.roof.floor_us});
  if (timing->dropped > 0) {
    note(state, fmt::format("size {}: {} of {} samples were dropped as disturbed",
                            sized.size->label, timing->dropped, timing->samples_us.size()));
  }
  // Warm-up may have ended before every set was used.
  while (calls < sets.size()) {
    if (const auto sample = next_sample(); !sample.ok()) return sample.error();
  }
  WW_TRY(const Next next, check_timed_results(state, sets));
  if (next == Next::ended || timing->time_us.median >= sized.roof.impossible_us) return next;
  const std::string reason =
      fmt::format("size {}: {:.2f} us is less than the device needs to move the data",
                  sized.size->label, timing->time_us.median);
  return end_with(state, Verdict::cheat, reason,
                  "At size " + sized.size->label +
                      " the kernel cannot have read its inputs and written its outputs in the time "
                      "it took.\n");
}

}  // namespace

Result<Next> measure_stage(TrialState& state) {
  const bool estimated = state.device->info().time_source == TimeSource::estimated;
  if (!estimated) {
    note(state, fmt::format("times include {:.2f} us of the timer's own",
                            state.device->info().timer_overhead_us));
  }
  for (std::size_t i = 0; i < state.timed.size(); ++i) {
    if (state.stop.requested()) return Error{"stopped"};
    if (const auto ended = out_of_time(state)) return *ended;
    WW_TRY(const auto roof,
           profile::roofline(state.request.task, *state.timed[i], state.device->info().facts));
    const Sized sized{state.timed[i], i, roof};
    if (state.request.timing_only && !estimated) {
      WW_TRY(const Next timed, time_without_checks(state, *sized.size, roof.floor_us));
      if (timed == Next::ended) return timed;
      continue;
    }
    WW_TRY(const Next next, estimated ? estimate_size(state, sized)
                                      : time_size(state, sized, state.timed.size() - i));
    if (next == Next::ended) return next;
  }
  return Next::go_on;
}

}  // namespace warpwright::evaluate
