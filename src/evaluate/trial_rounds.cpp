// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/clock.h"
#include "base/one_way.h"
#include "evaluate/spot_checks.h"
#include "evaluate/trial_checks.h"
#include "evaluate/trial_feedback.h"
#include "evaluate/trial_limits.h"
#include "evaluate/trial_measure.h"
#include "evaluate/turns.h"

namespace warpwright::evaluate {

namespace {

// A GPU is a per cent faster or slower for tens of milliseconds at a time, and a size has all of
// its samples within that. So sizes take turns.
constexpr int kRounds = 8;
constexpr int kLeastRounds = 4;              // a size that is steady within these needs no more
constexpr std::uint64_t kShareOfMemory = 4;  // a quarter for all sizes that take turns

/// A size that is being timed, and all that its samples need.
struct Timed {
  const Sized* sized = nullptr;
  std::vector<LoadedCase> sets;
  profile::Timing timing;
  std::vector<device::Fault> faults;
  bool enough = false;
  std::optional<SpotChecks> spots;
};

Turns turns_of(const Timed& timed) { return {timed.sets.size()}; }

SpotChecks::Digest digest_of(const LoadedCase& set) {
  return [&set] { return set.buffers.output_digest(); };
}

SpotChecks::Fetch fetch_of(TrialState& state, const LoadedCase& set) {
  return [&] {
    const PartTimer timer(state, "fetch");
    return fetch_results(set);
  };
}

Result<double> sample(TrialState& state, Timed& timed, std::uint64_t call) {
  const std::size_t number = turns_of(timed).set_of(call);
  LoadedCase& set = timed.sets[number];
  const bool shifted = turns_of(timed).shifted(call);
  WW_TRY(const double us, timed_run(state, *set.replay, call, timed.faults, shifted));
  WW_CHECK(timed.spots->after_call(number, digest_of(set), fetch_of(state, set)));
  return us;
}

/// What some timed calls left, picked beforehand and after the fact.
Result<Next> check_timed_results(TrialState& state, Timed& timed) {
  LoadedCase& picked = with_inputs(timed.sets, timed.spots->last_set());
  WW_CHECK(timed.spots->at_end(digest_of(picked), fetch_of(state, picked)));
  return state.checks->add_timed(picked, timed.spots->take());
}

void add_measurement(TrialState& state, const Sized& sized, const profile::Timing& timing) {
  const std::string& label = sized.size->label;
  const int samples = static_cast<int>(timing.samples_us.size());
  state.evaluation.measurements.push_back({.size = label,
                                           .source = TimeSource::measured,
                                           .median_us = timing.time_us.median,
                                           .low_us = timing.time_us.low,
                                           .high_us = timing.time_us.high,
                                           .samples = samples,
                                           .floor_us = sized.roof.floor_us,
                                           .dropped = timing.dropped,
                                           .throttled = timing.throttled,
                                           .raw_us = kept_raw(timing.samples_us)});
  if (timing.dropped > 0) {
    note(state, fmt::format("size {}: {} of {} samples were dropped as disturbed", label,
                            timing.dropped, samples));
  }
  if (timing.always_throttled) {
    note(state, fmt::format("size {}: the GPU was slowed down all the time; its usual clock would "
                            "give shorter times",
                            label));
  } else if (timing.throttled > 0) {
    note(state, fmt::format("size {}: {} samples were thrown away because the GPU was slowed down",
                            label, timing.throttled));
  }
}

/// A round takes a fixed number of samples. Whether they are enough is asked after it: resampling
/// takes as long as many samples do.
Result<Next> time_round(TrialState& state, Timed& timed, int round, int rounds, TrialWatch& watch) {
  const Sized& sized = *timed.sized;
  profile::TimingOptions options{.warm_up = warm_up_of(state, sized),
                                 .places = turns_of(timed).places()};
  if (round > 0) options.warm_up.max_s = 0;  // it has been warm, and others kept the clocks up
  options.stop.max_s = sampling_s(state, sized, 1.0) / rounds;
  if (rounds > 1) {
    options.stop.max_samples =
        (round + 1) * turns_of(timed).round_samples(options.stop.max_samples, rounds);
    options.stop.min_samples = options.stop.max_samples;
  }
  const Status more = profile::gather_more(
      timed.timing, [&] { return sample(state, timed, timed.timing.calls - 1); }, options,
      SystemClock(), &state.stop, watch.get());
  if (!timed.faults.empty()) return end_with_faults(state, timed.faults, {sized.size, nullptr});
  if (!more.ok()) return more.error();
  timed.enough = round + 1 >= kLeastRounds && profile::enough({}, timed.timing.samples_us, 0);
  return Next::go_on;
}

/// What must hold for the times to count.
Result<Next> finish(TrialState& state, Timed& timed, TrialWatch& watch) {
  const Sized& sized = *timed.sized;
  profile::conclude(timed.timing, turns_of(timed).places());
  add_measurement(state, sized, timed.timing);
  // Sampling may have ended before every set was used.
  for (std::uint64_t call = timed.timing.calls; call < timed.sets.size(); ++call) {
    if (const auto us = sample(state, timed, call); !us.ok()) return us.error();
  }
  watch.write_manifest(state, timed.sets.size());
  WW_TRY(const Next next, check_timed_results(state, timed));
  if (next == Next::ended) return next;
  const double middle_us = timed.timing.time_us.median;
  if (const auto ended = impossible(state, sized, middle_us)) return *ended;
  return check_fresh_inputs(state, sized, timed.sets, middle_us);
}

Result<Next> time_together(TrialState& state, std::span<const Sized> sizes, TrialWatch& watch) {
  if (state.stop.requested()) return Error{"stopped"};
  if (const auto ended = out_of_time(state)) return *ended;
  if (state.checks) {
    WW_TRY(const Next so_far, state.checks->settle_ready());
    if (so_far == Next::ended) return so_far;
  }
  std::vector<Timed> all;
  for (const Sized& sized : sizes) {
    Timed& timed = all.emplace_back();
    timed.sized = &sized;
    const PartTimer timer(state, "sets");
    WW_TRY(timed.sets, load_sets(state, sized));
    timed.spots.emplace(timed.sets.size(), one_way(state.seed, "spots", sized.number));
  }
  const int rounds = all.size() > 1 ? kRounds : 1;
  for (int round = 0; round < rounds; ++round) {
    for (Timed& timed : all) {
      if (timed.enough) continue;
      const PartTimer timer(state, "samples");
      WW_TRY(const Next next, time_round(state, timed, round, rounds, watch));
      if (next == Next::ended) return next;
    }
  }
  for (Timed& timed : all) {
    WW_TRY(const Next next, finish(state, timed, watch));
    if (next == Next::ended) return next;
  }
  return Next::go_on;
}

/// How many sizes from the first on fit into memory together, each with sets at all places.
Result<std::size_t> that_fit(const TrialState& state, std::span<const Sized> sizes) {
  std::uint64_t room = state.device->info().free_bytes / kShareOfMemory;
  std::size_t count = 0;
  for (const Sized& sized : sizes) {
    WW_TRY(const std::uint64_t bytes, footprint_bytes(state.request.task, *sized.size));
    const std::uint64_t sets = input_sets(bytes);
    if (sets <= kContents || bytes * sets > room) break;
    room -= bytes * sets;
    ++count;
  }
  return std::max<std::size_t>(count, 1);
}

}  // namespace

Result<Next> time_sizes(TrialState& state, std::span<const Sized> sizes, TrialWatch& watch) {
  while (!sizes.empty()) {
    WW_TRY(const std::size_t count, that_fit(state, sizes));
    WW_TRY(const Next next, time_together(state, sizes.first(count), watch));
    if (next == Next::ended) return next;
    sizes = sizes.subspan(count);
  }
  return Next::go_on;
}

}  // namespace warpwright::evaluate
