// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/evaluation.h"

namespace warpwright::report {

struct Interval {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// Geometric mean of baseline over kernel with the interval that follows from both sides'
/// intervals: errors are taken as independent and as symmetric in the logarithm. Absent when a
/// size lacks its baseline. `baseline` may be null: then its times count as exact.
std::optional<Interval> speedup_interval(const Evaluation& kernel, const Evaluation* baseline);

}  // namespace warpwright::report
