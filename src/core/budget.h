// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace warpwright {

/// Hard limits of a run, over all its processes. Absent = unlimited.
struct Limits {
  std::optional<std::int64_t> evaluations;
  std::optional<std::int64_t> tokens;
  std::optional<double> usd;
  std::optional<double> wall_s;
  std::optional<double> device_s;
};

/// What something costs, or may cost at most.
struct Cost {
  std::int64_t evaluations = 0;
  std::int64_t tokens = 0;
  double usd = 0;
  double device_s = 0;
  bool unpriced = false;  ///< usd lacks a part that nobody knows

  Cost& operator+=(const Cost& other);
  Cost& operator-=(const Cost& other);
};

/// Counts what is spent and what is in flight, so that a limit holds whatever is still running:
/// work starts only if its upper bound fits beside everything already promised.
class Budget {
 public:
  explicit Budget(const Limits& limits) : limits_(limits) {}

  /// Whether something of at most this cost may start now; if not, the limit that forbids it, as
  /// a sentence.
  [[nodiscard]] std::optional<std::string> refusal(const Cost& upper_bound) const;
  void reserve(const Cost& upper_bound) { reserved_ += upper_bound; }
  /// Ends a reservation; what it really cost goes to spend().
  void release(const Cost& upper_bound) { reserved_ -= upper_bound; }
  void spend(const Cost& actual) { spent_ += actual; }

  [[nodiscard]] const Limits& limits() const { return limits_; }
  [[nodiscard]] const Cost& spent() const { return spent_; }
  [[nodiscard]] const Cost& reserved() const { return reserved_; }

 private:
  Limits limits_;
  Cost spent_;
  Cost reserved_;
};

}  // namespace warpwright
