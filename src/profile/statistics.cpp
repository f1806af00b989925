// SPDX-License-Identifier: Apache-2.0
#include "profile/statistics.h"

#include <algorithm>
#include <cmath>

#include "base/assert.h"

namespace warpwright::profile {

namespace {

// Scales the median absolute deviation to the standard deviation of a normal distribution.
constexpr double kMadToSigma = 1.4826;
constexpr double kLeastRelativeSigma = 0.01;
constexpr std::size_t kLargestDroppedShare = 4;  // a quarter

/// SplitMix64: tiny, and good enough to draw indices.
class IndexSource {
 public:
  explicit IndexSource(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t n) {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    z ^= z >> 31;
    return static_cast<std::size_t>((static_cast<unsigned __int128>(z) * n) >> 64);
  }

 private:
  std::uint64_t state_;
};

/// Reorders its argument.
double median_in_place(std::vector<double>& values) {
  const std::size_t middle = values.size() / 2;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(middle);
  std::nth_element(values.begin(), at, values.end());
  if (values.size() % 2 == 1) return *at;
  return (*std::max_element(values.begin(), at) + *at) / 2;
}

}  // namespace

double median(std::span<const double> values) {
  ASSERT(!values.empty(), "the median of nothing");
  std::vector<double> copy(values.begin(), values.end());
  return median_in_place(copy);
}

double Interval::relative_half_width() const {
  return median == 0 ? 0 : (high - low) / 2 / std::fabs(median);
}

Interval bootstrap_median(std::span<const double> values, const BootstrapOptions& options) {
  ASSERT(options.resamples > 0, "no resamples");
  Interval interval{.median = median(values)};
  std::vector<double> medians(static_cast<std::size_t>(options.resamples));
  std::vector<double> resample(values.size());
  IndexSource index(options.seed);
  for (double& m : medians) {
    for (double& value : resample) value = values[index.below(values.size())];
    m = median_in_place(resample);
  }
  std::sort(medians.begin(), medians.end());
  const double tail = (1 - options.confidence) / 2;
  const auto last = static_cast<double>(medians.size() - 1);
  interval.low = medians[static_cast<std::size_t>(std::floor(tail * last))];
  interval.high = medians[static_cast<std::size_t>(std::ceil((1 - tail) * last))];
  return interval;
}

Cleaned drop_outliers(std::span<const double> values, double factor) {
  Cleaned cleaned;
  if (values.empty()) return cleaned;
  const double middle = median(values);
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double value : values) deviations.push_back(std::fabs(value - middle));
  const double sigma =
      std::max(median_in_place(deviations) * kMadToSigma, kLeastRelativeSigma * std::fabs(middle));
  for (const double value : values) {
    if (value <= middle + factor * sigma) cleaned.kept.push_back(value);
  }
  cleaned.dropped = static_cast<int>(values.size() - cleaned.kept.size());
  if (static_cast<std::size_t>(cleaned.dropped) * kLargestDroppedShare > values.size()) {
    cleaned.kept.assign(values.begin(), values.end());
    cleaned.dropped = 0;
  }
  return cleaned;
}

bool enough(const StopRule& rule, std::span<const double> samples, double spent_s) {
  const int count = static_cast<int>(samples.size());
  if (count == 0) return false;
  if (count >= rule.max_samples || spent_s >= rule.max_s) return true;
  if (count < rule.min_samples) return false;
  const Cleaned cleaned = drop_outliers(samples);
  // A coarse interval is enough to decide; the reported one is computed once, at the end.
  const Interval interval = bootstrap_median(cleaned.kept, {.resamples = 200});
  return interval.relative_half_width() <= rule.relative_half_width;
}

PairedResult compare_paired(std::span<const double> a, std::span<const double> b, double margin,
                            const BootstrapOptions& options) {
  ASSERT(a.size() == b.size() && !a.empty(), "pairs need two lists of one length");
  std::vector<double> ratios;
  ratios.reserve(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (b[i] > 0) ratios.push_back(a[i] / b[i]);
  }
  PairedResult paired;
  if (ratios.empty()) return paired;
  paired.ratio = bootstrap_median(ratios, options);
  if (paired.ratio.high < 1 - margin) paired.result = Comparison::faster;
  if (paired.ratio.low > 1 + margin) paired.result = Comparison::slower;
  return paired;
}

}  // namespace warpwright::profile
