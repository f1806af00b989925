// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpwright::flop {

/// A sum of products of names, with numbers: 2*n*m + 3. Names may be whole expressions, as
/// "ceil((n - 1)/4)".
class Formula {
 public:
  Formula() = default;
  Formula(double number) {  // NOLINT: numbers are formulas
    if (number != 0) terms_[{}] = number;
  }
  static Formula name(const std::string& text);

  [[nodiscard]] std::optional<double> number() const;
  /// Whether a reader would want to see it. What grows beyond is given up: texts are foreign, and
  /// products of sums of products never end.
  [[nodiscard]] bool is_small() const;
  /// "2*n*m + 3".
  [[nodiscard]] std::string text() const;
  /// The quotient, rounded towards the infinity that is named; exact where it can be.
  [[nodiscard]] Formula divided(double by, bool up) const;

  Formula& operator+=(const Formula& other);
  friend Formula operator+(Formula a, const Formula& b) { return a += b; }
  friend Formula operator-(const Formula& a, const Formula& b) { return a + b * Formula(-1); }
  friend Formula operator*(const Formula& a, const Formula& b);
  bool operator==(const Formula&) const = default;

 private:
  std::map<std::vector<std::string>, double> terms_;
};

}  // namespace warpwright::flop
