// SPDX-License-Identifier: Apache-2.0
#include "profile/timing.h"

#include <cmath>

namespace warpwright::profile {

namespace {

class Stopwatch {
 public:
  explicit Stopwatch(const Clock& clock) : clock_(clock), start_(clock.now()) {}
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(clock_.now() - start_).count();
  }

 private:
  const Clock& clock_;
  Nanoseconds start_;
};

Status check(const StopSignal* stop) {
  if (stop != nullptr && stop->requested()) return Error{"stopped while measuring"};
  return {};
}

Status warm_up(const NextSample& next, const WarmUp& rule, const Clock& clock,
               const StopSignal* stop, Timing& timing) {
  const Stopwatch watch(clock);
  double before = 0;
  while (watch.seconds() < rule.max_s) {
    std::vector<double> window;
    for (int i = 0; i < rule.window; ++i) {
      WW_CHECK(check(stop));
      WW_TRY(const double sample, next());
      window.push_back(sample);
      ++timing.warm_up_samples;
      if (watch.seconds() >= rule.max_s) break;
    }
    const double now = median(window);
    const bool steady = before > 0 && std::fabs(now - before) <= rule.settled_change * before;
    if (steady && watch.seconds() >= rule.min_s) {
      timing.settled = true;
      return {};
    }
    before = now;
  }
  return {};
}

}  // namespace

Result<Timing> gather(const NextSample& next_sample_us, const TimingOptions& options,
                      const Clock& clock, const StopSignal* stop) {
  Timing timing;
  WW_CHECK(warm_up(next_sample_us, options.warm_up, clock, stop, timing));
  const Stopwatch watch(clock);
  do {
    WW_CHECK(check(stop));
    WW_TRY(const double sample, next_sample_us());
    timing.samples_us.push_back(sample);
  } while (!enough(options.stop, timing.samples_us, watch.seconds()));
  const Cleaned cleaned = drop_outliers(timing.samples_us);
  timing.dropped = cleaned.dropped;
  timing.time_us = bootstrap_median(cleaned.kept);
  return timing;
}

Result<PairedTiming> gather_paired(const NextSample& next_a_us, const NextSample& next_b_us,
                                   const TimingOptions& options, const Clock& clock,
                                   const StopSignal* stop) {
  Timing ignored;
  WW_CHECK(warm_up(next_a_us, options.warm_up, clock, stop, ignored));
  WW_CHECK(warm_up(next_b_us, options.warm_up, clock, stop, ignored));
  const Stopwatch watch(clock);
  PairedTiming paired;
  std::vector<double> ratios;
  do {
    WW_CHECK(check(stop));
    const bool a_first = ratios.size() % 2 == 0;
    WW_TRY(const double first, a_first ? next_a_us() : next_b_us());
    WW_TRY(const double second, a_first ? next_b_us() : next_a_us());
    paired.a_us.push_back(a_first ? first : second);
    paired.b_us.push_back(a_first ? second : first);
    ratios.push_back(paired.b_us.back() > 0 ? paired.a_us.back() / paired.b_us.back() : 1);
  } while (!enough(options.stop, ratios, watch.seconds()));
  paired.comparison = compare_paired(paired.a_us, paired.b_us);
  return paired;
}

}  // namespace warpwright::profile
