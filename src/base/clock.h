// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

namespace warpwright {

using Nanoseconds = std::chrono::nanoseconds;

/// Time as the search sees it; tests replace it by one they move themselves.
class Clock {
 public:
  virtual ~Clock() = default;
  /// Monotonic, from an arbitrary start.
  [[nodiscard]] virtual Nanoseconds now() const = 0;
  /// Milliseconds since 1970, for records that people read.
  [[nodiscard]] virtual std::int64_t unix_ms() const = 0;
};

class SystemClock final : public Clock {
 public:
  [[nodiscard]] Nanoseconds now() const override {
    return std::chrono::steady_clock::now().time_since_epoch();
  }
  [[nodiscard]] std::int64_t unix_ms() const override {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
};

}  // namespace warpwright
