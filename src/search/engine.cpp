// SPDX-License-Identifier: Apache-2.0
#include "search/engine.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/sha256.h"
#include "search/records.h"

namespace warpwright::search {

Engine::Engine(EngineParts parts, EngineOptions options)
    : parts_(std::move(parts)),
      options_(std::move(options)),
      log_(parts_.archive, parts_.run.id),
      budget_(options_.limits),
      started_(parts_.clock.now()) {}

// ---- The loop: ask models, start evaluations, handle one event. -----------------------------

Ending Engine::run() {
  Status status = begin();
  while (status.ok() && !over() && !out_of_time()) {
    start_asking();
    start_judging();
    if (idle() || over()) break;  // the rest waits for answers, or for a larger budget
    refresh();
    const Nanoseconds deadline = wall_deadline();
    const bool looking = options_.look_for_answers && !unanswered_.empty();
    const auto event = parts_.dispatcher.wait(
        looking ? std::min(deadline, parts_.clock.now() + *options_.look_for_answers) : deadline);
    if (!event && looking && !parts_.stop.requested() && parts_.clock.now() < deadline) {
      status = look_for_answers();
      continue;
    }
    if (event) status = handle(*event);
    if (!event && !out_of_time()) break;  // stopped
  }
  return conclude(status);
}

/// Questions in their order, while the model takes more and the budget allows the worst case.
void Engine::start_asking() {
  while (!to_ask_.empty() && asking_ < parts_.model.concurrency()) {
    const std::string id = to_ask_.front();
    Open& open = open_.at(id);
    llm::Request request{open.attempt == 0 ? id : fmt::format("{}.a{}", id, open.attempt),
                         open.proposal.messages, options_.max_output_tokens, options_.temperature,
                         open.proposal.model};
    const llm::Model& model = model_of(id);
    const llm::Usage bound = model.reserve(request);
    Cost cost = judging_bound();
    cost += {0, bound.total(), model.price_usd(bound), 0};
    if (const auto refusal = budget_.refusal(cost)) {
      if (idle()) limit_ = *refusal;  // nothing in flight will free anything
      return;
    }
    to_ask_.pop_front();
    budget_.reserve(cost);
    open.reserved = cost;
    ++asking_;
    parts_.dispatcher.ask(id, open.attempt, std::move(request));
  }
}

/// Sources in the order of their arrival, the baseline first.
void Engine::start_judging() {
  while (!to_judge_.empty() && judging_ < parts_.evaluator.parallelism()) {
    const std::string key = to_judge_.front();
    const bool is_baseline = key == kBaseline || key == kProbe;
    if (!is_baseline && !may_judge(key)) return;
    to_judge_.pop_front();
    ++judging_;
    const std::string& source =
        is_baseline ? options_.baseline_source : open_.at(awaiting_.at(key).front()).source;
    parts_.dispatcher.judge(key, {key.substr(0, 16), source, is_baseline});
  }
}

/// Answers that came by another way than the model: the judge may take hours, they need not wait.
Status Engine::look_for_answers() {
  std::vector<std::pair<std::string, llm::Reply>> told;
  for (const auto& id : unanswered_) {
    WW_TRY(const auto reply, log_.reply(id));
    if (reply) told.emplace_back(id, to_reply(*reply));
  }
  if (told.empty()) return {};
  WW_CHECK(log_.begin());
  for (const auto& [id, reply] : told) {
    std::erase(unanswered_, id);
    --state_.waiting;
    WW_CHECK(accept(id, reply));
  }
  WW_CHECK(drain());
  return log_.commit();
}

Status Engine::handle(const Event& event) {
  if (const auto* news = std::get_if<Streaming>(&event)) return handle(*news);
  WW_CHECK(log_.begin());
  if (const auto* answered = std::get_if<Answered>(&event)) WW_CHECK(handle(*answered));
  if (const auto* judged = std::get_if<Judged>(&event)) WW_CHECK(handle(*judged));
  WW_CHECK(drain());
  refresh();
  WW_CHECK(save(store::RunStatus::running, ""));
  WW_CHECK(log_.commit());
  if (!silence_.empty()) return Error{silence_};
  return {};
}

// ---- Where things go from here. --------------------------------------------------------------

Status Engine::begin() {
  WW_CHECK(log_.begin());
  if (!options_.baseline_source.empty()) {
    WW_TRY(auto known, log_.evaluation(kBaseline));
    if (known) {
      WW_CHECK(baseline_judged(std::move(*known)));
    } else {
      to_judge_.emplace_back(kBaseline);
    }
  }
  if (options_.given_source.empty()) {
    WW_TRY(auto proposals, parts_.strategy.start());
    WW_CHECK(enqueue(std::move(proposals)));
  } else {
    WW_CHECK(enqueue({given()}));
  }
  WW_CHECK(drain());
  refresh();
  WW_CHECK(save(store::RunStatus::running, ""));
  return log_.commit();
}

/// Gives finished trials to the strategy until it has nothing more to say.
Status Engine::drain() {
  while (!finished_.empty()) {
    const Trial trial = std::move(finished_.front());
    finished_.pop_front();
    const bool is_given = trial.proposal.kind == kGiven;
    WW_TRY(auto proposals,
           is_given ? parts_.strategy.start_from(trial) : parts_.strategy.next(trial));
    // A reached goal ends what would come next, never what was already asked: whether a question
    // is asked must not depend on who finished first.
    if (target_.empty()) WW_CHECK(enqueue(std::move(proposals)));
  }
  return {};
}

Status Engine::enqueue(std::vector<Proposal> proposals) {
  for (auto& proposal : proposals) {
    WW_TRY(const auto stored, log_.remember_prompt(to_record(proposal)));
    proposal.messages = messages_of(stored);
    const std::string id = proposal.id;
    state_.round = std::max(state_.round, proposal.round);
    ASSERT(open_.emplace(id, Open{std::move(proposal)}).second, "a strategy proposed an id twice");
    WW_CHECK(recall(id));
  }
  return {};
}

/// What the archive knows of a question is taken from there: never ask, never pay twice.
Status Engine::recall(const std::string& id) {
  WW_TRY(const auto failures, log_.failures(id));
  for (const auto& failure : failures) {
    budget_.spend({0, failure.tokens, failure.cost_usd, 0, !failure.unpriced.empty()});
  }
  WW_TRY(const auto reply, log_.reply(id));
  if (reply) {
    WW_TRY(const llm::Reply priced, recalled(id, *reply));
    return accept(id, priced);
  }
  if (open_.at(id).proposal.kind == kGiven) return answer_given(id);
  if (!failures.empty() && failures.back().is_final) return give_up(id, failures.back().error);
  open_.at(id).attempt = static_cast<int>(failures.size());
  to_ask_.push_back(id);
  return {};
}

Proposal Engine::given() const {
  Proposal proposal;
  proposal.id = kGiven;
  proposal.kind = kGiven;
  proposal.messages = options_.given_question;
  return proposal;
}

/// Nobody is asked for the kernel that the search begins with.
Status Engine::answer_given(const std::string& id) {
  llm::Reply reply;
  reply.text = "The kernel to begin with:\n```cuda\n" + options_.given_source + "\n```\n";
  reply.finish_reason = "stop";
  auto record = to_record(reply, parts_.model.name());
  record.origin = kGiven;
  WW_CHECK(log_.add_reply(id, record));
  return accept(id, reply);
}

/// A stored answer; one without a price gets it once somebody has stated it.
Result<llm::Reply> Engine::recalled(const std::string& id, const store::ReplyRecord& record) {
  llm::Reply reply = to_reply(record);
  const llm::Model& model = model_of(id);
  if (reply.unpriced && record.unpriced == model.name() && model.price_known()) {
    reply.unpriced = false;
    reply.cost_usd = model.price_usd(reply.usage);
    WW_CHECK(log_.set_price(id, reply.cost_usd));
  }
  return reply;
}

Status Engine::handle(const Streaming& event) {
  streaming_[event.trial] = event.progress.output_tokens;
  state_.note = event.progress.note;
  refresh();
  return {};
}

Status Engine::handle(const Answered& event) {
  Open& open = open_.at(event.trial);
  --asking_;
  streaming_.erase(event.trial);
  const llm::Outcome& outcome = event.outcome;
  if (outcome.kind == llm::OutcomeKind::waiting) {
    ++state_.waiting;
    unanswered_.push_back(event.trial);
    budget_.release(open.reserved);
    open.reserved = {};
    return {};
  }
  // The tokens are settled now; the evaluation that the answer leads to stays promised.
  const Cost asked{0, open.reserved.tokens - options_.verifying.tokens,
                   open.reserved.usd - options_.verifying.usd, 0};
  budget_.release(asked);
  open.reserved -= asked;
  if (outcome.kind == llm::OutcomeKind::answered) {
    WW_CHECK(log_.add_reply(event.trial, to_record(outcome.reply, model_of(event.trial).name())));
    return accept(event.trial, outcome.reply);
  }
  parts_.observer.on_event("failed", event.trial + ": " + outcome.error, state_);
  if (!outcome.retry) return Error{"question " + event.trial + ": " + outcome.error};
  const bool last = event.attempt + 1 >= options_.ask_attempts;
  // Nobody said a word: no fault of the question, which a later run asks again. What the silence
  // may have cost is kept.
  const bool silent = outcome.wasted.estimated && outcome.wasted.output == 0;
  WW_CHECK(log_.add_failure(
      event.trial,
      {event.attempt, outcome.error, last && !silent, outcome.wasted.total(), outcome.wasted_usd,
       outcome.wasted_unpriced ? model_of(event.trial).name() : ""}));
  budget_.spend({0, outcome.wasted.total(), outcome.wasted_usd, 0, outcome.wasted_unpriced});
  const std::string again =
      "question " + event.trial + ": " + outcome.error + "; 'resume' asks again";
  if (last && outcome.wasted.total() == 0 && outcome.wasted_usd == 0) return Error{again};
  if (last && silent) {
    silence_ = again;
    return {};
  }
  if (last) return give_up(event.trial, outcome.error);
  budget_.release(open.reserved);
  open.reserved = {};
  open.attempt = event.attempt + 1;
  to_ask_.push_front(event.trial);
  return {};
}

/// An answer that is safely stored: its code goes to the judge unless the verdict is known.
Status Engine::accept(const std::string& id, const llm::Reply& reply) {
  Open& open = open_.at(id);
  budget_.spend({0, reply.usage.total(), reply.cost_usd, 0, reply.unpriced});
  open.reply = reply.text;
  const bool is_given = open.proposal.kind == kGiven;
  const store::CandidateRecord candidate =
      is_given ? store::CandidateRecord{options_.given_source, ""} : parts_.extract(reply);
  WW_CHECK(log_.add_candidate(id, candidate));
  if (candidate.source.empty()) return finish(id, no_code(candidate.reason));
  open.source = candidate.source;
  const std::string key = sha256_hex(candidate.source);
  WW_TRY(auto known, log_.evaluation(key));
  if (known) {
    if (awaiting_.emplace(key, std::vector<std::string>{}).second) {
      budget_.spend(cost_of(*known));
    }
    return finish(id, std::move(*known));
  }
  auto& others = awaiting_[key];
  others.push_back(id);
  if (others.size() > 1) return {};
  to_judge_.push_back(key);
  reserve_judging(open);  // before new questions are; if it does not fit now, it may later
  return {};
}

Status Engine::give_up(const std::string& id, const std::string& error) {
  return finish(id, no_code("the model did not answer: " + error));
}

Status Engine::handle(const Judged& event) {
  if (event.key == kProbe) return handle_probe(event);
  // Times are held against the baseline's: a verdict that overtook it has to wait.
  if (event.key != kBaseline && !baseline_ && !options_.baseline_source.empty()) {
    early_.push_back(event);
    return {};
  }
  --judging_;
  Evaluation evaluation =
      event.evaluation.ok() ? *event.evaluation : harness_error(event.evaluation.error().message);
  if (evaluation.verdict == Verdict::harness_error) {
    parts_.observer.on_event("judge failed", evaluation.reason, state_);
    WW_CHECK(log_.note("judge failed", evaluation.reason));
    if (++judge_failures_[event.key] < options_.judge_attempts) {
      to_judge_.push_front(event.key);
      return {};
    }
    return judge_failed(event.key, std::move(evaluation));
  }
  judge_works_ = true;
  if (event.key == kBaseline) {
    WW_CHECK(log_.add_evaluation(kBaseline, evaluation));
    WW_CHECK(baseline_judged(std::move(evaluation)));
    for (const Judged& waiting : std::exchange(early_, {})) WW_CHECK(handle(waiting));
    return {};
  }
  WW_CHECK(comparable(evaluation));
  return settle(event.key, std::move(evaluation));
}

/// A verdict that stays: stored, paid, and given to all trials with this source.
Status Engine::settle(const std::string& key, Evaluation evaluation) {
  if (baseline_) add_baseline_times(evaluation, *baseline_);
  WW_CHECK(log_.add_evaluation(key, evaluation));
  budget_.spend(cost_of(evaluation));
  const auto trials = std::exchange(awaiting_.at(key), {});
  for (const auto& id : trials) WW_CHECK(finish(id, evaluation));
  return {};
}

Status Engine::baseline_judged(Evaluation evaluation) {
  if (!evaluation.valid()) {
    return Error{fmt::format("the task's own baseline got the verdict {}: {}; mend the task first",
                             name_of(evaluation.verdict), evaluation.reason)};
  }
  budget_.spend({0, 0, 0, evaluation.device_s});
  baseline_ = std::move(evaluation);
  parts_.observer.on_event(kBaseline, fmt::format("{:.3f} us", score_us(*baseline_).value_or(0)),
                           state_);
  return {};
}

Status Engine::finish(const std::string& id, Evaluation evaluation) {
  auto node = open_.extract(id);
  Open& open = node.mapped();
  budget_.release(open.reserved);
  Trial trial{std::move(open.proposal), std::move(open.reply), std::move(open.source),
              std::move(evaluation)};
  if (trial.source.empty()) {
    WW_TRY(const auto known, log_.evaluation("trial:" + id));
    if (!known) WW_CHECK(log_.add_evaluation("trial:" + id, trial.evaluation));
  }
  ++state_.finished;
  if (trial.evaluation.valid()) ++state_.valid;
  if (trial.evaluation.valid() && (!best_ || faster(trial, *best_))) best_ = trial;
  const auto share = best_ ? roofline_share(best_->evaluation) : std::nullopt;
  const bool has_floor =
      best_ && std::none_of(best_->evaluation.measurements.begin(),
                            best_->evaluation.measurements.end(), is_below_floor);
  if (options_.stop_at_roofline && has_floor && *share >= *options_.stop_at_roofline) {
    target_ = fmt::format("the best kernel reaches {:.1f} % of the roofline", *share * 100);
  }
  const auto sol = best_ ? sol_score(best_->evaluation) : std::nullopt;
  if (options_.stop_at_sol && sol && *sol >= *options_.stop_at_sol) {
    target_ = fmt::format("the best kernel's SOL score is {:.3f}", *sol);
  }
  refresh();
  parts_.observer.on_trial(trial, state_);
  finished_.push_back(std::move(trial));
  return {};
}

}  // namespace warpwright::search
