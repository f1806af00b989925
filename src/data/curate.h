// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "data/catalogue.h"

namespace warpwright::data {

struct CurateOptions {
  bool front = false;        ///< keep the front of tokens and speed-up; else the best of each task
  std::size_t per_type = 0;  ///< at most so many of one type, 0 = any number
  double lambda = 1;         ///< what short reasoning is worth beside speed
  double near = 0.8;         ///< two sources with this likeness are near-duplicates
  double min_speedup = 0;
  /// The median reasoning of what is kept is at most this share of the pool's, where that leaves
  /// half of them; 0 = any.
  double concise = 0.5;
};

/// One that was kept.
struct Kept {
  std::uint32_t card = 0;
  double score = 0;  ///< z(speed-up) - lambda * z(log tokens), within its task
};

/// What may be kept, best of each task first, in an order in which no type is ahead of another by
/// more than one. Cards that are not `ok`, or are `excluded`, are never among them.
std::vector<Kept> select(const Catalogue& catalogue, const CurateOptions& options,
                         std::span<const std::uint8_t> excluded);

struct Curated {
  std::vector<Kept> kept;
  std::size_t refuted = 0;  ///< that a stored verdict called ok, and this judge does not
  double pool_median = 0;   ///< tokens of reasoning, where there is some
  double kept_median = 0;
};

/// Selects, judges what was selected again, and selects anew until every one that is kept was `ok`
/// here. Cards get the new figures.
Result<Curated> curate(Catalogue& catalogue, const CurateOptions& options, const Judging& judging,
                       const RewardRule& reward);

}  // namespace warpwright::data
