// SPDX-License-Identifier: Apache-2.0
#include "core/reward.h"

#include <algorithm>
#include <cmath>

namespace warpwright {

namespace {

/// Geometric mean over the sizes of baseline over time. Absent where a size has no baseline.
std::optional<double> rewarded_speedup(const Evaluation& evaluation, bool clip_at_floor) {
  if (!clip_at_floor) return speedup(evaluation);
  Evaluation clipped;
  clipped.measurements = evaluation.measurements;
  for (Measurement& measurement : clipped.measurements) {
    measurement.median_us = std::max(measurement.median_us, measurement.floor_us);
  }
  return speedup(clipped);
}

}  // namespace

double turn_score(const Evaluation& evaluation, const RewardRule& rule) {
  if (!evaluation.valid()) return 0;
  const double gain = rewarded_speedup(evaluation, rule.clip_at_floor).value_or(0);
  return rule.correct_bonus +
         (rule.largest_speedup > 0 ? std::min(gain, rule.largest_speedup) : gain);
}

std::vector<double> discounted_returns(std::span<const double> scores, double gamma) {
  std::vector<double> returns(scores.begin(), scores.end());
  for (std::size_t i = returns.size(); i-- > 1;) returns[i - 1] += gamma * returns[i];
  return returns;
}

RewardGroup group_of(std::span<const double> returns) {
  RewardGroup group;
  if (returns.empty()) return group;
  const auto count = static_cast<double>(returns.size());
  for (const double value : returns) group.mean += value / count;
  double squares = 0;
  for (const double value : returns) squares += (value - group.mean) * (value - group.mean);
  group.deviation = std::sqrt(squares / count);
  return group;
}

double advantage_of(double result, const RewardGroup& group) {
  // Returns that are equal differ by rounding alone.
  const bool flat = group.deviation <= 1e-12 * (1 + std::abs(group.mean));
  return flat ? 0 : (result - group.mean) / group.deviation;
}

std::vector<double> advantages(std::span<const double> returns) {
  const RewardGroup group = group_of(returns);
  std::vector<double> result;
  for (const double value : returns) result.push_back(advantage_of(value, group));
  return result;
}

}  // namespace warpwright
