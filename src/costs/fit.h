// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "core/expression.h"

namespace warpwright::costs {

/// An amount that was counted, and all that an expression may name there.
struct Sample {
  Values values;
  double amount = 0;
};

/// An expression that says what the samples say.
struct Fit {
  std::string expression;
  double worst = 0;  ///< largest relative distance from a sample that matters
};

/// A sum of few products of `names` and `counts` (expressions over the values, such as numbers of
/// elements), each with a positive factor, so that it can be trusted beyond the samples. Samples
/// below a thousandth of the largest do not matter. The error is for samples that say nothing.
Result<Fit> fit(const std::vector<Sample>& samples, const std::vector<std::string>& names,
                const std::vector<std::string>& counts);

}  // namespace warpwright::costs
