// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "core/budget.h"
#include "evaluate/evaluator.h"
#include "llm/model.h"
#include "search/dispatcher.h"
#include "search/progress.h"
#include "search/strategy.h"
#include "store/run_log.h"

namespace warpwright::search {

struct EngineOptions {
  Limits limits;
  std::optional<double> stop_at_roofline;  ///< share of the roof at which more is not worth asking
  std::optional<double> stop_at_sol;       ///< SOL score at which more is not worth asking
  int ask_attempts = 3;                    ///< per question, when an attempt was paid but useless
  int judge_attempts = 2;                  ///< per source, when the judge itself failed
  std::int64_t max_output_tokens = 0;
  std::optional<double> temperature;
  std::string baseline_source;               ///< empty: no speed-ups
  std::string given_source;                  ///< a kernel that the search begins with; empty: none
  std::vector<llm::Message> given_question;  ///< what it would have been the answer to
  Cost verifying;  ///< the most that verifiers may cost before a candidate is judged
  /// How often to look for answers that somebody told while the judge works; absent = never: they
  /// are found by the next run of the engine.
  std::optional<Nanoseconds> look_for_answers;
};

/// Finds the code in an answer.
using Extractor = std::function<store::CandidateRecord(const llm::Reply&)>;

/// What the engine works with; all outlive it.
struct EngineParts {
  Strategy& strategy;
  Dispatcher& dispatcher;
  const llm::Model& model;               ///< its limits and prices; the dispatcher asks it
  const evaluate::Evaluator& evaluator;  ///< likewise
  Extractor extract;
  store::Archive& archive;
  store::RunRecord run;
  const Clock& clock;
  const StopSignal& stop;
  Observer& observer;
};

/// How a search, or this process's part of it, ended.
struct Ending {
  store::RunStatus status = store::RunStatus::finished;
  std::string why;
  std::optional<Trial> best;
  std::optional<Evaluation> baseline;
  SearchState state;
};

/// The loop: ask models, start evaluations, handle one event. Everything an event leads to is in
/// the archive before anything new starts, so the process may die at any moment; running it again
/// on the same run replays the past from memory and goes on.
class Engine {
 public:
  Engine(EngineParts parts, EngineOptions options);
  Ending run();

 private:
  static constexpr const char* kBaseline = "baseline";
  static constexpr const char* kProbe = "probe";  ///< the baseline once more
  static constexpr const char* kGiven = "given";  ///< id and kind of the kernel to begin with

  /// A question between proposal and verdict.
  struct Open {
    Proposal proposal;
    int attempt = 0;
    std::string reply;
    std::string source;
    Cost reserved;
  };

  Status begin();
  Status handle(const Event& event);
  Status handle(const Answered& event);
  Status handle(const Judged& event);
  Status handle(const Streaming& event);
  Status handle_probe(const Judged& event);

  void start_asking();
  void start_judging();
  Status look_for_answers();

  Status enqueue(std::vector<Proposal> proposals);
  Status recall(const std::string& id);
  Result<llm::Reply> recalled(const std::string& id, const store::ReplyRecord& record);
  Status accept(const std::string& id, const llm::Reply& reply);
  [[nodiscard]] Proposal given() const;
  Status answer_given(const std::string& id);
  Status give_up(const std::string& id, const std::string& error);
  Status finish(const std::string& id, Evaluation evaluation);
  Status drain();
  std::optional<std::string> reserve_judging(Open& open);
  bool may_judge(const std::string& key);
  [[nodiscard]] Cost judging_bound() const;
  [[nodiscard]] const llm::Model& model_of(const std::string& id) const;
  Status judge_failed(const std::string& key, Evaluation evaluation);
  Status settle(const std::string& key, Evaluation evaluation);
  [[nodiscard]] Status comparable(const Evaluation& evaluation) const;

  [[nodiscard]] Nanoseconds wall_deadline() const;
  Status baseline_judged(Evaluation evaluation);
  Evaluation harness_error(const std::string& why) const;

  [[nodiscard]] bool idle() const;
  bool out_of_time();
  [[nodiscard]] bool over();
  void refresh();
  Status save(store::RunStatus status, const std::string& why);
  Ending conclude(const Status& status);

  EngineParts parts_;
  EngineOptions options_;
  store::RunLog log_;
  Budget budget_;
  Nanoseconds started_;

  std::map<std::string, Open> open_;
  std::deque<std::string> to_ask_;
  std::deque<std::string> to_judge_;                          // keys
  std::map<std::string, std::vector<std::string>> awaiting_;  // key -> trials with that source
  std::map<std::string, int> judge_failures_;
  std::vector<std::pair<std::string, Evaluation>> suspects_;  // broke the judge, or met it broken
  std::vector<Judged> early_;                                 // verdicts from before the baseline's
  std::vector<std::string> unanswered_;  // questions that the model left to somebody else
  std::map<std::string, std::int64_t> streaming_;
  std::deque<Trial> finished_;  // for the strategy
  int asking_ = 0;
  int judging_ = 0;
  bool judge_works_ = false;
  std::optional<Evaluation> baseline_;
  std::optional<Trial> best_;
  std::string silence_;  // the question that nobody answered, or empty
  std::string limit_;    // the limit that ended the search, or empty
  std::string target_;   // the goal that was reached, or empty
  SearchState state_;
};

}  // namespace warpwright::search
