// SPDX-License-Identifier: Apache-2.0
#include "evaluate/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "build/host_time.h"
#include "evaluate/check_queue.h"
#include "evaluate/counters.h"
#include "evaluate/host_checks.h"
#include "evaluate/limits.h"

namespace warpwright::evaluate {

namespace {

// Clocks rise within this time; later sizes find them risen.
constexpr double kFirstWarmUpSeconds = 0.01;
constexpr double kIdleWarmUpSeconds = 0.3;  // they were down
constexpr double kLaterWarmUpSeconds = 0.002;

}  // namespace

Result<std::vector<Sized>> sized_of(const Session& session) {
  const auto& timed = session.prepared.timed;
  std::vector<Sized> all;
  for (std::size_t i = 0; i < timed.size(); ++i) {
    WW_TRY(const auto roof,
           profile::roofline(session.task(), *timed[i], session.device.info().facts));
    all.push_back({timed[i], i, timed.size() - i, roof});
  }
  return all;
}

Result<std::vector<LoadedCase>> load_sets(Session& session, const Sized& sized) {
  WW_TRY(const std::uint64_t bytes, footprint_bytes(session.task(), *sized.size));
  const std::uint64_t wanted = input_sets(bytes);
  const std::uint64_t sets =
      bytes * wanted < session.device.info().free_bytes * 7 / 10 ? wanted : 1;
  std::vector<LoadedCase> loaded;
  for (std::uint64_t s = 0; s < sets; ++s) {
    WW_TRY(const auto module, module_copy(session, s + 1));
    if (s >= kContents) {
      WW_TRY(auto one, copy_case(session, loaded[s % kContents], module));
      loaded.push_back(std::move(one));
      continue;
    }
    const std::uint64_t seed = timed_seed(session.prepared, sized.number, s);
    WW_TRY(auto one, load_case(session, {sized.size, nullptr}, seed, module));
    loaded.push_back(std::move(one));
  }
  return loaded;
}

Result<std::vector<LoadedCase>> load_places(Session& session, const Sized& sized) {
  WW_TRY(const std::uint64_t bytes, footprint_bytes(session.task(), *sized.size));
  const std::uint64_t wanted = input_sets(bytes);
  const std::uint64_t places = bytes * wanted < session.device.info().free_bytes / 2 ? wanted : 1;
  std::vector<LoadedCase> loaded;
  for (std::uint64_t i = 0; i < places; ++i) {
    WW_TRY(const auto module, module_copy(session, i + 1));
    WW_TRY(auto one, load_place(session, {sized.size, nullptr}, 0, module));
    loaded.push_back(std::move(one));
  }
  return loaded;
}

LoadedCase& with_inputs(std::vector<LoadedCase>& sets, std::size_t number) {
  LoadedCase& set = sets[number];
  if (number >= kContents) set.inputs = std::move(sets[number % kContents].inputs);
  return set;
}

Result<double> timed_run(const Session& session, device::Replay& replay, std::uint64_t call,
                         std::vector<device::Fault>& faults, bool shifted) {
  const Prepared& prepared = session.prepared;
  WW_TRY(auto report,
         replay.run({.poison_seed = derived_seed(prepared.seed, ~call),
                     .timed = true,
                     .shifted = shifted,
                     .limit_s = work_limits(prepared.request(), prepared.target).run_s}));
  if (report.faults.empty()) return report.elapsed_us;
  faults = std::move(report.faults);
  return Error{faults.front().message};
}

std::optional<Ended> impossible(const Sized& sized, double median_us) {
  if (median_us >= sized.roof.impossible_us) return std::nullopt;
  return Ended{Verdict::cheat,
               fmt::format("size {}: {:.2f} us is less than the device needs to move the data",
                           sized.size->label, median_us),
               "At size " + sized.size->label +
                   " the kernel cannot have read its inputs and written its outputs in the time it "
                   "took.\n"};
}

double sampling_s(const Context& context, const Sized& sized, double most_s) {
  const double share = 0.5 * context.deadline.remaining_s() / static_cast<double>(sized.left);
  return std::clamp(share, 0.1, most_s);
}

profile::WarmUp warm_up_of(const Session& session, const Sized& sized) {
  const double first_s = session.device.info().was_idle ? kIdleWarmUpSeconds : kFirstWarmUpSeconds;
  return {.min_s = sized.number == 0 ? first_s : kLaterWarmUpSeconds,
          .max_s = sampling_s(session.context, sized, 0.5)};
}

std::vector<double> kept_raw(std::span<const double> samples_us) {
  std::vector<double> kept;
  for (const double us : samples_us.first(std::min(samples_us.size(), kMaxRawSamples))) {
    kept.push_back(std::round(us * 1e3) / 1e3);
  }
  return kept;
}

namespace {

/// One size after the other: estimates, or the times of a baseline that tests have validated.
Outcome<std::vector<Measurement>> one_by_one(Validated& validated, std::span<const Sized> sizes,
                                             bool estimated) {
  Session& session = *validated.session;
  std::vector<Measurement> measurements;
  for (const Sized& sized : sizes) {
    WW_CHECK(may_go_on(session.context));
    if (estimated) {
      WW_TRY(auto measurement, estimate_size(validated, sized));
      if (measurement) measurements.push_back(std::move(*measurement));
      continue;
    }
    WW_TRY(auto measurement, time_without_checks(session, sized));
    measurements.push_back(std::move(measurement));
  }
  return measurements;
}

void note_timer(const device::DeviceInfo& info, Context& context) {
  std::string text =
      fmt::format("times include {:.2f} us of the timer's own", info.timer_overhead_us);
  if (info.empty_kernel_us > 0) {
    text += fmt::format("; an empty kernel takes {:.2f} us by this clock", info.empty_kernel_us);
  }
  note(context, std::move(text));
}

/// What asking for the work costs the host, beside what the work costs the device.
Status add_host_times(const Prepared& prepared, std::vector<Measurement>& measurements) {
  for (const TaskSize* size : prepared.timed) {
    WW_TRY(const auto call, call_of(prepared.task(), *size, nullptr));
    const LaunchPlan& plan = prepared.candidate.plans.at(call_key(call));
    for (Measurement& measurement : measurements) {
      if (measurement.size != size->label) continue;
      measurement.host_us = plan.host_us;
      measurement.host_excess_us = build::host_excess_us(plan);
    }
  }
  return {};
}

}  // namespace

Outcome<Measured> measure_stage(Validated& validated, Context& context) {
  Session& session = *validated.session;
  const Prepared& prepared = session.prepared;
  const bool estimated = session.device.info().time_source == TimeSource::estimated;
  if (!estimated) note_timer(session.device.info(), context);
  GpuWatch watch(session);
  WW_TRY(const auto sizes, sized_of(session));
  const bool checked = !estimated && !prepared.request().timing_only;
  Measured measured;
  std::vector<Unconfirmed> later;
  WW_TRY(measured.measurements, checked ? time_sizes(validated, sizes, watch, later)
                                        : one_by_one(validated, sizes, estimated));
  WW_CHECK(add_host_times(prepared, measured.measurements));
  if (prepared.request().counters) note_counters(prepared, context);
  // Results that are still being checked need no device: the next candidate may have it.
  WW_CHECK(validated.checks->conclude_validation());
  const bool gives_back = validated.hold && prepared.target.is_cuda;
  if (gives_back) validated.hold->give_back();
  WW_CHECK(validated.checks->conclude_all());
  LeasedTurn turn(session);
  for (Unconfirmed& size : later)
    WW_CHECK(conclude_size(session, std::move(size), gives_back ? &turn : nullptr));
  return measured;
}

}  // namespace warpwright::evaluate
