// SPDX-License-Identifier: Apache-2.0
#include "evaluate/trial_measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/clock.h"
#include "evaluate/counters.h"
#include "evaluate/trial_checks.h"
#include "evaluate/trial_feedback.h"
#include "evaluate/trial_limits.h"

namespace warpwright::evaluate {

namespace {

// Clocks rise within this time; later sizes find them risen.
constexpr double kFirstWarmUpSeconds = 0.01;
constexpr double kIdleWarmUpSeconds = 0.3;  // they were down
constexpr double kLaterWarmUpSeconds = 0.002;

}  // namespace

Result<std::vector<Sized>> sized_of(const TrialState& state) {
  std::vector<Sized> all;
  for (std::size_t i = 0; i < state.timed.size(); ++i) {
    WW_TRY(const auto roof,
           profile::roofline(state.request.task, *state.timed[i], state.device->info().facts));
    all.push_back({state.timed[i], i, state.timed.size() - i, roof});
  }
  return all;
}

Result<std::vector<LoadedCase>> load_sets(TrialState& state, const Sized& sized) {
  WW_TRY(const std::uint64_t bytes, footprint_bytes(state.request.task, *sized.size));
  const std::uint64_t wanted = input_sets(bytes);
  const std::uint64_t sets = bytes * wanted < state.device->info().free_bytes * 7 / 10 ? wanted : 1;
  std::vector<LoadedCase> loaded;
  for (std::uint64_t s = 0; s < sets; ++s) {
    WW_TRY(const auto module, module_copy(state, state.candidate, s + 1));
    if (s >= kContents) {
      WW_TRY(auto one, copy_case(state, loaded[s % kContents], module));
      loaded.push_back(std::move(one));
      continue;
    }
    const std::uint64_t seed = timed_seed(state, sized.number, s);
    WW_TRY(auto one,
           load_case(state, *state.device, state.candidate, {sized.size, nullptr}, seed, module));
    loaded.push_back(std::move(one));
  }
  return loaded;
}

LoadedCase& with_inputs(std::vector<LoadedCase>& sets, std::size_t number) {
  LoadedCase& set = sets[number];
  if (number >= kContents) set.inputs = std::move(sets[number % kContents].inputs);
  return set;
}

Result<double> timed_run(TrialState& state, device::Replay& replay, std::uint64_t call,
                         std::vector<device::Fault>& faults, bool shifted) {
  WW_TRY(auto report, replay.run({.poison_seed = derived_seed(state.seed, ~call),
                                  .timed = true,
                                  .shifted = shifted,
                                  .limit_s = work_limits(state).run_s}));
  if (report.faults.empty()) return report.elapsed_us;
  faults = std::move(report.faults);
  return Error{faults.front().message};
}

std::optional<Next> impossible(TrialState& state, const Sized& sized, double median_us) {
  if (median_us >= sized.roof.impossible_us) return std::nullopt;
  const std::string reason =
      fmt::format("size {}: {:.2f} us is less than the device needs to move the data",
                  sized.size->label, median_us);
  return end_with(state, Verdict::cheat, reason,
                  "At size " + sized.size->label +
                      " the kernel cannot have read its inputs and written its outputs in the time "
                      "it took.\n");
}

double sampling_s(const TrialState& state, const Sized& sized, double most_s) {
  const double share = 0.5 * state.deadline.remaining_s() / static_cast<double>(sized.left);
  return std::clamp(share, 0.1, most_s);
}

profile::WarmUp warm_up_of(const TrialState& state, const Sized& sized) {
  const double first_s = state.device->info().was_idle ? kIdleWarmUpSeconds : kFirstWarmUpSeconds;
  return {.min_s = sized.number == 0 ? first_s : kLaterWarmUpSeconds,
          .max_s = sampling_s(state, sized, 0.5)};
}

std::vector<double> kept_raw(std::span<const double> samples_us) {
  std::vector<double> kept;
  for (const double us : samples_us.first(std::min(samples_us.size(), kMaxRawSamples))) {
    kept.push_back(std::round(us * 1e3) / 1e3);
  }
  return kept;
}

namespace {

/// Results that are still being checked need no device: the next candidate may have it.
Result<Next> settle_late(TrialState& state) {
  if (!state.checks || !state.settles_late) return Next::go_on;
  WW_TRY(const Next next, state.checks->settle_validation());
  if (next == Next::ended) return next;
  if (state.target.is_cuda) leave_device(state);
  return state.checks->settle_all();
}

}  // namespace

namespace {

/// One size after the other: estimates, or the times of a baseline that tests have validated.
Result<Next> without_checks(TrialState& state, std::span<const Sized> sizes, bool estimated) {
  for (const Sized& sized : sizes) {
    if (state.stop.requested()) return Error{"stopped"};
    if (const auto ended = out_of_time(state)) return *ended;
    WW_TRY(const Next next, estimated
                                ? estimate_size(state, sized)
                                : time_without_checks(state, *sized.size, sized.roof.floor_us));
    if (next == Next::ended) return next;
  }
  return Next::go_on;
}

}  // namespace

Result<Next> measure_stage(TrialState& state) {
  const bool estimated = state.device->info().time_source == TimeSource::estimated;
  if (!estimated) {
    const device::DeviceInfo& info = state.device->info();
    std::string text =
        fmt::format("times include {:.2f} us of the timer's own", info.timer_overhead_us);
    if (info.empty_kernel_us > 0) {
      text += fmt::format("; an empty kernel takes {:.2f} us by this clock", info.empty_kernel_us);
    }
    note(state, std::move(text));
  }
  TrialWatch watch(state);
  WW_TRY(const auto sizes, sized_of(state));
  const bool checked = !estimated && !state.request.timing_only;
  WW_TRY(const Next next,
         checked ? time_sizes(state, sizes, watch) : without_checks(state, sizes, estimated));
  if (next == Next::ended) return next;
  if (state.request.counters) ask_counters(state);
  return settle_late(state);
}

}  // namespace warpwright::evaluate
