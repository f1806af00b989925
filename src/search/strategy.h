// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "search/composer.h"
#include "search/trial.h"

namespace warpwright::search {

struct StrategyOptions {
  int candidates = 3;  ///< N: per round, or the number of chains
  int depth = 4;       ///< D: rounds, or turns of a chain
  int repairs = 3;     ///< tries to get one valid candidate in a round
  int models = 1;      ///< how many models there are to choose from
};

/// Decides what to ask next. Deterministic: its proposals depend only on the trials it was given,
/// not on their order in time within what it waits for. A resumed run replays it from the start
/// out of the archive's memory, so it needs no state on disk.
class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual Result<std::vector<Proposal>> start() = 0;
  /// Instead of start(): the search begins with a kernel that somebody has, as it was judged. It is
  /// the first parent, or, where it is not valid, the first to mend.
  virtual Result<std::vector<Proposal>> start_from(const Trial& given) = 0;
  /// Called once per finished trial. No proposals and none in flight means the search is over.
  virtual Result<std::vector<Proposal>> next(const Trial& finished) = 0;
};

/// Whether the answer's own fault can be told to the model.
bool can_be_mended(const Trial& trial);

struct StrategyRow {
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<Strategy> (*make)(const StrategyOptions&, Composer&);
  bool several_models = false;  ///< knows how to choose between models
};

std::span<const StrategyRow> strategies();

/// The error lists the known names.
Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name,
                                                const StrategyOptions& options, Composer& composer);

std::unique_ptr<Strategy> make_fsr(const StrategyOptions& options, Composer& composer);
std::unique_ptr<Strategy> make_serial(const StrategyOptions& options, Composer& composer);
std::unique_ptr<Strategy> make_tree(const StrategyOptions& options, Composer& composer);
std::unique_ptr<Strategy> make_evolve(const StrategyOptions& options, Composer& composer);

}  // namespace warpwright::search
