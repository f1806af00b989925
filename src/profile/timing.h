// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/stop.h"
#include "profile/statistics.h"

namespace warpwright::profile {

/// One more time of the thing measured, in microseconds. An error ends the measurement.
using NextSample = std::function<Result<double>()>;

/// Warm-up goes by time, because clocks settle in time and not in calls.
struct WarmUp {
  double min_s = 0.02;
  double max_s = 0.5;
  int window = 5;                ///< samples per window
  double settled_change = 0.02;  ///< the medians of two windows in a row differ by less
};

struct TimingOptions {
  WarmUp warm_up;
  StopRule stop;
};

struct Timing {
  Interval time_us;
  std::vector<double> samples_us;  ///< all, in their order
  int dropped = 0;                 ///< as outliers, before the interval was made
  int warm_up_samples = 0;
  bool settled = false;  ///< the warm-up ended by itself, not by its limit
};

/// Warm-up until settled, then samples until the rule is content. A stop request ends it with an
/// error.
Result<Timing> gather(const NextSample& next_sample_us, const TimingOptions& options,
                      const Clock& clock, const StopSignal* stop = nullptr);

struct PairedTiming {
  PairedResult comparison;
  std::vector<double> a_us, b_us;
};

/// A and B in turns, the first of a pair alternating, after a warm-up of both.
Result<PairedTiming> gather_paired(const NextSample& next_a_us, const NextSample& next_b_us,
                                   const TimingOptions& options, const Clock& clock,
                                   const StopSignal* stop = nullptr);

}  // namespace warpwright::profile
