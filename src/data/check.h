// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "data/judging.h"
#include "data/source.h"

namespace warpwright::data {

/// What is wrong with a row.
struct Problem {
  std::size_t row = 0;  ///< from 1
  std::string what;
};

struct CheckOptions {
  std::size_t sample = 64;  ///< rows to judge again
  bool all = false;
  std::uint64_t seed = 1;
  /// On the same device a speed-up may differ by this share.
  double tolerance = 0.25;
};

struct CheckReport {
  std::size_t rows = 0;
  std::map<std::string, std::size_t> kinds;
  std::size_t judged = 0;     ///< sources that were judged again
  std::size_t agreed = 0;     ///< of them, as the rows say
  std::size_t undecided = 0;  ///< this judge cannot say, or the task is another one here
  std::size_t problem_count = 0;
  std::vector<Problem> problems;  ///< the first kMaxProblems
};
inline constexpr std::size_t kMaxProblems = 100;

/// Validates every row and judges a sample again: first what looks odd, then a draw from all tasks.
/// The error is a file that cannot be read; everything else is a problem.
Result<CheckReport> check_file(const std::filesystem::path& file, const CheckOptions& options,
                               const FindTask& find_task, const Judging* judging);

/// What is wrong with one row by itself; empty when nothing is. Takes any text.
std::vector<std::string> row_problems(std::string_view line);

std::string report_json(const CheckReport& report);
std::string report_text(const CheckReport& report);

}  // namespace warpwright::data
