// SPDX-License-Identifier: Apache-2.0
// Whether the judge may be used, and whether what it says can be believed.
#include <fmt/format.h>

#include "search/engine.h"

namespace warpwright::search {

namespace {

std::string_view name_of(TimeSource source) {
  return source == TimeSource::estimated ? "estimates" : "measurements";
}

}  // namespace

Cost Engine::judging_bound() const {
  Cost cost{1, 0, 0, parts_.evaluator.max_device_s()};
  cost += options_.verifying;
  return cost;
}

const llm::Model& Engine::model_of(const std::string& id) const {
  return parts_.model.chosen(open_.at(id).proposal.model);
}

/// An answer that was told, or found again, has nothing reserved yet for its evaluation. The
/// refusal, if it does not fit.
std::optional<std::string> Engine::reserve_judging(Open& open) {
  if (open.reserved.evaluations != 0) return std::nullopt;
  const Cost cost = judging_bound();
  if (auto refusal = budget_.refusal(cost)) return refusal;
  budget_.reserve(cost);
  open.reserved += cost;
  return std::nullopt;
}

bool Engine::may_judge(const std::string& key) {
  const auto refusal = reserve_judging(open_.at(awaiting_.at(key).front()));
  if (refusal && asking_ == 0 && judging_ == 0) limit_ = *refusal;  // nothing will free anything
  return !refusal;
}

/// Whose fault it is shows on the baseline, which this judge has judged before: if that fails now,
/// the run ends with nothing held against anybody.
Status Engine::judge_failed(const std::string& key, Evaluation evaluation) {
  if (key == kBaseline || (!baseline_ && !judge_works_)) {
    return Error{"the judge cannot work: " + evaluation.reason};
  }
  if (!baseline_) return settle(key, std::move(evaluation));
  suspects_.emplace_back(key, std::move(evaluation));
  if (suspects_.size() == 1) to_judge_.emplace_front(kProbe);
  return {};
}

Status Engine::handle_probe(const Judged& event) {
  --judging_;
  const bool works = event.evaluation.ok() && event.evaluation->verdict != Verdict::harness_error;
  if (works) {
    budget_.spend({0, 0, 0, event.evaluation->device_s});
    judge_failures_.erase(kProbe);
    for (auto& [key, evaluation] : std::exchange(suspects_, {})) {
      WW_CHECK(settle(key, std::move(evaluation)));
    }
    return {};
  }
  if (++judge_failures_[kProbe] < options_.judge_attempts) {
    to_judge_.emplace_front(kProbe);
    return {};
  }
  return Error{
      "the judge no longer works, not even for the baseline: " +
      (event.evaluation.ok() ? event.evaluation->reason : event.evaluation.error().message) +
      "; 'resume' goes on when it does"};
}

/// Times of one run are of one device: a run may be resumed elsewhere, but not be judged there.
Status Engine::comparable(const Evaluation& evaluation) const {
  if (!baseline_ || !evaluation.valid() || evaluation.measurements.empty()) return {};
  if (baseline_->measurements.empty()) return {};
  const TimeSource here = evaluation.measurements.front().source;
  const TimeSource before = baseline_->measurements.front().source;
  if (here == before && evaluation.device == baseline_->device) return {};
  return Error{
      fmt::format("this run has {} of {}, and this machine gives {} of {}; resume it "
                  "where it began (--worker), or start a new run here",
                  name_of(before), baseline_->device, name_of(here), evaluation.device)};
}

}  // namespace warpwright::search
