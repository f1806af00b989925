// SPDX-License-Identifier: Apache-2.0
#include "core/evaluation.h"

#include <array>
#include <cmath>

namespace warpwright {

namespace {

template <class Value>
std::optional<double> geometric_mean(const std::vector<Measurement>& measurements, Value value) {
  if (measurements.empty()) return std::nullopt;
  double log_sum = 0;
  for (const auto& measurement : measurements) {
    const double number = value(measurement);
    if (!(number > 0) || !std::isfinite(number)) return std::nullopt;
    log_sum += std::log(number);
  }
  return std::exp(log_sum / static_cast<double>(measurements.size()));
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

}  // namespace warpwright
