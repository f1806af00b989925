// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/expression.h"

namespace warpwright {

/// A domain whose bounds are numbers: what one value may be at one size.
struct DomainRange {
  double low = 0;
  double high = 0;
  double step = 1;              ///< members are multiples of it; 0 = any real number
  bool by_ratio = false;        ///< spread evenly by ratio, not by difference
  std::vector<double> choices;  ///< not empty: the members, and nothing else counts

  [[nodiscard]] bool contains(double value) const;

  /// The largest member that is not above the value; the least member when there is none.
  [[nodiscard]] double at_most(double value) const;

  [[nodiscard]] double least() const { return at_most(low); }
  [[nodiscard]] double largest() const { return at_most(high); }
};

/// Which values a value of a size, a scalar or the elements of an input may have, as a task writes
/// it. Bounds are expressions over other values.
///
///   "1..2^28"                  whole numbers, both ends included
///   "h..4096 multiple of h"    multiples
///   "-100..100 real"           any real number
///   "1e-12..1e-1 log"          any real number, spread by ratio; both ends have the same sign
///   "{32, 64, 80, 128}"        one of these
///   "fixed 16*N"               one value
class Domain {
 public:
  enum class Kind { whole, real, log, choices, fixed };

  /// An error says what was expected.
  static Result<Domain> parse(std::string_view text);

  /// The bounds at these values. An error when a name is missing or no member is left.
  [[nodiscard]] Result<DomainRange> at(const Values& values) const;

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] std::set<std::string> names() const;
  [[nodiscard]] const std::string& text() const { return text_; }

  /// Texts of the bounds, for ranges.
  [[nodiscard]] const std::string& low() const { return parts_.front().text(); }
  [[nodiscard]] const std::string& high() const { return parts_.back().text(); }

  /// Texts of the two bounds, of the choices, or of the fixed value.
  [[nodiscard]] std::vector<std::string> parts() const;

  /// "a whole number from 1 to 2^28"
  [[nodiscard]] std::string words() const;

 private:
  friend class DomainParser;
  Kind kind_ = Kind::whole;
  std::string text_;
  std::vector<Expression> parts_;  ///< low and high, or the choices
  std::vector<Expression> step_;   ///< of multiples, else empty
};

struct NamedDomain {
  std::string name;
  Domain domain;
};

/// All domains of a task in an order in which each one's bounds follow from earlier ones. An error
/// when one names a value without a domain, or when they go in a circle.
Result<std::vector<NamedDomain>> ordered_domains(const std::map<std::string, std::string>& texts);

/// Whether all of these values lie in their domains; the error names the first that does not.
Status within_domains(std::span<const NamedDomain> domains, const Values& values);

}  // namespace warpwright
