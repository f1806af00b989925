// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <random>

#include "base/clock.h"
#include "evaluate/call_checks.h"
#include "evaluate/check_queue.h"
#include "evaluate/measure.h"
#include "evaluate/turns.h"

namespace warpwright::evaluate {

namespace {

// A GPU is a per cent faster or slower for tens of milliseconds at a time, and a size has all of
// its samples within that. So sizes take turns.
constexpr int kRounds = 8;
constexpr int kLeastRounds = 4;              // a size that is steady within these needs no more
constexpr std::uint64_t kMostOthers = 4;     // unscored calls before a round
constexpr std::uint64_t kShareOfMemory = 4;  // a quarter for all sizes that take turns

/// A size that is being timed, and all that its samples need.
struct Timed {
  const Sized* sized = nullptr;
  std::vector<LoadedCase> sets;
  profile::Timing timing;
  std::vector<device::Fault> faults;
  bool enough = false;
  std::unique_ptr<CallChecks> checks;
};

Turns turns_of(const Timed& timed) { return {timed.sets.size()}; }

/// One call on inputs of its own. The cache is flushed behind them (Replay::run).
Result<double> sample(Session& session, Timed& timed, std::uint64_t call) {
  LoadedCase& set = timed.sets[turns_of(timed).set_of(call)];
  const bool shifted = turns_of(timed).shifted(call);
  WW_CHECK(timed.checks->before(set.buffers));
  WW_TRY(const double us, timed_run(session, *set.replay, call, timed.faults, shifted));
  WW_CHECK(timed.checks->after(set));
  return us;
}

/// Calls on inputs of other distributions, made like samples and checked like them. They come
/// before a round, so that all launches of a round are as many apart as ever.
Status try_others(Session& session, Timed& timed, std::mt19937_64& random) {
  const std::uint64_t calls = 1 + random() % kMostOthers;
  for (std::uint64_t i = 0; i < calls; ++i) {
    const std::uint64_t call = random();
    LoadedCase& set = timed.sets[turns_of(timed).set_of(call)];
    WW_TRY(const bool there, timed.checks->before_other(set.buffers));
    if (!there) return {};
    WW_CHECK(timed_run(session, *set.replay, call, timed.faults, random() % 2 == 0));
    WW_CHECK(timed.checks->after(set));
  }
  return {};
}

Measurement measurement_of(Context& context, const Sized& sized, const profile::Timing& timing) {
  const std::string& label = sized.size->label;
  const int samples = static_cast<int>(timing.samples_us.size());
  if (timing.dropped > 0) {
    note(context,
         fmt::format("size {}: {} of {} samples were dropped as disturbed", label, timing.dropped,
                     samples),
         "sampling");
  }
  if (timing.always_throttled) {
    note(context,
         fmt::format("size {}: the GPU was slowed down all the time; its usual clock would "
                     "give shorter times",
                     label));
  } else if (timing.throttled > 0) {
    note(context,
         fmt::format("size {}: {} samples were thrown away because the GPU was slowed down", label,
                     timing.throttled),
         "sampling");
  }
  return {.size = label,
          .source = TimeSource::measured,
          .median_us = timing.time_us.median,
          .low_us = timing.time_us.low,
          .high_us = timing.time_us.high,
          .samples = samples,
          .floor_us = sized.roof.floor_us,
          .dropped = timing.dropped,
          .throttled = timing.throttled,
          .raw_us = kept_raw(timing.samples_us),
          .checked = "all",
          .weight = sized.size->weight};
}

Ended faulted_at(Session& session, const Timed& timed) {
  return faulted(session.prepared, timed.faults, {timed.sized->size, nullptr},
                 session.context.notes);
}

/// A round takes a fixed number of samples. Whether they are enough is asked after it: resampling
/// takes as long as many samples do.
Outcome<> time_round(Session& session, Timed& timed, int round, int rounds, GpuWatch& watch) {
  const Sized& sized = *timed.sized;
  profile::TimingOptions options{.warm_up = warm_up_of(session, sized),
                                 .places = turns_of(timed).places()};
  if (round > 0) options.warm_up.max_s = 0;  // it has been warm, and others kept the clocks up
  options.stop.max_s = sampling_s(session.context, sized, 1.0) / rounds;
  if (rounds > 1) {
    options.stop.max_samples =
        (round + 1) * turns_of(timed).round_samples(options.stop.max_samples, rounds);
    options.stop.min_samples = options.stop.max_samples;
  }
  const Status more = profile::gather_more(
      timed.timing, [&] { return sample(session, timed, timed.timing.calls - 1); }, options,
      SystemClock(), &session.context.stop, watch.get());
  if (!timed.faults.empty()) return faulted_at(session, timed);
  if (!more.ok()) return more.error();
  timed.enough = round + 1 >= kLeastRounds && profile::enough({}, timed.timing.samples_us, 0);
  return {};
}

Outcome<> conclude_time(Session& session, const Sized& sized, double median_us,
                        const std::string& coverage) {
  note(session.context,
       fmt::format("size {}: results of {} were checked", sized.size->label, coverage));
  const std::string remark =
      session.reference == nullptr ? std::string() : session.reference->remark();
  if (!remark.empty()) note(session.context, remark);
  if (auto ended = impossible(sized, median_us)) return std::move(*ended);
  return {};
}

/// The measurement, with what must hold for it to count; as far as that needs a device.
Outcome<Measurement> finish(Validated& validated, Timed& timed, GpuWatch& watch,
                            std::vector<Unconfirmed>& later) {
  Session& session = *validated.session;
  const Sized& sized = *timed.sized;
  profile::conclude(timed.timing, turns_of(timed).places());
  Measurement measurement = measurement_of(session.context, sized, timed.timing);
  // Sampling may have ended before every set was used.
  for (std::uint64_t call = timed.timing.calls; call < timed.sets.size(); ++call) {
    if (const auto us = sample(session, timed, call); !us.ok()) return us.error();
  }
  watch.write_manifest(session, timed.sets.size());
  const double middle_us = timed.timing.time_us.median;
  const std::string coverage = timed.checks->coverage();
  if (timed.checks->compares_on_host() && session.reference != nullptr) {
    // Others may have the device meanwhile, and the reference may compute there, too.
    timed.sets.clear();
    WW_TRY(auto checks, timed.checks->hand_over());
    later.push_back({&sized, middle_us, coverage, std::move(checks)});
    return measurement;
  }
  WW_CHECK(timed.checks->conclude());
  WW_CHECK(conclude_time(session, sized, middle_us, coverage));
  return measurement;
}

Outcome<> time_together(Validated& validated, std::span<const Sized> sizes, GpuWatch& watch,
                        std::vector<Measurement>& measurements, std::vector<Unconfirmed>& later) {
  Session& session = *validated.session;
  WW_CHECK(may_go_on(session.context));
  WW_CHECK(validated.checks->conclude_ready());
  std::random_device secret;
  std::mt19937_64 random((std::uint64_t{secret()} << 32) ^ secret());
  const device::AllocatingFor use(session.device, device::BufferUse::timed);
  std::vector<Timed> all;
  for (const Sized& sized : sizes) {
    Timed& timed = all.emplace_back();
    timed.sized = &sized;
    const PartTimer timer(session.context, "sets");
    WW_TRY(timed.sets, load_places(session, sized));
    WW_TRY(timed.checks, CallChecks::make(session, sized));
  }
  const int rounds = all.size() > 1 ? kRounds : 1;
  for (int round = 0; round < rounds; ++round) {
    for (Timed& timed : all) {
      if (timed.enough) continue;
      const PartTimer timer(session.context, "samples");
      const Status others = try_others(session, timed, random);
      if (!timed.faults.empty()) return faulted_at(session, timed);
      WW_CHECK(others);
      WW_CHECK(time_round(session, timed, round, rounds, watch));
      WW_CHECK(timed.checks->conclude_round());
    }
  }
  for (Timed& timed : all) {
    WW_TRY(auto measurement, finish(validated, timed, watch, later));
    measurements.push_back(std::move(measurement));
  }
  return {};
}

/// How many sizes from the first on fit into memory together, each with sets at all places.
Result<std::size_t> that_fit(const Session& session, std::span<const Sized> sizes) {
  std::uint64_t room = session.device.info().free_bytes / kShareOfMemory;
  std::size_t count = 0;
  for (const Sized& sized : sizes) {
    WW_TRY(const std::uint64_t bytes, footprint_bytes(session.task(), *sized.size));
    WW_TRY(const auto values, values_at(session.task(), *sized.size));
    WW_TRY(const std::uint64_t own, verify::OracleCase::bytes_for(session.task(), values));
    const std::uint64_t sets = input_sets(bytes);
    if (sets <= kContents || bytes * sets + own > room) break;
    room -= bytes * sets + own;
    ++count;
  }
  return std::max<std::size_t>(count, 1);
}

}  // namespace

Outcome<std::vector<Measurement>> time_sizes(Validated& validated, std::span<const Sized> sizes,
                                             GpuWatch& watch, std::vector<Unconfirmed>& later) {
  std::vector<Measurement> measurements;
  while (!sizes.empty()) {
    WW_TRY(const std::size_t count, that_fit(*validated.session, sizes));
    WW_CHECK(time_together(validated, sizes.first(count), watch, measurements, later));
    sizes = sizes.subspan(count);
  }
  return measurements;
}

Outcome<> conclude_size(Session& session, Unconfirmed size, verify::DeviceTurn* turn) {
  WW_CHECK(conclude_on_host(session, std::move(size.checks), turn));
  return conclude_time(session, *size.sized, size.median_us, size.coverage);
}

}  // namespace warpwright::evaluate
