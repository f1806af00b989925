// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/expression.h"

namespace warpwright::tune {

/// One thing that a kernel lets us choose: `// tune: TILE = 32, 64, 128`.
struct Parameter {
  std::string name;
  std::vector<std::string> values;  ///< as written; numbers in ascending order, else as declared
  std::size_t given = 0;            ///< the value that the file has, or the first that is declared
  bool numeric = true;              ///< all values are numbers
};

/// A configuration: one index into each parameter's values.
using Point = std::vector<std::size_t>;

inline constexpr std::size_t kMaxParameters = 24;
inline constexpr std::size_t kMaxValues = 256;        ///< of one parameter
inline constexpr std::size_t kMaxPoints = 1'000'000;  ///< before constraints

/// What a source declares in its `// tune:` comments (docs/search.md has the grammar), and the
/// sources that follow from it.
class Space {
 public:
  /// Any text: a space, without parameters where nothing is declared, or an error with its line.
  static Result<Space> parse(std::string_view source);

  [[nodiscard]] const std::vector<Parameter>& parameters() const { return parameters_; }
  /// The texts of the constraints.
  [[nodiscard]] std::vector<std::string> constraints() const;
  /// What the file itself says.
  [[nodiscard]] Point given() const;
  /// All configurations that the constraints allow, in a fixed order. The given one is always
  /// among them: a file may be judged as it is.
  [[nodiscard]] std::vector<Point> points() const;
  [[nodiscard]] bool allows(const Point& point) const;
  /// "TILE=32 ROWS=8"
  [[nodiscard]] std::string text_of(const Point& point) const;
  /// The source with these values. It declares nothing any more: `tune:` has become `tuned:`.
  [[nodiscard]] std::string filled(const Point& point) const;

 private:
  friend class SpaceReader;
  /// Where a parameter's value goes: over `length` characters at `offset`, or, without a
  /// definition in the file, as a #define before the line at `offset`.
  struct Slot {
    std::size_t offset = 0;
    std::size_t length = 0;
    bool defined = false;
  };
  std::string source_;
  std::vector<Parameter> parameters_;
  std::vector<Slot> slots_;
  std::vector<Expression> constraints_;
  std::vector<std::size_t> words_;  ///< where each "tune:" begins
};

}  // namespace warpwright::tune
