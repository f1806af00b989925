// SPDX-License-Identifier: Apache-2.0
// The engine's bookkeeping: when it is over, what it reports, what it saves.
#include <fmt/format.h>

#include "search/engine.h"

namespace warpwright::search {

bool Engine::idle() const {
  // A source in the queue counts: it will be started, unless it waits for a baseline in flight.
  return asking_ == 0 && judging_ == 0 && to_judge_.empty();
}

bool Engine::over() { return parts_.stop.requested() || open_.empty() || !limit_.empty(); }

bool Engine::out_of_time() {
  if (!options_.limits.wall_s || parts_.stop.requested()) return false;
  if (parts_.clock.now() < wall_deadline()) return false;
  limit_ = fmt::format("the limit of {:.0f} s of wall time", *options_.limits.wall_s);
  return true;
}

Nanoseconds Engine::wall_deadline() const {
  if (!options_.limits.wall_s) return Nanoseconds::max();
  const std::chrono::duration<double> wall(*options_.limits.wall_s);
  return started_ + std::chrono::duration_cast<Nanoseconds>(wall) -
         std::chrono::milliseconds(parts_.run.elapsed_ms);
}

Evaluation Engine::harness_error(const std::string& why) const {
  Evaluation evaluation;
  evaluation.verdict = Verdict::harness_error;
  evaluation.stage = Stage::lint;
  evaluation.reason = why;
  evaluation.device = parts_.evaluator.device();
  return evaluation;
}

void Engine::refresh() {
  state_.to_ask = static_cast<int>(to_ask_.size());
  state_.asking = asking_;
  state_.to_judge = static_cast<int>(to_judge_.size());
  state_.judging = judging_;
  state_.live_tokens = 0;
  for (const auto& [trial, tokens] : streaming_) state_.live_tokens += tokens;
  if (best_) {
    state_.best_trial = best_->proposal.id;
    state_.best_us = score_us(best_->evaluation);
    state_.best_speedup = speedup(best_->evaluation);
    state_.best_roofline = roofline_share(best_->evaluation);
  }
  state_.spent = budget_.spent();
  state_.in_flight = budget_.reserved();
  state_.limits = options_.limits;
  state_.elapsed_s = static_cast<double>(parts_.run.elapsed_ms) / 1e3 +
                     std::chrono::duration<double>(parts_.clock.now() - started_).count();
  parts_.observer.on_state(state_);
}

Status Engine::save(store::RunStatus status, const std::string& why) {
  store::RunRecord run = parts_.run;
  run.status = status;
  run.ending = why;
  run.best_trial = state_.best_trial;
  run.elapsed_ms = static_cast<std::int64_t>(state_.elapsed_s * 1e3);
  return parts_.archive.set_state(run);
}

Ending Engine::conclude(const Status& status) {
  log_.rollback();  // what a failed step had begun; nothing after a commit
  Ending ending;
  ending.best = best_;
  ending.baseline = baseline_;
  if (!status.ok()) {
    ending.status = store::RunStatus::failed;
    ending.why = status.error().message;
  } else if (parts_.stop.requested()) {
    ending.status = store::RunStatus::stopped;
    ending.why = std::string(name_of(parts_.stop.reason()));
  } else if (!limit_.empty()) {
    ending.status = store::RunStatus::stopped;
    ending.why = limit_;
  } else if (!open_.empty()) {
    ending.status = store::RunStatus::waiting;
    ending.why = fmt::format("{} question(s) wait for an answer", open_.size());
  } else if (!target_.empty()) {
    ending.why = target_;
  } else {
    ending.why = best_ ? "all rounds done" : "no valid kernel was found";
  }
  refresh();
  ending.state = state_;
  if (const Status saved = save(ending.status, ending.why); !saved.ok() && status.ok()) {
    ending.status = store::RunStatus::failed;
    ending.why = saved.error().message;
  }
  return ending;
}

}  // namespace warpwright::search
