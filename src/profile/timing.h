// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/stop.h"
#include "profile/clock_watch.h"
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
  double watch_s = 0.05;  ///< between looks at the GPU's clocks
  /// Calls whose numbers have the same rest modulo this run at the same place in memory; 0 = not
  /// known.
  std::size_t places = 0;
};

struct Timing {
  /// Over places where there are enough of them, else around the median of all samples.
  Interval time_us;
  std::vector<double> samples_us;       ///< all but throttled ones, in their order
  std::vector<std::uint64_t> calls_at;  ///< the numbers of their calls
  std::uint64_t calls = 0;              ///< made so far, those of the warm-up included
  int dropped = 0;                      ///< as outliers, before the interval was made
  int throttled = 0;                    ///< thrown away because the GPU was slowed down
  int warm_up_samples = 0;
  bool settled = false;           ///< the warm-up ended by itself, not by its limit
  bool always_throttled = false;  ///< no sample was free of it: the samples are what there is
};

/// Warm-up until settled, then samples until the rule is content. A stop request ends it with an
/// error.
Result<Timing> gather(const NextSample& next_sample_us, const TimingOptions& options,
                      const Clock& clock, const StopSignal* stop = nullptr,
                      ClockWatch* watch = nullptr);

/// The same in several goes: adds samples to those of earlier ones, until `options.stop` is content
/// with all of them; conclude() makes the time of them. What disturbs for a tenth of a second then
/// meets a few samples only.
Status gather_more(Timing& timing, const NextSample& next_sample_us, const TimingOptions& options,
                   const Clock& clock, const StopSignal* stop = nullptr,
                   ClockWatch* watch = nullptr);
/// `places` as in TimingOptions.
void conclude(Timing& timing, std::size_t places);

/// When to stop sampling pairs. Never because the answer looks clear: looking often and stopping
/// at a lucky moment would call equal kernels different.
struct PairStop {
  int min_quads = 24;
  int max_quads = 250;
  double max_s = 0.5;         ///< kLeastQuads are taken whatever they take
  double half_width = 0.002;  ///< of the ratio
};

struct PairTimingOptions {
  WarmUp warm_up;
  PairStop stop;
  PairOptions pairs;
  double watch_s = 0.05;
  std::uint64_t order_seed = 0;  ///< which of the two begins a quad is drawn from it
};

struct PairedTiming {
  PairedResult comparison;
  std::vector<double> a_us, b_us;    ///< element i of both belong together; throttled ones are out
  std::vector<std::uint64_t> quads;  ///< their numbers; one per two pairs
  int throttled = 0;                 ///< pairs
  bool always_throttled = false;
};

/// A time for the quad of this number; all four calls of a quad shall see the same data, at the
/// same places.
using NextOfPair = std::function<Result<double>(std::uint64_t quad)>;

/// A and B in turns, as A B B A, after a warm-up of both.
Result<PairedTiming> gather_paired(const NextOfPair& next_a_us, const NextOfPair& next_b_us,
                                   const PairTimingOptions& options, const Clock& clock,
                                   const StopSignal* stop = nullptr, ClockWatch* watch = nullptr);

}  // namespace warpwright::profile
