// SPDX-License-Identifier: Apache-2.0
#include "core/headroom.h"

#include <algorithm>

namespace warpwright {

namespace {

// Chosen on the recorded searches (tests/core/headroom_test.cpp): first rounds gain 8 %.
constexpr double kUsualGain = 0.08;
constexpr double kMemory = 0.3;    // what the parts before the last one count
constexpr double kFarBelow = 0.5;  // of the roofline: no nearer, it does not limit
constexpr double kNothingYet = 1;

}  // namespace

double expected_gain(const Prospect& prospect) {
  if (prospect.best_us.empty()) return kNothingYet;
  double gain = kUsualGain;
  for (std::size_t i = 1; i < prospect.best_us.size(); ++i) {
    const double step = prospect.best_us[i - 1] / prospect.best_us[i] - 1;
    gain = kMemory * gain + (1 - kMemory) * step;
  }
  const double room = 1 - std::clamp(prospect.share.value_or(0), 0.0, 1.0);
  return gain * std::min(1.0, room / (1 - kFarBelow));
}

}  // namespace warpwright
