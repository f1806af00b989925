// SPDX-License-Identifier: Apache-2.0
#include "core/budget.h"

#include <fmt/format.h>

namespace warpwright {

namespace {

// Sums of doubles that were added and taken away again leave dust; a limit is not broken by it.
constexpr double kDust = 1e-9;

}  // namespace

Cost& Cost::operator+=(const Cost& other) {
  evaluations += other.evaluations;
  tokens += other.tokens;
  usd += other.usd;
  unpriced = unpriced || other.unpriced;
  device_s += other.device_s;
  return *this;
}

Cost& Cost::operator-=(const Cost& other) {
  evaluations -= other.evaluations;
  tokens -= other.tokens;
  usd -= other.usd;
  device_s -= other.device_s;
  return *this;
}

std::optional<std::string> Budget::refusal(const Cost& upper_bound) const {
  Cost total = spent_;
  total += reserved_;
  total += upper_bound;
  if (limits_.evaluations && total.evaluations > *limits_.evaluations) {
    return fmt::format("the limit of {} evaluations ({} spent, {} in flight)", *limits_.evaluations,
                       spent_.evaluations, reserved_.evaluations);
  }
  if (limits_.tokens && total.tokens > *limits_.tokens) {
    return fmt::format("the limit of {} tokens ({} spent, up to {} in flight, up to {} more asked)",
                       *limits_.tokens, spent_.tokens, reserved_.tokens, upper_bound.tokens);
  }
  if (limits_.usd && total.usd > *limits_.usd + kDust) {
    return fmt::format(
        "the limit of {:.4f} USD ({:.4f} spent, up to {:.4f} in flight, up to "
        "{:.4f} more asked)",
        *limits_.usd, spent_.usd, reserved_.usd, upper_bound.usd);
  }
  if (limits_.device_s && total.device_s > *limits_.device_s + kDust) {
    return fmt::format(
        "the limit of {:.1f} s on the device ({:.1f} spent, up to {:.1f} in flight, "
        "up to {:.1f} more asked)",
        *limits_.device_s, spent_.device_s, reserved_.device_s, upper_bound.device_s);
  }
  return std::nullopt;
}

}  // namespace warpwright
