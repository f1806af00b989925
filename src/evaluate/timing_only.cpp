// SPDX-License-Identifier: Apache-2.0
// The judge's own kernels, timed for a benchmark: quick to set up, and never much longer than one
// cell of a table is worth.
#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "evaluate/limits.h"
#include "evaluate/measure.h"
#include "profile/timing.h"

namespace warpwright::evaluate {

namespace {

// Longer buffers repeat this many elements: making two gigabytes takes longer than timing them.
constexpr std::uint64_t kMadeElements = std::uint64_t{1} << 20;
// For all calls of one size together. A call that takes more than half of it is timed once.
constexpr double kCellSeconds = 2;
// A call this long has brought the clocks up by itself.
constexpr double kLongCallSeconds = 0.05;
constexpr int kUsualSamples = 10;

profile::TimingOptions timing_options(double call_s) {
  profile::TimingOptions options;
  options.warm_up = {.min_s = 0.05, .max_s = call_s > kLongCallSeconds ? 0 : 0.2};
  const double left_s = kCellSeconds - call_s;
  options.stop.max_s = call_s > kLongCallSeconds ? left_s : 0.5;
  options.stop.min_samples =
      static_cast<int>(std::clamp<double>(left_s / call_s, 1, kUsualSamples));
  return options;
}

Result<profile::Timing> timing_of(const profile::NextSample& next_us, const StopSignal& stop) {
  WW_TRY(const double first_us, next_us());
  if (first_us * 1e-6 > kCellSeconds / 2) {
    return profile::Timing{.time_us = {first_us, first_us, first_us}, .samples_us = {first_us}};
  }
  return profile::gather(next_us, timing_options(first_us * 1e-6), SystemClock(), &stop);
}

}  // namespace

Outcome<Measurement> time_without_checks(Session& session, const Sized& sized) {
  const Prepared& prepared = session.prepared;
  const Task& task = prepared.task();
  WW_TRY(const auto call, call_of(task, *sized.size, nullptr));
  WW_TRY(const auto instance,
         verify::make_instance(task, *sized.size, nullptr, derived_seed(prepared.seed, 0)));
  WW_TRY(const auto inputs, verify::generate_inputs(instance, kMadeElements));
  WW_TRY(auto buffers, CaseBuffers::make(session.device, task, call, inputs));
  const LaunchPlan& plan = prepared.candidate.plans.at(call_key(call));
  WW_TRY(auto replay, session.device.prepare(session.module, plan, buffers.bindings()));
  auto options = run_options(prepared, {sized.size, nullptr}, prepared.seed);
  options.timed = true;
  std::vector<device::Fault> faults;
  const profile::NextSample next_us = [&]() -> Result<double> {
    // One pattern for all: outputs hold other bits than the last call left, and no upload waits.
    WW_TRY(auto report, replay->run(options));
    if (report.faults.empty()) return report.elapsed_us;
    faults = std::move(report.faults);
    return Error{faults.front().message};
  };
  const auto timing = timing_of(next_us, session.context.stop);
  if (!faults.empty()) {
    return faulted(prepared, faults, {sized.size, nullptr}, session.context.notes);
  }
  if (!timing.ok()) return timing.error();
  return Measurement{.size = sized.size->label,
                     .source = TimeSource::measured,
                     .median_us = timing->time_us.median,
                     .low_us = timing->time_us.low,
                     .high_us = timing->time_us.high,
                     .samples = static_cast<int>(timing->samples_us.size()),
                     .floor_us = sized.roof.floor_us,
                     .weight = sized.size->weight};
}

}  // namespace warpwright::evaluate
