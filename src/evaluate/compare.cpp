// SPDX-License-Identifier: Apache-2.0
#include "evaluate/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "base/clock.h"
#include "build/host_time.h"
#include "evaluate/check_queue.h"
#include "evaluate/measure.h"

namespace warpwright::evaluate {

namespace {

constexpr double kLongestSamplingSeconds = 0.5;  // of sampling, per size
// Of an answer being wrong, over all sizes together.
constexpr double kWrong = 0.005;

/// Both candidates on one device, and what is known of them so far.
struct Duel {
  Validated& left;
  Validated& right;
  Session& first;
  Session& second;
  GpuWatch watch;
  Comparison comparison = {};
  std::vector<Measurement> measurements = {};       ///< the first one's
  std::vector<profile::PairedResult> results = {};  ///< of measured sizes
};

/// What ends the second kernel's judgement, marked as such.
template <class T>
Outcome<T> of_rival(Outcome<T> outcome) {
  if (outcome.ok()) return outcome;
  Halt halt = outcome.error();
  if (auto* ended = std::get_if<Ended>(&halt)) ended->of_rival = true;
  return halt;
}

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

Result<std::unique_ptr<device::Replay>> prepare_at(Session& session, std::size_t place,
                                                   const LoadedCase& set) {
  WW_TRY(const auto module, module_copy(session, place + 1));
  const LaunchPlan& plan = session.prepared.candidate.plans.at(call_key(set.call));
  return session.device.prepare_beside(*set.replay, module, plan, set.buffers.bindings());
}

/// In a random order: whatever a place is worth, each kernel gets it as likely as the other, and
/// what neighbours share does not add up for one of them.
Status load_copies(Duel& duel, std::size_t places) {
  std::vector<Session*> order(places, &duel.first);
  order.resize(2 * places, &duel.second);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(std::random_device{}()));
  for (Session* session : order) WW_CHECK(module_copy(*session, session->copies.size() + 1));
  return {};
}

Result<PairedSets> load_paired(Duel& duel, const Sized& sized) {
  PairedSets paired;
  if (duel.first.copies.empty()) WW_CHECK(load_copies(duel, kPlaces));
  WW_TRY(paired.sets, load_sets(duel.first, sized));
  WW_TRY(const std::uint64_t bytes, footprint_bytes(duel.first.task(), *sized.size));
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

Result<double> host_excess_at(const Session& session, const Sized& sized) {
  WW_TRY(const auto call, call_of(session.task(), *sized.size, nullptr));
  return build::host_excess_us(session.prepared.candidate.plans.at(call_key(call)));
}

/// What the host takes for a call beyond launching: it is paid by the caller, and part of scores.
/// Each was measured a few times, on a host that does other things: what lies within the spread of
/// that is the same.
struct HostTimes {
  double first_us = 0;
  double second_us = 0;
};
Result<HostTimes> host_times_at(const Duel& duel, const Sized& sized) {
  constexpr double kSpread = 0.25;
  constexpr double kSpreadUs = 5;
  HostTimes times;
  WW_TRY(times.first_us, host_excess_at(duel.first, sized));
  WW_TRY(times.second_us, host_excess_at(duel.second, sized));
  const auto [less, more] = std::minmax(times.first_us, times.second_us);
  if (more - less > kSpread * more + kSpreadUs) return times;
  return HostTimes{less, less};
}

/// One more timed call, and its results checked.
Outcome<> check_timed(Session& session, device::Replay& replay, const LoadedCase& set,
                      std::span<const verify::Expected> expected, std::uint64_t call) {
  std::vector<device::Fault> faults;
  const auto ran = timed_run(session, replay, call, faults);
  if (!faults.empty()) return faulted(session.prepared, faults, set.item, session.context.notes);
  if (!ran.ok()) return ran.error();
  auto checked = check_results(session, set, expected, {});
  if (checked.ok()) return {};
  Halt halt = checked.error();
  if (auto* ended = std::get_if<Ended>(&halt)) {
    ended->feedback += "This was found in a timed call; untimed calls were right.\n";
  }
  return halt;
}

/// The same for both, on a set picked now.
Outcome<> check_both(Duel& duel, PairedSets& paired, std::uint64_t calls) {
  std::random_device random;
  const std::size_t at = random() % paired.sets.size();
  LoadedCase& set = with_inputs(paired.sets, at);
  WW_TRY(const auto expected, expected_values(duel.first, set));
  WW_CHECK(of_rival(check_timed(duel.second, *paired.second[at], set, expected, calls)));
  return check_timed(duel.first, *set.replay, set, expected, calls + 1);
}

/// Neither may be faster on inputs that it has met before.
Outcome<> check_fresh(Duel& duel, const Sized& sized, PairedSets& paired) {
  const SizeComparison& size = duel.comparison.sizes.back();
  WW_CHECK(check_fresh_inputs(duel.first, sized, paired.sets, size.first_us - size.first_host_us));
  for (std::size_t i = 0; i < paired.sets.size(); ++i) {
    std::swap(paired.sets[i].replay, paired.second[i]);
  }
  return of_rival(
      check_fresh_inputs(duel.second, sized, paired.sets, size.second_us - size.second_host_us));
}

/// Of the first kernel, on the device alone.
Measurement measurement_of(const Sized& sized, const profile::PairedTiming& timing,
                           double host_us) {
  std::vector<double> device_us = timing.a_us;
  for (double& us : device_us) us -= host_us;
  const auto cleaned = profile::drop_outliers(device_us);
  const profile::Interval interval = profile::bootstrap_median(cleaned.kept);
  return {.size = sized.size->label,
          .median_us = interval.median,
          .low_us = interval.low,
          .high_us = interval.high,
          .samples = static_cast<int>(timing.a_us.size()),
          .floor_us = sized.roof.floor_us,
          .dropped = cleaned.dropped,
          .throttled = timing.throttled,
          .host_excess_us = host_us,
          .raw_us = kept_raw(device_us),
          .checked = "all",
          .weight = sized.size->weight};
}

Outcome<> add_measured(Duel& duel, const Sized& sized, profile::PairedTiming timing,
                       const HostTimes& host) {
  SizeComparison& size = duel.comparison.sizes.emplace_back();
  size.size = sized.size->label;
  size.order = timing.comparison.order;
  size.ratio = timing.comparison.ratio;
  size.margin = timing.comparison.margin;
  size.first_us = profile::median(timing.a_us);
  size.second_us = profile::median(timing.b_us);
  size.first_host_us = host.first_us;
  size.second_host_us = host.second_us;
  size.pairs = static_cast<int>(timing.a_us.size());
  size.throttled = timing.throttled;
  size.first_raw_us = kept_raw(timing.a_us);
  size.second_raw_us = kept_raw(timing.b_us);
  duel.measurements.push_back(measurement_of(sized, timing, host.first_us));
  duel.results.push_back(std::move(timing.comparison));
  if (timing.always_throttled) {
    note(duel.first.context,
         fmt::format("size {}: the GPU was slowed down all the time", sized.size->label));
  }
  WW_CHECK(outcome_of(impossible(sized, size.first_us - host.first_us)));
  return of_rival(outcome_of(impossible(sized, size.second_us - host.second_us)));
}

Outcome<> measure_size(Duel& duel, const Sized& sized) {
  const device::AllocatingFor use(duel.first.device, device::BufferUse::timed);
  WW_TRY(auto paired, load_paired(duel, sized));
  std::uint64_t calls = 0;
  std::vector<device::Fault> first_faults, second_faults;
  WW_TRY(const HostTimes host, host_times_at(duel, sized));
  const auto first = [&](std::uint64_t quad) -> Result<double> {
    WW_TRY(const double us,
           timed_run(duel.first, paired.first_at(quad % paired.places()), calls++, first_faults));
    return us + host.first_us;
  };
  const auto second = [&](std::uint64_t quad) -> Result<double> {
    WW_TRY(const double us,
           timed_run(duel.second, *paired.second[quad % paired.places()], calls++, second_faults));
    return us + host.second_us;
  };
  profile::PairTimingOptions options{.warm_up = warm_up_of(duel.first, sized)};
  options.stop.max_s = sampling_s(duel.first.context, sized, kLongestSamplingSeconds);
  options.pairs.places = paired.places();
  options.order_seed = derived_seed(duel.first.prepared.seed, sized.number);
  options.pairs.confidence = 1 - kWrong / static_cast<double>(duel.first.prepared.timed.size());
  auto timing = profile::gather_paired(first, second, options, SystemClock(),
                                       &duel.first.context.stop, duel.watch.get());
  const verify::Case item{sized.size, nullptr};
  for (const auto& [session, faults] :
       {std::pair(&duel.first, &first_faults), std::pair(&duel.second, &second_faults)}) {
    if (faults->empty()) continue;
    Ended ended = faulted(session->prepared, *faults, item, session->context.notes);
    ended.of_rival = session == &duel.second;
    return ended;
  }
  if (!timing.ok()) return timing.error();
  duel.watch.write_manifest(duel.first, paired.sets.size());
  WW_CHECK(add_measured(duel, sized, std::move(timing).value(), host));
  if (duel.first.prepared.request().timing_only) return {};
  WW_CHECK(check_both(duel, paired, calls));
  return check_fresh(duel, sized, paired);
}

Order order_of(double ratio, double margin) {
  if (ratio < 1 - margin) return Order::faster;
  return ratio > 1 + margin ? Order::slower : Order::same;
}

/// Estimates repeat exactly: their interval has no width.
Outcome<> estimate_both(Duel& duel, const Sized& sized) {
  WW_TRY(const auto first, estimate_size(duel.left, sized));
  WW_TRY(const auto second, of_rival(estimate_size(duel.right, sized)));
  if (!first || !second || second->median_us <= 0) return {};
  WW_TRY(const HostTimes host, host_times_at(duel, sized));
  const double first_us = first->median_us + host.first_us;
  const double second_us = second->median_us + host.second_us;
  const double ratio = first_us / second_us;
  const double margin = profile::PairOptions{}.margin;
  duel.comparison.sizes.push_back({.size = sized.size->label,
                                   .source = TimeSource::estimated,
                                   .order = order_of(ratio, margin),
                                   .ratio = {ratio, ratio, ratio},
                                   .margin = margin,
                                   .first_us = first_us,
                                   .second_us = second_us,
                                   .first_host_us = host.first_us,
                                   .second_host_us = host.second_us,
                                   .pairs = 1});
  duel.measurements.push_back(*first);
  duel.measurements.back().host_excess_us = host.first_us;
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
  double log_sum = 0, weights = 0;
  for (std::size_t i = 0; i < comparison.sizes.size(); ++i) {
    const double weight = i < duel.measurements.size() ? duel.measurements[i].weight : 1;
    log_sum += weight * std::log(comparison.sizes[i].ratio.value);
    weights += weight;
  }
  const double ratio = std::exp(log_sum / weights);
  comparison.ratio = {ratio, ratio, ratio};
  comparison.order = order_of(ratio, profile::PairOptions{}.margin);
  return {};
}

Outcome<Measured> measure_both(Duel& duel) {
  const bool estimated = duel.first.device.info().time_source == TimeSource::estimated;
  WW_TRY(const auto sizes, sized_of(duel.first));
  for (const Sized& sized : sizes) {
    WW_CHECK(may_go_on(duel.first.context));
    if (estimated) {
      WW_CHECK(estimate_both(duel, sized));
    } else {
      WW_CHECK(measure_size(duel, sized));
    }
  }
  WW_CHECK(answer(duel));
  return Measured{std::move(duel.measurements)};
}

Outcome<Measured> on_device(Contenders& contenders, Comparison& comparison) {
  Contender& first = contenders[0];
  Contender& second = contenders[1];
  WW_TRY(Validated left, validate(first.prepared, first.context));
  WW_CHECK(left.checks->conclude_all());
  second.context.deadline = first.context.deadline;
  auto checked = of_rival(validate(second.prepared, second.context, &left.session->device));
  if (!checked.ok()) return checked.error();
  Validated right = std::move(checked).value();
  WW_CHECK(of_rival(right.checks->conclude_all()));
  second.context.stage = Stage::measure;
  Duel duel{left, right, *left.session, *right.session, GpuWatch(*left.session)};
  auto measured = run_stage(first.context, Stage::measure, [&] { return measure_both(duel); });
  comparison = std::move(duel.comparison);
  return measured;
}

/// Of two contexts: the verdict is that of whoever ended, the times are both's.
Evaluation conclude(Context& first, Context& second, Outcome<Measured> end, Comparison comparison) {
  for (const auto& [stage, seconds] : second.notes.stage_s) first.notes.stage_s[stage] += seconds;
  for (const std::string& what : second.notes.unchecked) {
    first.notes.unchecked.push_back("the second kernel: " + what);
  }
  bool of_second = false;
  if (!end.ok()) {
    Halt halt = end.error();
    auto* ended = std::get_if<Ended>(&halt);
    of_second = ended != nullptr && ended->of_rival;
    comparison.failed = of_second ? "second" : "first";
    if (of_second) ended->reason = "the second kernel: " + ended->reason;
    end = std::move(halt);
  }
  second.notes.stage_s = first.notes.stage_s;
  second.notes.device_s = first.notes.device_s;
  Evaluation evaluation = evaluation_of(of_second ? second : first, std::move(end));
  evaluation.comparison = std::move(comparison);
  return evaluation;
}

}  // namespace

SourcePointer rival_of(const JobRequest& request) {
  ASSERT(request.rival.has_value(), "a comparison needs a rival");
  JobRequest second = request;
  second.source = *request.rival;
  second.is_baseline = request.rival_is_baseline;
  second.rival.reset();
  return std::make_shared<const Source>(Source{std::move(second)});
}

std::variant<Contenders, Evaluation> prepare_comparison(const JobRequest& request,
                                                        const std::filesystem::path& scratch,
                                                        Station& station, const StopSignal& stop) {
  Context first = make_context(request, scratch, station, stop);
  Context second = make_context(request, scratch, station, stop);
  const auto both = [&]() -> Outcome<std::pair<Prepared, Prepared>> {
    WW_TRY(Built left, build_program(std::make_shared<const Source>(Source{request}), first));
    WW_TRY(Built right, of_rival(build_program(rival_of(request), second)));
    const std::uint64_t seed = seed_of(request);  // one for both, drawn after both were compiled
    const auto record = [&](Built& built, Context& context) {
      return run_stage(context, Stage::record,
                       [&] { return record_stage(std::move(built), seed, context); });
    };
    WW_TRY(Prepared one, record(left, first));
    WW_TRY(Prepared other, of_rival(record(right, second)));
    return std::pair(std::move(one), std::move(other));
  };
  auto prepared = both();
  if (!prepared.ok()) return conclude(first, second, prepared.error(), {});
  Contenders contenders;
  contenders.push_back({std::move(first), std::move(prepared->first)});
  contenders.push_back({std::move(second), std::move(prepared->second)});
  return contenders;
}

Evaluation finish_comparison(Contenders contenders) {
  Comparison comparison;
  Outcome<Measured> end = on_device(contenders, comparison);
  return conclude(contenders[0].context, contenders[1].context, std::move(end),
                  std::move(comparison));
}

}  // namespace warpwright::evaluate
