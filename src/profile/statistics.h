// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

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

struct Cleaned {
  std::vector<double> kept;  ///< in their order
  int dropped = 0;
};

/// Drops samples above median + `factor` robust standard deviations (from the median absolute
/// deviation, at least 1% of the median): interrupts, clock changes, another process. Only slow
/// ones, and never more than a quarter: a distribution that is broad by nature stays as it is.
Cleaned drop_outliers(std::span<const double> values, double factor = 6);

/// When to stop sampling.
struct StopRule {
  int min_samples = 10;
  int max_samples = 500;
  double max_s = 1.0;                  ///< of sampling
  double relative_half_width = 0.005;  ///< tight enough
};
bool enough(const StopRule& rule, std::span<const double> samples, double spent_s);

enum class Comparison { same, faster, slower };

/// A against B, from samples taken in turns: element i of both belong together.
struct PairedResult {
  Comparison result = Comparison::same;
  Interval ratio;  ///< of A over B; below 1 = A is faster
};

/// Called different only when the interval excludes ratios within `margin` of 1.
PairedResult compare_paired(std::span<const double> a, std::span<const double> b,
                            double margin = 0.003, const BootstrapOptions& options = {});

}  // namespace warpwright::profile
