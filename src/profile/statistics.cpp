// SPDX-License-Identifier: Apache-2.0
#include "profile/statistics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

#include "base/assert.h"
#include "base/mix.h"

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
    const std::uint64_t z = mixed_bits(state_ += kMixStep);
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

namespace {

/// Quantile 0.975 of Student's distribution (Cornish and Fisher's expansion).
double student_95(double freedom) {
  constexpr double z = 1.959964;
  const double first = (z * z * z + z) / (4 * freedom);
  const double second = (5 * std::pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * freedom * freedom);
  return z + first + second;
}

}  // namespace

Interval interval_over_places(std::span<const double> values,
                              std::span<const std::size_t> place_of) {
  ASSERT(values.size() == place_of.size() && !values.empty(), "a place for each sample");
  std::map<std::size_t, std::vector<double>> by_place;
  for (std::size_t i = 0; i < values.size(); ++i) by_place[place_of[i]].push_back(values[i]);
  const auto places = static_cast<double>(by_place.size());
  ASSERT(by_place.size() > 1, "one place has no spread");
  double sum = 0, squares = 0;
  for (auto& [place, samples] : by_place) sum += median(samples);
  const double mean = sum / places;
  for (const auto& [place, samples] : by_place) {
    const double off = median(samples) - mean;
    squares += off * off;
  }
  const double reach = student_95(places - 1) * std::sqrt(squares / (places - 1) / places);
  return {.median = mean, .low = mean - reach, .high = mean + reach};
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
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] > middle + factor * sigma) continue;
    cleaned.kept.push_back(values[i]);
    cleaned.kept_at.push_back(i);
  }
  cleaned.dropped = static_cast<int>(values.size() - cleaned.kept.size());
  if (static_cast<std::size_t>(cleaned.dropped) * kLargestDroppedShare > values.size()) {
    cleaned.kept.assign(values.begin(), values.end());
    cleaned.kept_at.resize(values.size());
    std::iota(cleaned.kept_at.begin(), cleaned.kept_at.end(), std::size_t{0});
    cleaned.dropped = 0;
  }
  return cleaned;
}

Cleaned drop_outliers_by_place(std::span<const double> values,
                               std::span<const std::size_t> place_of) {
  ASSERT(values.size() == place_of.size(), "a place for each sample");
  std::map<std::size_t, std::vector<std::size_t>> numbers;
  for (std::size_t i = 0; i < values.size(); ++i) numbers[place_of[i]].push_back(i);
  Cleaned all;
  for (const auto& [place, at] : numbers) {
    std::vector<double> own;
    for (const std::size_t i : at) own.push_back(values[i]);
    const Cleaned cleaned = drop_outliers(own);
    for (const std::size_t k : cleaned.kept_at) all.kept_at.push_back(at[k]);
    all.dropped += cleaned.dropped;
  }
  std::sort(all.kept_at.begin(), all.kept_at.end());
  for (const std::size_t i : all.kept_at) all.kept.push_back(values[i]);
  return all;
}

bool enough(const StopRule& rule, std::span<const double> samples, double spent_s) {
  const int count = static_cast<int>(samples.size());
  if (count == 0) return false;
  if (count >= rule.max_samples || spent_s >= rule.max_s) return true;
  if (count < rule.min_samples) return false;
  const Cleaned cleaned = drop_outliers(samples);
  // A coarse interval is enough to decide; the reported one is computed once, at the end.
  const Interval interval = bootstrap_median(cleaned.kept, {.resamples = 200});
  const double half_width_us = (interval.high - interval.low) / 2;
  return half_width_us <= rule.half_width_us ||
         interval.relative_half_width() <= rule.relative_half_width;
}

namespace {

// Quads further out than this many robust standard deviations are pulled in: one interrupt must
// not decide. The least deviation is for timers so coarse that most quads agree to the bit.
constexpr double kClip = 4;
constexpr double kLeastLogSigma = 0.002;

std::vector<double> log_ratios_of_quads(std::span<const double> a, std::span<const double> b) {
  std::vector<double> logs;
  for (std::size_t i = 0; i + 1 < a.size(); i += 2) {
    const double product = a[i] * a[i + 1], other = b[i] * b[i + 1];
    logs.push_back(product > 0 && other > 0 ? std::log(product / other) / 2 : 0);
  }
  return logs;
}

/// The least difference between two samples, over their median: the clock's step where it is
/// coarse, next to nothing where it is fine.
double clock_step(std::span<const double> a, std::span<const double> b) {
  std::vector<double> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  std::sort(all.begin(), all.end());
  double least = all.back() - all.front();
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i] > all[i - 1]) least = std::min(least, all[i] - all[i - 1]);
  }
  const double middle = all[all.size() / 2];
  return middle > 0 ? least / middle : 0;
}

void clip(std::vector<double>& values, double least_sigma) {
  const double middle = median(values);
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double value : values) deviations.push_back(std::fabs(value - middle));
  const double reach = kClip * std::max(median_in_place(deviations) * kMadToSigma, least_sigma);
  for (double& value : values) value = std::clamp(value, middle - reach, middle + reach);
}

/// Neighbours in time share their disturbances, so whole runs of quads are drawn, not single ones.
/// The list is taken as a ring. Deviations are widened for what few blocks do not show.
std::vector<double> block_bootstrap(std::span<const double> values, const PairOptions& options) {
  const std::size_t n = values.size();
  const auto block = std::min(n, static_cast<std::size_t>(std::lround(std::cbrt(n))) + 1);
  std::vector<double> sums(2 * n + 1, 0.0);
  for (std::size_t i = 0; i < 2 * n; ++i) sums[i + 1] = sums[i] + values[i % n];
  const double mean = sums[n] / static_cast<double>(n);
  const std::size_t blocks = n / block;
  const auto drawn = static_cast<double>(blocks * block);
  const double widening = std::sqrt(drawn / static_cast<double>(n)) *
                          (1 + 2.5 / static_cast<double>(std::max<std::size_t>(blocks, 1)));
  std::vector<double> draws(static_cast<std::size_t>(options.resamples));
  IndexSource index(options.seed);
  for (double& draw : draws) {
    double sum = 0;
    for (std::size_t i = 0; i < blocks; ++i) {
      const std::size_t from = index.below(n);
      sum += sums[from + block] - sums[from];
    }
    draw = mean + (sum / drawn - mean) * widening;
  }
  return draws;
}

// With fewer places, or some of them hardly visited, the spread between them is not known.
constexpr std::size_t kLeastPlaces = 10;

/// The mean of the quads at each place; empty when there are too few.
std::vector<double> means_by_place(std::span<const double> logs,
                                   std::span<const std::uint64_t> quads, std::size_t places) {
  if (places < kLeastPlaces || quads.size() != logs.size() || logs.size() < 2 * places) return {};
  std::vector<double> sums(places, 0.0), counts(places, 0.0);
  for (std::size_t i = 0; i < logs.size(); ++i) {
    sums[quads[i] % places] += logs[i];
    counts[quads[i] % places] += 1;
  }
  std::vector<double> means;
  for (std::size_t p = 0; p < places; ++p) {
    if (counts[p] > 0) means.push_back(sums[p] / counts[p]);
  }
  return means.size() < kLeastPlaces ? std::vector<double>{} : means;
}

/// Student's distribution around the mean over places: whole places are the independent draws, the
/// quads at one place share where code and data lie.
std::vector<double> draws_over_places(std::span<const double> means, double mean,
                                      const PairOptions& options) {
  const std::size_t freedom = means.size() - 1;
  double squares = 0;
  for (const double m : means) squares += (m - mean) * (m - mean);
  const double error = std::sqrt(squares / static_cast<double>(freedom * means.size()));
  IndexSource index(options.seed);
  const auto normal = [&index] {
    constexpr std::size_t kSteps = std::size_t{1} << 53;
    const double u = (static_cast<double>(index.below(kSteps)) + 0.5) / static_cast<double>(kSteps);
    const double v = static_cast<double>(index.below(kSteps)) / static_cast<double>(kSteps);
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
  };
  std::vector<double> draws(static_cast<std::size_t>(options.resamples));
  for (double& draw : draws) {
    double chi = 0;
    for (std::size_t i = 0; i < freedom; ++i) {
      const double z = normal();
      chi += z * z;
    }
    draw = mean + error * normal() / std::sqrt(chi / static_cast<double>(freedom));
  }
  return draws;
}

/// Fills order and interval from the draws.
void conclude(PairedResult& result, double mean_log, const PairOptions& options) {
  std::vector<double> sorted = result.draws;
  std::sort(sorted.begin(), sorted.end());
  const double tail = (1 - options.confidence) / 2;
  const auto last = static_cast<double>(sorted.size() - 1);
  result.ratio = {std::exp(mean_log),
                  std::exp(sorted[static_cast<std::size_t>(std::floor(tail * last))]),
                  std::exp(sorted[static_cast<std::size_t>(std::ceil((1 - tail) * last))])};
  if (result.ratio.high < 1 - result.margin) result.order = Order::faster;
  if (result.ratio.low > 1 + result.margin) result.order = Order::slower;
}

}  // namespace

double PairedResult::half_width() const {
  return (ratio.high - ratio.low) / 2 / std::max(ratio.value, 1e-9);
}

PairedResult compare_paired(std::span<const double> a, std::span<const double> b,
                            const PairOptions& options, std::span<const std::uint64_t> quads) {
  ASSERT(a.size() == b.size() && a.size() >= 2, "pairs need two lists of one length");
  std::vector<double> logs = log_ratios_of_quads(a, b);
  clip(logs, std::max(kLeastLogSigma, clock_step(a, b) / 2));  // two samples of each to a quad
  const std::vector<double> places = means_by_place(logs, quads, options.places);
  const bool by_place = !places.empty();
  PairedResult result;
  const double shortest_us = std::min(median(a), median(b));
  result.margin = by_place ? options.margin_over_places : options.margin;
  const double margin_us = by_place ? options.margin_us_over_places : options.margin_us;
  if (shortest_us > 0) result.margin = std::max(result.margin, margin_us / shortest_us);
  const std::span<const double> values = by_place ? places : logs;
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  result.draws =
      by_place ? draws_over_places(places, mean, options) : block_bootstrap(logs, options);
  conclude(result, mean, options);
  if (logs.size() < kLeastQuads) result.order = Order::same;
  return result;
}

PairedResult combine(std::span<const PairedResult> sizes, const PairOptions& options) {
  ASSERT(!sizes.empty(), "nothing to combine");
  PairedResult all;
  all.draws.assign(sizes.front().draws.size(), 0.0);
  double mean_log = 0;
  const auto count = static_cast<double>(sizes.size());
  // Every size was drawn with the same seed; turned lists keep the draws of sizes independent.
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    const auto& draws = sizes[s].draws;
    ASSERT(draws.size() == all.draws.size(), "sizes with different numbers of draws");
    mean_log += std::log(sizes[s].ratio.value) / count;
    all.margin += sizes[s].margin / count;
    for (std::size_t i = 0; i < draws.size(); ++i) {
      all.draws[i] += draws[(i + s * 977) % draws.size()] / count;
    }
  }
  conclude(all, mean_log, options);
  return all;
}

}  // namespace warpwright::profile
