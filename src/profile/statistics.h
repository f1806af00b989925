// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/evaluation.h"

namespace warpwright::profile {

/// Of a non-empty list; the mean of the middle two when their number is even.
double median(std::span<const double> values);

/// A value and where it lies with the given confidence.
struct Interval {
  double median = 0;
  double low = 0;
  double high = 0;

  /// Half the width over the median; 0 for a median of 0.
  [[nodiscard]] double relative_half_width() const;
};

struct BootstrapOptions {
  double confidence = 0.95;
  int resamples = 1000;
  std::uint64_t seed = 0x5eed;  ///< the same samples always give the same interval
};

/// Percentile bootstrap of the median. One sample is an interval of width zero.
Interval bootstrap_median(std::span<const double> values, const BootstrapOptions& options = {});

/// With fewer places than this their spread says nothing.
inline constexpr std::size_t kLeastTimedPlaces = 6;

/// Of samples that were taken at several places in memory, `place_of` each: the mean of the medians
/// of the places, with Student's interval over places. Where a call's code, data and launch lie
/// makes it a per cent faster or slower, in steps: the median of all samples jumps between those
/// steps, and its interval knows nothing of them. Needs two places.
Interval interval_over_places(std::span<const double> values,
                              std::span<const std::size_t> place_of);

struct Cleaned {
  std::vector<double> kept;          ///< in their order
  std::vector<std::size_t> kept_at;  ///< their numbers
  int dropped = 0;
};

/// Drops samples above median + `factor` robust standard deviations (from the median absolute
/// deviation, at least 1% of the median): interrupts, clock changes, another process. Only slow
/// ones, and never more than a quarter: a distribution that is broad by nature stays as it is.
Cleaned drop_outliers(std::span<const double> values, double factor = 6);

/// The same for samples that were taken at several places, each place by itself: a place where
/// every call is slow is no disturbance. One of twelve may be a sixth slower than the others;
/// dropped as a whole in some evaluations and not in others, it made the time of a kernel one of
/// two.
Cleaned drop_outliers_by_place(std::span<const double> values,
                               std::span<const std::size_t> place_of);

/// When to stop sampling.
struct StopRule {
  int min_samples = 30;
  int max_samples = 192;
  double max_s = 1.0;                  ///< of sampling
  double relative_half_width = 0.004;  ///< tight enough
  /// Tight enough, too: clocks tick in steps of this order, and no number of samples goes below.
  double half_width_us = 0.033;
};
bool enough(const StopRule& rule, std::span<const double> samples, double spent_s);

/// How two kernels that were timed in turns are compared. docs/timing.md has the reasons.
struct PairOptions {
  double confidence = 0.995;
  int resamples = 2000;
  /// The least relative difference that counts: the larger of the two.
  double margin = 0.0075;
  double margin_us = 0.075;
  /// Quads whose numbers have the same rest modulo this ran at the same places in memory. With
  /// enough of them the interval is that of other places, too; 0 = not known.
  std::size_t places = 0;
  /// The margins for that case: most of what they stand for is in the interval.
  double margin_over_places = 0.003, margin_us_over_places = 0.03;
  std::uint64_t seed = 0x5eed;
};

/// A against B. `draws` are means of the logarithm of the ratio, resampled; they serve to combine
/// sizes.
struct PairedResult {
  Order order = Order::same;
  Ratio ratio;        ///< of A over B; below 1 = A is faster
  double margin = 0;  ///< that was used
  std::vector<double> draws;

  /// Half the width of the ratio's interval, relative.
  [[nodiscard]] double half_width() const;
};

inline constexpr std::size_t kLeastQuads = 3;

/// Elements 2k and 2k+1 of both lists were taken as A B B A or B A A B: a quad. Each quad gives one
/// ratio, in which a steady drift and what the second place of a pair costs cancel. An odd last
/// pair is left out; at least one quad is needed. Called different only when the whole interval
/// lies further from 1 than the margin, and never from fewer than kLeastQuads. `quads` are the
/// numbers of the quads, for PairOptions::places.
PairedResult compare_paired(std::span<const double> a, std::span<const double> b,
                            const PairOptions& options = {},
                            std::span<const std::uint64_t> quads = {});

/// The geometric mean over sizes. At least one.
PairedResult combine(std::span<const PairedResult> sizes, const PairOptions& options = {});

}  // namespace warpwright::profile
