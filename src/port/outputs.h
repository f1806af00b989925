// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpwright::port {

/// Whether a line tells a time or a rate, by its words (docs/port.md has the rule).
bool is_timing_line(std::string_view line);

/// The line with a mark in the place of each number, and single blanks.
std::string without_numbers(std::string_view line);

/// How two printed numbers, or arrays of them, may differ.
enum class Tolerance {
  none,
  sums,  ///< of floating-point numbers in any order: a ten-thousandth
};

/// What differs between the texts that two programs printed; nothing: they are the same. Lines that
/// tell a time are compared without their numbers.
std::optional<std::string> difference(std::string_view expected, std::string_view got,
                                      Tolerance tolerance);

/// The expected text without what the same program prints otherwise in another run, and the text
/// that was got without the same places. Nothing: the runs have different numbers of lines.
struct Stable {
  std::string expected, got;
};
std::optional<Stable> without_changing_parts(std::string_view expected, std::string_view again,
                                             std::string_view got);

/// What a program printed, with "program" in the place of its own path: where it was built says
/// nothing.
std::string without_own_path(std::string text, std::string_view path);

/// Whether two arrays are the same, or with a tolerance the same as arrays of float or double.
bool same_data(std::string_view expected, std::string_view got, Tolerance tolerance);

}  // namespace warpwright::port
