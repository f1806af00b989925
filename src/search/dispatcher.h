// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "base/clock.h"
#include "base/result.h"
#include "base/stop.h"
#include "core/evaluation.h"
#include "evaluate/evaluator.h"
#include "llm/model.h"

namespace warpwright::search {

struct Answered {
  std::string trial;
  int attempt = 0;
  llm::Outcome outcome;
};

struct Judged {
  std::string key;
  Result<Evaluation> evaluation;
};

/// An answer is being written.
struct Streaming {
  std::string trial;
  llm::Progress progress;
};

using Event = std::variant<Answered, Judged, Streaming>;

/// Does the slow work elsewhere and hands back one event at a time. The engine starts no more than
/// the model's and the evaluator's own limits allow.
class Dispatcher {
 public:
  virtual ~Dispatcher() = default;
  virtual void ask(const std::string& trial, int attempt, llm::Request request) = 0;
  virtual void judge(const std::string& key, evaluate::EvaluationRequest request) = 0;
  /// The next event; none when the deadline has passed or a stop was requested.
  virtual std::optional<Event> wait(Nanoseconds deadline) = 0;
};

/// Model calls and evaluations on threads of their own. What is still running when it is destroyed
/// is told to stop and waited for.
std::unique_ptr<Dispatcher> make_thread_dispatcher(llm::Model& model,
                                                   evaluate::Evaluator& evaluator,
                                                   const Clock& clock, const StopSignal& stop);

}  // namespace warpwright::search
