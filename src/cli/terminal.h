// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpwright::cli {

/// Whether what is written there may hold escape sequences: a terminal, and NO_COLOR is not set to
/// anything (https://no-color.org).
bool wants_colour(int descriptor);

/// Of standard error, 80 where it does not say.
std::size_t terminal_columns();

/// Adds escape sequences, or does not.
class Painter {
 public:
  explicit Painter(bool colour) : colour_(colour) {}
  static Painter standard_output();
  static Painter standard_error();

  [[nodiscard]] std::string bold(std::string_view text) const;
  [[nodiscard]] std::string dim(std::string_view text) const;
  [[nodiscard]] std::string warning(std::string_view text) const;
  /// Green where it is good, red else.
  [[nodiscard]] std::string verdict(std::string_view text, bool good) const;

 private:
  [[nodiscard]] std::string painted(std::string_view how, std::string_view text) const;
  bool colour_;
};

}  // namespace warpwright::cli
