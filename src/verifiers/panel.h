// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/stop.h"
#include "core/budget.h"
#include "llm/model.h"
#include "verifiers/votes.h"

namespace warpwright::verifiers {

/// Longer programs are not shown to the verifiers: a bound of what a vote may cost has to be known
/// before there is a program.
inline constexpr std::size_t kLongestSource = 16 * 1024;
/// Of the answer to one procedure.
inline constexpr std::int64_t kMostTokens = 4096;

/// Asks a model the three questions about programs of one task. Thread-safe as far as the model is.
class Panel {
 public:
  /// The model outlives the panel; `task` is what programs are asked to do.
  Panel(llm::Model& model, std::string task) : model_(model), task_(std::move(task)) {}

  /// Whether a program is short enough to be shown, with the numbers of its lines.
  [[nodiscard]] static bool may_see(const std::string& source);

  /// Upper bound of one vote.
  [[nodiscard]] Cost most() const;

  /// Votes on a program that it may see. Questions that the model has answered before are not paid
  /// again. Failures of the model are missing votes.
  [[nodiscard]] Votes vote(const std::string& source, const StopSignal& stop) const;

 private:
  [[nodiscard]] llm::Request request_of(std::size_t procedure, const std::string& source) const;

  llm::Model& model_;
  std::string task_;
};

}  // namespace warpwright::verifiers
