// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/stop.h"
#include "core/evaluation.h"

namespace warpwright::evaluate {

/// One source to judge.
struct EvaluationRequest {
  std::string id;  ///< names the job; unique within a run
  std::string source;
  bool is_baseline = false;  ///< our own kernel: the rule set does not apply to it
  /// A second source: both are judged, then timed in turns, and the evaluation of the first holds
  /// a comparison. A bad verdict of either is the evaluation's; the comparison says whose it is.
  std::optional<std::string> rival = std::nullopt;
  bool rival_is_baseline = false;
  /// How often the same was judged before. A judge that keeps verdicts judges anew for each number.
  int repeat = 0;
};

/// Judges sources of one task on one device. evaluate() blocks its thread; up to parallelism()
/// threads may call it at once. The kernel's failures are verdicts; the error is for a judge that
/// could not work, or was stopped.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// What it judges on, in words.
  [[nodiscard]] virtual std::string device() const = 0;
  [[nodiscard]] virtual int parallelism() const = 0;
  /// The longest one evaluation may hold the device; it is killed then.
  [[nodiscard]] virtual double max_device_s() const = 0;
  virtual Result<Evaluation> evaluate(const EvaluationRequest& request, const StopSignal& stop) = 0;
  /// This will be asked for, too, if all goes well. A judge that is reached now and then makes it
  /// ready at once; the others do nothing.
  virtual void expect(const EvaluationRequest& /*request*/) {}
};

}  // namespace warpwright::evaluate
