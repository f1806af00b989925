// SPDX-License-Identifier: Apache-2.0
#include "core/evaluation.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace warpwright {

namespace {

template <class Value>
std::optional<double> geometric_mean(const std::vector<Measurement>& measurements, Value value) {
  if (measurements.empty()) return std::nullopt;
  double log_sum = 0, weights = 0;
  for (const auto& measurement : measurements) {
    const double number = value(measurement);
    if (!(number > 0) || !std::isfinite(number)) return std::nullopt;
    log_sum += measurement.weight * std::log(number);
    weights += measurement.weight;
  }
  return std::exp(log_sum / weights);
}

constexpr std::array<std::string_view, 3> kOrders = {"same", "faster", "slower"};

}  // namespace

std::string_view name_of(Order order) { return kOrders[static_cast<std::size_t>(order)]; }

std::optional<Order> order_named(std::string_view name) {
  for (std::size_t i = 0; i < kOrders.size(); ++i) {
    if (kOrders[i] == name) return static_cast<Order>(i);
  }
  return std::nullopt;
}

void add_baseline_times(Evaluation& evaluation, const Evaluation& baseline) {
  for (auto& measurement : evaluation.measurements) {
    for (const auto& base : baseline.measurements) {
      if (base.size == measurement.size) measurement.baseline_us = call_us(base);
    }
  }
}

std::optional<double> score_us(const Evaluation& evaluation) {
  if (!evaluation.unchecked.empty()) return std::nullopt;
  return geometric_mean(evaluation.measurements, call_us);
}

std::optional<double> speedup(const Evaluation& evaluation) {
  return geometric_mean(evaluation.measurements,
                        [](const auto& m) { return m.baseline_us / call_us(m); });
}

std::optional<double> roofline_share(const Evaluation& evaluation) {
  return geometric_mean(evaluation.measurements,
                        [](const auto& m) { return m.floor_us / call_us(m); });
}

bool is_below_floor(const Measurement& measurement) {
  constexpr double kClearly = 0.95;
  return call_us(measurement) < kClearly * measurement.floor_us;
}

bool has_weights(const Evaluation& evaluation) {
  const auto& all = evaluation.measurements;
  return std::any_of(all.begin(), all.end(), [](const auto& m) { return m.weight != 1; });
}

double sol_score(double kernel_us, double baseline_us, double floor_us) {
  // A time below the floor is an inaccurate floor, not more than the speed of light.
  const double above = std::max(0.0, kernel_us - floor_us);
  const double gap = baseline_us - floor_us;
  if (gap <= 0) return above <= 0 ? 1 : 0;
  return 1 / (1 + above / gap);
}

std::optional<double> sol_score(const Evaluation& evaluation) {
  double sum = 0, weights = 0;
  for (const auto& m : evaluation.measurements) {
    if (!(m.floor_us > 0) || !(m.baseline_us > 0) || !(call_us(m) > 0)) return std::nullopt;
    sum += m.weight * sol_score(call_us(m), m.baseline_us, m.floor_us);
    weights += m.weight;
  }
  if (weights == 0) return std::nullopt;
  return sum / weights;
}

}  // namespace warpwright
