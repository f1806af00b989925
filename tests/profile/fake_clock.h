// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace warpwright::profile {

/// Moves by hand.
class FakeClock final : public Clock {
 public:
  [[nodiscard]] Nanoseconds now() const override { return now_; }
  [[nodiscard]] std::int64_t unix_ms() const override { return 0; }
  void advance(double seconds) { now_ += Nanoseconds(static_cast<std::int64_t>(seconds * 1e9)); }

 private:
  Nanoseconds now_{0};
};

}  // namespace warpwright::profile
