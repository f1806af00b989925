// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluate/evaluator.h"
#include "verifiers/panel.h"

namespace warpwright::verifiers {

/// Of the programs that the panel refuses, one in so many is judged all the same, chosen by its
/// text: without them nobody would know how often the panel is wrong.
inline constexpr unsigned kAuditOneIn = 4;

/// A judge behind a panel: what the panel refuses, the judge does not see.
class Gate final : public evaluate::Evaluator {
 public:
  /// Both outlive the gate.
  Gate(evaluate::Evaluator& judge, const Panel& panel) : judge_(judge), panel_(panel) {}

  [[nodiscard]] std::string device() const override { return judge_.device(); }
  [[nodiscard]] int parallelism() const override { return judge_.parallelism(); }
  [[nodiscard]] double max_device_s() const override { return judge_.max_device_s(); }
  Result<Evaluation> evaluate(const evaluate::EvaluationRequest& request,
                              const StopSignal& stop) override;

 private:
  evaluate::Evaluator& judge_;
  const Panel& panel_;
};

}  // namespace warpwright::verifiers
