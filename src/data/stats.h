// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "data/catalogue.h"

namespace warpwright::data {

struct TaskStats {
  std::string task, type;
  std::size_t candidates = 0, judged = 0, ok = 0, unjudged = 0;
  std::map<std::string, std::size_t> verdicts;
  double failure_rate = 0;                      ///< of the judged
  std::optional<double> difficulty;             ///< mean tokens of right answers
  double tokens_median = 0;                     ///< of all answers
  std::size_t with_reasoning = 0;               ///< answers whose provider gave its reasoning
  double speedup_best = 0, speedup_median = 0;  ///< of right answers, 0 = none
};

struct Stats {
  std::vector<TaskStats> tasks;  ///< by name
  std::size_t candidates = 0, judged = 0, ok = 0, unjudged = 0;
  /// Of difficulty with failure rate over tasks; absent below three tasks or without any spread.
  std::optional<double> difficulty_and_failures;
};

Stats stats_of(const Catalogue& catalogue);
std::string stats_json(const Stats& stats);
std::string stats_text(const Stats& stats);

/// Spearman's: of ranks, ties share theirs. Absent below three pairs or without any spread.
std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b);

}  // namespace warpwright::data
