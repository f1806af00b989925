// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sass/moves.h"

namespace warpwright::sass {

/// How long a schedule takes, in microseconds. Nothing: it was refused, because it faulted, hung or
/// gave other results. An error ends the search.
using TimeSchedule = std::function<Result<std::optional<double>>(const Function& scheduled)>;

struct SearchOptions {
  std::uint64_t seed = 1;
  int most_tried = 5000;
  /// Asked before each schedule; true ends the search.
  std::function<bool()> is_over = [] { return false; };
  /// Keep a schedule only where it is better than the last by more than this part.
  double noise = 0;
};

/// What became of the proposals of one move.
struct MoveCount {
  int proposed = 0, illegal = 0, refused = 0, better = 0;
  double reward = 0;  ///< the sum of (t[i-1] - t[i]) / t[0] * 100
};

struct SearchResult {
  Schedule best;
  double original_us = 0, best_us = 0;
  int tried = 0, refused = 0;
  std::map<std::string, MoveCount> moves;
  /// The best distinct ones, fastest first, for a closer look.
  std::vector<std::pair<double, Schedule>> finalists;
};

/// A named way to search.
struct Searcher {
  std::string_view name;
  std::string_view summary;
  Result<SearchResult> (*search)(const Kernel& kernel, const TimeSchedule& time,
                                 const SearchOptions& options);
};

/// anneal, policy.
std::span<const Searcher> searchers();
const Searcher* searcher_named(std::string_view name);

}  // namespace warpwright::sass
