// SPDX-License-Identifier: Apache-2.0
#include "report/speedup.h"

#include <cmath>

namespace warpwright::report {

namespace {

/// Half the interval's width in the logarithm; 0 where the interval says nothing.
double half_width(const Measurement& m) {
  if (!(m.low_us > 0) || !(m.high_us >= m.low_us) || !std::isfinite(m.high_us)) return 0;
  return std::log(m.high_us / m.low_us) / 2;
}

const Measurement* same_size(const Evaluation* evaluation, const std::string& size) {
  if (evaluation == nullptr) return nullptr;
  for (const auto& m : evaluation->measurements) {
    if (m.size == size) return &m;
  }
  return nullptr;
}

}  // namespace

std::optional<Interval> speedup_interval(const Evaluation& kernel, const Evaluation* baseline) {
  const auto gain = speedup(kernel);
  if (!gain) return std::nullopt;
  double squares = 0, weights = 0;
  for (const auto& m : kernel.measurements) {
    const double own = half_width(m);
    const Measurement* base = same_size(baseline, m.size);
    const double other = base == nullptr ? 0 : half_width(*base);
    squares += m.weight * m.weight * (own * own + other * other);
    weights += m.weight;
  }
  const double spread = std::exp(std::sqrt(squares) / weights);
  return Interval{*gain, *gain / spread, *gain * spread};
}

}  // namespace warpwright::report
