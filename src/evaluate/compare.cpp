// SPDX-License-Identifier: Apache-2.0
#include "evaluate/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>

#include "evaluate/trial_measure.h"

namespace warpwright::evaluate {

namespace {

constexpr std::array<Stage, 2> kStagesOnDevice = {Stage::validate, Stage::sanitize};
constexpr double kLongestSamplingSeconds = 0.5;  // of sampling, per size
// Of an answer being wrong, over all sizes together.
constexpr double kWrong = 0.005;

/// Both trials, on one device, and what is known of them so far.
struct Duel {
  TrialState& first;
  TrialState& second;
  TrialWatch watch;
  Comparison comparison;
  std::vector<profile::PairedResult> results;  ///< of measured sizes
};

// Where code lies shows in short times, by up to three percent, for as long as it lies there. So
// short calls are compared at so many places, and the places are what the answer is drawn from.
constexpr std::size_t kPlaces = 24;
constexpr std::uint64_t kShortBytes = std::uint64_t{16} << 20;

/// The same data at the same addresses for both, several times over.
struct PairedSets {
  std::vector<LoadedCase> sets;  ///< with the first kernel's replays
  /// Of the first kernel beyond those, on the sets in turns.
  std::vector<std::unique_ptr<device::Replay>> more;
  std::vector<std::unique_ptr<device::Replay>> second;  ///< one per place

  [[nodiscard]] std::size_t places() const { return second.size(); }
  [[nodiscard]] device::Replay& first_at(std::size_t place) {
    return place < sets.size() ? *sets[place].replay : *more[place - sets.size()];
  }
};

Result<std::unique_ptr<device::Replay>> prepare_at(TrialState& state, std::size_t place,
                                                   const LoadedCase& set) {
  WW_TRY(const auto module, module_copy(state, state.candidate, place + 1));
  return state.device->prepare_beside(
      *set.replay, module, state.candidate.plans.at(call_key(set.call)), set.buffers.bindings());
}

/// In a random order: whatever a place is worth, each kernel gets it as likely as the other, and
/// what neighbours share does not add up for one of them.
Status load_copies(Duel& duel, std::size_t places) {
  std::vector<TrialState*> order(places, &duel.first);
  order.resize(2 * places, &duel.second);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(std::random_device{}()));
  for (TrialState* state : order) {
    WW_CHECK(module_copy(*state, state->candidate, state->candidate.copies.size() + 1));
  }
  return {};
}

Result<PairedSets> load_paired(Duel& duel, const Sized& sized) {
  PairedSets paired;
  if (duel.first.candidate.copies.empty()) WW_CHECK(load_copies(duel, kPlaces));
  WW_TRY(paired.sets, load_sets(duel.first, sized));
  WW_TRY(const std::uint64_t bytes, footprint_bytes(duel.first.request.task, *sized.size));
  const std::size_t sets = paired.sets.size();
  const std::size_t places = bytes <= kShortBytes ? std::max(sets, kPlaces) : sets;
  for (std::size_t place = 0; place < places; ++place) {
    const LoadedCase& set = paired.sets[place % sets];
    WW_TRY(auto second, prepare_at(duel.second, place, set));
    paired.second.push_back(std::move(second));
    if (place < sets) continue;
    WW_TRY(auto first, prepare_at(duel.first, place, set));
    paired.more.push_back(std::move(first));
  }
  return paired;
}

/// Whose trial has ended; null when both may go on.
using Ended = TrialState*;

/// One more timed call of each, on a set picked now, and its results checked.
Result<Ended> check_timed(Duel& duel, PairedSets& paired, std::uint64_t calls) {
  std::random_device random;
  const std::size_t at = random() % paired.sets.size();
  LoadedCase& set = with_inputs(paired.sets, at);
  WW_TRY(const auto expected, expected_values(duel.first, set));
  const std::array<std::pair<TrialState*, device::Replay*>, 2> both = {
      {{&duel.second, paired.second[at].get()}, {&duel.first, set.replay.get()}}};
  for (const auto& [state, replay] : both) {
    std::vector<device::Fault> faults;
    const auto ran = timed_run(*state, *replay, calls++, faults);
    if (!faults.empty()) return end_with_faults(*state, faults, set.item), state;
    if (!ran.ok()) return ran.error();
    WW_TRY(const Next next, check_results(*state, set, expected, {}));
    if (next == Next::go_on) continue;
    state->evaluation.feedback += "This was found in a timed call; untimed calls were right.\n";
    return state;
  }
  return nullptr;
}

/// Neither may be faster on inputs that it has met before.
Result<Ended> check_fresh(Duel& duel, const Sized& sized, PairedSets& paired) {
  const SizeComparison& size = duel.comparison.sizes.back();
  WW_TRY(const Next first, check_fresh_inputs(duel.first, sized, paired.sets, size.first_us));
  if (first == Next::ended) return &duel.first;
  for (std::size_t i = 0; i < paired.sets.size(); ++i) {
    std::swap(paired.sets[i].replay, paired.second[i]);
  }
  WW_TRY(const Next second, check_fresh_inputs(duel.second, sized, paired.sets, size.second_us));
  return second == Next::ended ? &duel.second : nullptr;
}

Measurement measurement_of(const Sized& sized, const profile::PairedTiming& timing) {
  const auto cleaned = profile::drop_outliers(timing.a_us);
  const profile::Interval interval = profile::bootstrap_median(cleaned.kept);
  return {.size = sized.size->label,
          .median_us = interval.median,
          .low_us = interval.low,
          .high_us = interval.high,
          .samples = static_cast<int>(timing.a_us.size()),
          .floor_us = sized.roof.floor_us,
          .dropped = cleaned.dropped,
          .throttled = timing.throttled,
          .raw_us = kept_raw(timing.a_us)};
}

Ended add_measured(Duel& duel, const Sized& sized, profile::PairedTiming timing) {
  SizeComparison& size = duel.comparison.sizes.emplace_back();
  size.size = sized.size->label;
  size.order = timing.comparison.order;
  size.ratio = timing.comparison.ratio;
  size.margin = timing.comparison.margin;
  size.first_us = profile::median(timing.a_us);
  size.second_us = profile::median(timing.b_us);
  size.pairs = static_cast<int>(timing.a_us.size());
  size.throttled = timing.throttled;
  size.first_raw_us = kept_raw(timing.a_us);
  size.second_raw_us = kept_raw(timing.b_us);
  duel.first.evaluation.measurements.push_back(measurement_of(sized, timing));
  duel.results.push_back(std::move(timing.comparison));
  if (timing.always_throttled) {
    note(duel.first,
         fmt::format("size {}: the GPU was slowed down all the time", sized.size->label));
  }
  if (impossible(duel.first, sized, size.first_us)) return &duel.first;
  if (impossible(duel.second, sized, size.second_us)) return &duel.second;
  return nullptr;
}

Result<Ended> measure_size(Duel& duel, const Sized& sized) {
  WW_TRY(auto paired, load_paired(duel, sized));
  std::uint64_t calls = 0;
  std::vector<device::Fault> first_faults, second_faults;
  const auto first = [&](std::uint64_t quad) {
    return timed_run(duel.first, paired.first_at(quad % paired.places()), calls++, first_faults);
  };
  const auto second = [&](std::uint64_t quad) {
    return timed_run(duel.second, *paired.second[quad % paired.places()], calls++, second_faults);
  };
  profile::PairTimingOptions options{.warm_up = warm_up_of(duel.first, sized)};
  options.stop.max_s = sampling_s(duel.first, sized, kLongestSamplingSeconds);
  options.pairs.places = paired.places();
  options.order_seed = derived_seed(duel.first.seed, sized.number);
  options.pairs.confidence = 1 - kWrong / static_cast<double>(duel.first.timed.size());
  auto timing = profile::gather_paired(first, second, options, SystemClock(), &duel.first.stop,
                                       duel.watch.get());
  const verify::Case item{sized.size, nullptr};
  if (!first_faults.empty()) return end_with_faults(duel.first, first_faults, item), &duel.first;
  if (!second_faults.empty()) {
    return end_with_faults(duel.second, second_faults, item), &duel.second;
  }
  if (!timing.ok()) return timing.error();
  duel.watch.write_manifest(duel.first, paired.sets.size());
  if (const Ended ended = add_measured(duel, sized, std::move(timing).value())) return ended;
  if (duel.first.request.timing_only) return nullptr;
  WW_TRY(const Ended wrong, check_timed(duel, paired, calls));
  if (wrong != nullptr) return wrong;
  return check_fresh(duel, sized, paired);
}

Order order_of(double ratio, double margin) {
  if (ratio < 1 - margin) return Order::faster;
  return ratio > 1 + margin ? Order::slower : Order::same;
}

/// Estimates repeat exactly: their interval has no width.
Status estimate_both(Duel& duel, const Sized& sized) {
  WW_TRY(const auto first, estimate(duel.first, sized));
  WW_TRY(const auto second, estimate(duel.second, sized));
  if (!first || !second || second->elapsed_us <= 0) return {};
  const double ratio = first->elapsed_us / second->elapsed_us;
  const double margin = profile::PairOptions{}.margin;
  duel.comparison.sizes.push_back({.size = sized.size->label,
                                   .source = TimeSource::estimated,
                                   .order = order_of(ratio, margin),
                                   .ratio = {ratio, ratio, ratio},
                                   .margin = margin,
                                   .first_us = first->elapsed_us,
                                   .second_us = second->elapsed_us,
                                   .pairs = 1});
  duel.first.evaluation.measurements.push_back({.size = sized.size->label,
                                                .source = TimeSource::estimated,
                                                .median_us = first->elapsed_us,
                                                .low_us = first->elapsed_us,
                                                .high_us = first->elapsed_us,
                                                .samples = 1,
                                                .floor_us = sized.roof.floor_us});
  return {};
}

Status answer(Duel& duel) {
  Comparison& comparison = duel.comparison;
  if (comparison.sizes.empty()) return Error{"no size could be compared"};
  if (!duel.results.empty()) {
    const auto all = profile::combine(duel.results, {.confidence = 1 - kWrong});
    comparison.order = all.order;
    comparison.ratio = all.ratio;
    return {};
  }
  double log_sum = 0;
  for (const SizeComparison& size : comparison.sizes) log_sum += std::log(size.ratio.value);
  const double ratio = std::exp(log_sum / static_cast<double>(comparison.sizes.size()));
  comparison.ratio = {ratio, ratio, ratio};
  comparison.order = order_of(ratio, profile::PairOptions{}.margin);
  return {};
}

Result<Ended> measure_both(Duel& duel) {
  const bool estimated = duel.first.device->info().time_source == TimeSource::estimated;
  WW_TRY(const auto sizes, sized_of(duel.first));
  for (const Sized& sized : sizes) {
    if (duel.first.stop.requested()) return Error{"stopped"};
    if (out_of_time(duel.first)) return &duel.first;
    if (estimated) {
      WW_CHECK(estimate_both(duel, sized));
      continue;
    }
    WW_TRY(const Ended ended, measure_size(duel, sized));
    if (ended != nullptr) return ended;
  }
  WW_CHECK(answer(duel));
  return nullptr;
}

/// The stage `measure` of both; whose trial ended, if one did.
Ended timed_measure(Duel& duel) {
  Evaluation& evaluation = duel.first.evaluation;
  evaluation.stage = duel.second.evaluation.stage = Stage::measure;
  const auto start = std::chrono::steady_clock::now();
  const auto ended = measure_both(duel);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  evaluation.stage_s[std::string(name_of(Stage::measure))] = spent.count();
  if (ended.ok()) return *ended;
  evaluation.verdict = Verdict::harness_error;
  evaluation.reason = ended.error().message;
  return &duel.first;
}

/// Two trials of one process, the second with a request made from the first's.
struct Both {
  Both(const JobRequest& request, const std::filesystem::path& scratch, Station& station,
       const StopSignal& stop)
      : second_request(request_of_second(request)),
        first(begin_trial(request, scratch, station, stop)),
        second(begin_trial(second_request, scratch, station, stop)) {}
  Both(const Both&) = delete;
  Both& operator=(const Both&) = delete;

  static JobRequest request_of_second(const JobRequest& request) {
    ASSERT(request.rival.has_value(), "a comparison needs a rival");
    JobRequest second = request;
    second.source = *request.rival;
    second.is_baseline = request.rival_is_baseline;
    second.rival.reset();
    return second;
  }

  JobRequest second_request;
  TrialState first;
  TrialState second;  ///< on the first one's device: goes before it
};

Ended prepare_both(Both& both) {
  if (!run_stages(both.first, kStagesWithoutDevice)) return &both.first;
  if (!run_stages(both.second, kStagesWithoutDevice)) return &both.second;
  return nullptr;
}

Ended validate_both(Both& both) {
  if (!run_stages(both.first, kStagesOnDevice)) return &both.first;
  both.second.device = both.first.device;
  both.second.deadline = both.first.deadline;
  both.second_request.seed = both.first.seed;  // drawn by now, after both were compiled
  if (!run_stages(both.second, kStagesOnDevice)) return &both.second;
  return nullptr;
}

Evaluation conclude(Both& both, Ended ended, Comparison comparison) {
  for (const auto& [stage, seconds] : both.second.evaluation.stage_s) {
    both.first.evaluation.stage_s[stage] += seconds;
  }
  Evaluation evaluation = finish_trial(both.first);
  if (ended == nullptr) evaluation.verdict = Verdict::ok;
  if (ended != nullptr) comparison.failed = ended == &both.first ? "first" : "second";
  if (ended == &both.second) {
    Evaluation failed = finish_trial(both.second);
    failed.stage_s = std::move(evaluation.stage_s);
    failed.device_s = evaluation.device_s;
    failed.reason = "the second kernel: " + failed.reason;
    evaluation = std::move(failed);
  }
  evaluation.comparison = std::move(comparison);
  return evaluation;
}

}  // namespace

Evaluation run_comparison(const JobRequest& request, const std::filesystem::path& scratch,
                          Station& station, const StopSignal& stop) {
  Both both(request, scratch, station, stop);
  Comparison comparison;
  Ended ended = prepare_both(both);
  if (ended == nullptr) ended = validate_both(both);
  if (ended == nullptr) {
    Duel duel{.first = both.first, .second = both.second, .watch = TrialWatch(both.first)};
    ended = timed_measure(duel);
    comparison = std::move(duel.comparison);
  }
  return conclude(both, ended, std::move(comparison));
}

std::optional<Evaluation> prepare_comparison(const JobRequest& request,
                                             const std::filesystem::path& scratch, Station& station,
                                             const StopSignal& stop) {
  Both both(request, scratch, station, stop);
  const Ended ended = prepare_both(both);
  if (ended == nullptr) return std::nullopt;
  return conclude(both, ended, {});
}

}  // namespace warpwright::evaluate
