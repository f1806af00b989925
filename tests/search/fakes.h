// SPDX-License-Identifier: Apache-2.0
// A world with a clock of its own: models and a judge whose answers take virtual time.
#pragma once

#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "search/engine.h"

namespace warpwright::search {

class FakeClock final : public Clock {
 public:
  [[nodiscard]] Nanoseconds now() const override { return now_; }
  [[nodiscard]] std::int64_t unix_ms() const override {
    return 1'700'000'000'000 + now_.count() / 1'000'000;
  }
  void set(Nanoseconds time) { now_ = std::max(now_, time); }

 private:
  Nanoseconds now_{0};
};

/// "time=12.5" is a valid kernel of that many microseconds; "verdict=mismatch" fails that way.
inline Evaluation judge_text(const std::string& source) {
  Evaluation evaluation;
  evaluation.device = "fake";
  evaluation.device_s = 0.5;
  if (const auto at = source.find("time="); at != std::string::npos) {
    const double us = std::atof(source.c_str() + at + 5);
    evaluation.verdict = Verdict::ok;
    evaluation.stage = Stage::measure;
    evaluation.measurements = {{"small", TimeSource::measured, us, us, us, 10, 1.0, 0}};
    return evaluation;
  }
  const auto at = source.find("verdict=");
  const auto name = source.substr(at + 8, source.find_first_of(" \n", at) - at - 8);
  evaluation.verdict = verdict_named(name).value_or(Verdict::harness_error);
  evaluation.stage = Stage::validate;
  evaluation.reason = "because of " + name;
  evaluation.feedback = "feedback on " + name;
  return evaluation;
}

class FakeModel final : public llm::Model {
 public:
  using Answer = std::function<llm::Outcome(const llm::Request&)>;
  explicit FakeModel(Answer answer) : answer_(std::move(answer)) {}

  [[nodiscard]] std::string name() const override { return "fake"; }
  [[nodiscard]] int concurrency() const override { return slots; }
  [[nodiscard]] llm::Usage reserve(const llm::Request&) const override {
    return {100, 0, 0, 900, 0, false};
  }
  [[nodiscard]] double price_usd(const llm::Usage& usage) const override {
    return static_cast<double>(usage.total()) * 1e-3;
  }
  llm::Outcome ask(const llm::Request& request, const llm::ProgressCallback&,
                   const StopSignal&) override {
    asked.push_back(request.id);
    requests.push_back(request);
    return answer_(request);
  }

  int slots = 4;
  std::vector<std::string> asked;
  std::vector<llm::Request> requests;

 private:
  Answer answer_;
};

inline llm::Outcome says(const std::string& text, std::int64_t output_tokens = 200) {
  llm::Outcome outcome;
  outcome.kind = llm::OutcomeKind::answered;
  outcome.reply.text = text;
  outcome.reply.model = "fake";
  outcome.reply.finish_reason = "stop";
  outcome.reply.usage = {100, 0, 0, output_tokens, 0, false};
  outcome.reply.cost_usd = static_cast<double>(outcome.reply.usage.total()) * 1e-3;
  return outcome;
}

class FakeEvaluator final : public evaluate::Evaluator {
 public:
  [[nodiscard]] std::string device() const override { return "fake"; }
  [[nodiscard]] int parallelism() const override { return slots; }
  [[nodiscard]] double max_device_s() const override { return 2.0; }
  Result<Evaluation> evaluate(const evaluate::EvaluationRequest& request,
                              const StopSignal&) override {
    judged.push_back(request.source);
    if (on_judge) on_judge(request.source);
    if (fail) return Error{*fail};
    return judge(request.source);
  }

  int slots = 2;
  std::vector<std::string> judged;
  std::optional<std::string> fail;
  std::function<Evaluation(const std::string&)> judge = judge_text;
  std::function<void(const std::string&)> on_judge;
};

/// Answers take ask_time, verdicts judge_time; the clock jumps from event to event.
class Simulation final : public Dispatcher {
 public:
  Simulation(FakeModel& model, FakeEvaluator& evaluator, FakeClock& clock)
      : model_(model), evaluator_(evaluator), clock_(clock) {}

  void ask(const std::string& trial, int attempt, llm::Request request) override {
    auto outcome = model_.ask(request, {}, never_);
    schedule(ask_time, Answered{trial, attempt, std::move(outcome)});
    timeline.push_back("ask " + trial + " at " + seconds());
  }
  void judge(const std::string& key, evaluate::EvaluationRequest request) override {
    schedule(request.is_baseline ? baseline_time.value_or(judge_time) : judge_time,
             Judged{key, evaluator_.evaluate(request, never_)});
    timeline.push_back("judge at " + seconds());
  }
  std::optional<Event> wait(Nanoseconds deadline) override {
    if (events_left == 0) return std::nullopt;
    --events_left;
    if (queue_.empty() || queue_.begin()->first.first > deadline) {
      clock_.set(deadline);
      return std::nullopt;
    }
    auto node = queue_.extract(queue_.begin());
    clock_.set(node.key().first);
    return std::move(node.mapped());
  }

  Nanoseconds ask_time = std::chrono::seconds(10);
  Nanoseconds judge_time = std::chrono::seconds(4);
  std::optional<Nanoseconds> baseline_time;
  int events_left = 1 << 30;  ///< the process "dies" after so many
  std::vector<std::string> timeline;

 private:
  void schedule(Nanoseconds delay, Event event) {
    queue_.emplace(std::pair(clock_.now() + delay, order_++), std::move(event));
  }
  [[nodiscard]] std::string seconds() const {
    return std::to_string(clock_.now().count() / 1'000'000'000);
  }

  FakeModel& model_;
  FakeEvaluator& evaluator_;
  FakeClock& clock_;
  StopSignal never_;
  std::map<std::pair<Nanoseconds, int>, Event> queue_;
  int order_ = 0;
};

/// Says which question it is, so that tests can read it in the archive.
class FakeComposer final : public Composer {
 public:
  Result<std::vector<llm::Message>> initial() override {
    return std::vector<llm::Message>{{llm::Role::user, "initial"}};
  }
  Result<std::vector<llm::Message>> optimise(const Trial& winner, std::span<const Trial>) override {
    return continue_dialogue(winner, "optimise " + winner.proposal.id);
  }
  Result<std::vector<llm::Message>> repair(const Trial& failed) override {
    return continue_dialogue(failed, "repair " + failed.proposal.id);
  }
  Result<std::vector<llm::Message>> another_turn(const Trial& last,
                                                 std::span<const Trial> seen) override {
    return asks((last.evaluation.valid() ? "optimise " : "repair ") + last.source, seen);
  }
  Result<std::vector<llm::Message>> change(const Trial& parent, std::span<const Trial> siblings,
                                           int direction) override {
    return asks("direction " + std::to_string(direction) + " of " + parent.source, siblings);
  }
  Result<std::vector<llm::Message>> improve(const Trial& best,
                                            std::span<const Trial> tried) override {
    return asks("improve " + best.source, tried);
  }
  /// The best one is shown as what to leave: a model begins with its own ideas.
  Result<std::vector<llm::Message>> redesign(const Trial&, std::span<const Trial> tried) override {
    return asks("redesign", tried);
  }
  Result<std::vector<llm::Message>> combine(const Trial& first, const Trial& second) override {
    return asks("combine " + first.source + " and " + second.source, {});
  }

 private:
  static std::vector<llm::Message> asks(std::string question, std::span<const Trial> tried) {
    if (!tried.empty()) question += " tried:";
    for (const Trial& trial : tried) question += " " + trial.source;
    return {{llm::Role::user, std::move(question)}};
  }
};

class SilentObserver final : public Observer {
 public:
  void on_state(const SearchState& state) override {
    most_in_flight = std::max(most_in_flight, state.spent.tokens + state.in_flight.tokens);
  }
  void on_trial(const Trial& trial, const SearchState&) override {
    trials.push_back(trial.proposal.id + " " + std::string(name_of(trial.evaluation.verdict)));
  }
  void on_event(std::string_view kind, std::string_view, const SearchState&) override {
    events.emplace_back(kind);
  }
  std::vector<std::string> trials;
  std::vector<std::string> events;
  std::int64_t most_in_flight = 0;
};

/// Everything a search needs, over one archive; run() is one process's part of it.
class World {
 public:
  explicit World(FakeModel::Answer answer)
      : directory(std::move(TemporaryDirectory::create("ww-search-")).value()),
        model(std::move(answer)) {
    archive = std::move(store::Archive::open(directory.path() / "archive.db", clock)).value();
    store::RunRecord run;
    run.task = "demo";
    run_id = archive->create_run(run, {}).value();
  }

  Ending run(int events_left = 1 << 30) {
    simulation = std::make_unique<Simulation>(model, evaluator, clock);
    simulation->ask_time = ask_time;
    simulation->judge_time = judge_time;
    simulation->baseline_time = baseline_time;
    simulation->events_left = events_left;
    FakeComposer composer;
    auto strategy = std::move(make_strategy(strategy_name, strategy_options, composer)).value();
    Engine engine({*strategy, *simulation, model, evaluator, extract, *archive,
                   archive->find_run(run_id).value(), clock, stop, observer},
                  options);
    return engine.run();
  }

  static store::CandidateRecord extract(const llm::Reply& reply) {
    if (reply.text.find("time=") == std::string::npos &&
        reply.text.find("verdict=") == std::string::npos) {
      return {"", "the answer holds no code"};
    }
    return {reply.text, ""};
  }

  TemporaryDirectory directory;
  FakeClock clock;
  StopSignal stop;
  FakeModel model;
  FakeEvaluator evaluator;
  SilentObserver observer;
  std::unique_ptr<store::Archive> archive;
  std::unique_ptr<Simulation> simulation;
  std::string run_id;
  std::string strategy_name = "fsr";
  StrategyOptions strategy_options;
  EngineOptions options;
  Nanoseconds ask_time = std::chrono::seconds(10);
  Nanoseconds judge_time = std::chrono::seconds(4);
  std::optional<Nanoseconds> baseline_time;
};

}  // namespace warpwright::search
