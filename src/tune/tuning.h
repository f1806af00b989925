// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/evaluation.h"
#include "evaluate/evaluator.h"
#include "tune/space.h"

namespace warpwright::tune {

/// A configuration that the judge has seen.
struct Tried {
  Point point;
  Evaluation evaluation;
};

struct TuningOptions {
  std::size_t budget = 64;  ///< most judgements, those of repeats and of the comparison included
  std::uint64_t seed = 1;
  bool all = false;  ///< every configuration once, whatever the budget
  /// Told of each first judgement, in the order of the search, on the caller's thread.
  std::function<void(const Tried&)> on_tried = {};
  /// Verdicts that are known from before, by their source, and where new ones are kept.
  std::function<Result<std::optional<Evaluation>>(const std::string& source)> recall = {};
  std::function<Status(const std::string& source, const Evaluation&)> keep = {};
};

/// What tuning found. `best` is the given configuration where nothing was shown to be faster.
struct Tuning {
  std::vector<Tried> tried;  ///< each once, the given one first
  Tried best;
  std::size_t evaluations = 0;
  bool changed = false;
  bool estimated = false;                ///< times are the SIMT machine's estimates
  std::optional<Comparison> comparison;  ///< of the best with the given one, in turns

  [[nodiscard]] const Tried& given() const { return tried.front(); }
  /// Of the valid ones, the fastest at this size; none when nothing was measured there.
  [[nodiscard]] const Tried* best_at(const std::string& size) const;
};

/// How many times as fast as given the best one is: by the comparison, else by the scores; 1 where
/// nothing changed or the one as given is not valid.
double gain_of(const Tuning& tuning);

/// Judges configurations until the budget is spent. Measured times are uncertain: those that may be
/// the fastest are judged again, the slower half leaves in each round, and the last one replaces
/// the file as given only if a comparison in turns says that it is faster. The error is the
/// judge's own failure, or a stop.
Result<Tuning> tune(const Space& space, evaluate::Evaluator& evaluator,
                    const TuningOptions& options, const StopSignal& stop);

}  // namespace warpwright::tune
