// SPDX-License-Identifier: Apache-2.0
#include "build/compiler_faults.h"

#include <array>
#include <charconv>
#include <cstdint>

#include "base/text.h"
#include "build/lint.h"

namespace warpwright::build {

namespace {

/// "#pragma unroll 5" and "#pragma unroll(5)"; 0 for other lines and factors that are no number.
std::uint64_t unroll_factor(std::string_view line) {
  line = trimmed(line);
  for (const std::string_view word : {"#", "pragma", "unroll"}) {
    if (!line.starts_with(word)) return 0;
    line = trimmed(line.substr(word.size()));
  }
  if (line.starts_with("(")) line = trimmed(line.substr(1));
  std::uint64_t factor = 0;
  const auto end = std::from_chars(line.data(), line.data() + line.size(), factor).ptr;
  const bool is_whole = end == line.data() + line.size() || *end == ' ' || *end == ')';
  return is_whole ? factor : 0;
}

/// nvcc 13.0.88 takes the trip count of `for (t = 0; t < min(a, b); ++t)` for a multiple of 2^32-1,
/// so that a factor which divides that needs no remainder: with 5, six rounds become ten. Seen in
/// the PTX for 3 and 5 (not 2, 4, 6, 7); for a bound that is the smaller of two variables (not the
/// larger, nor one variable and a constant). tests/evaluate/judgement_test.cpp has one.
std::vector<int> unrolled_without_remainder(std::string_view stripped) {
  constexpr std::uint64_t kTakenForMultiple = 0xffffffff;
  std::vector<int> found;
  int number = 0;
  for (const std::string_view line : lines_of(stripped)) {
    ++number;
    const std::uint64_t factor = unroll_factor(line);
    if (factor > 1 && kTakenForMultiple % factor == 0) found.push_back(number);
  }
  return found;
}

constexpr std::array<CompilerFault, 1> kFaults = {{
    {"unroll_remainder",
     "nvcc 13.0 unrolls a loop whose bound is the smaller of two variables by 3, 5, 15, 17 ... "
     "without the remainder",
     "nvcc 13.0 mistranslates loops that are unrolled by this factor if their bound is the smaller "
     "of two variables: they run in whole multiples of it. Unroll by a power of two, or not at "
     "all.",
     unrolled_without_remainder},
}};

}  // namespace

std::span<const CompilerFault> compiler_faults() { return kFaults; }

std::vector<SuspectLine> suspect_lines(std::string_view source) {
  const std::string stripped = strip_source(source);
  std::vector<SuspectLine> suspects;
  for (const CompilerFault& fault : kFaults) {
    for (const int line : fault.find(stripped)) {
      suspects.push_back({line, std::string(fault.message)});
    }
  }
  return suspects;
}

}  // namespace warpwright::build
