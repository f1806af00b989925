// SPDX-License-Identifier: Apache-2.0
#include "evaluate/trial_checks.h"

#include "evaluate/trial_limits.h"

namespace warpwright::evaluate {

namespace {

constexpr std::size_t kMostPending = 8;

/// A wrong result that changes with the poison has a cause worth telling.
Status blame_old_content(TrialState& state, const verify::Case& item, std::uint64_t seed) {
  WW_TRY(auto loaded, load_case(state, *state.device, state.candidate, item, seed));
  std::vector<std::vector<verify::Bytes>> outputs;
  for (const std::uint64_t poison_seed : {seed, derived_seed(seed, 2)}) {
    WW_TRY(const auto report,
           loaded.replay->run({.poison_seed = poison_seed, .limit_s = work_limits(state).run_s}));
    if (!report.faults.empty()) return {};
    WW_TRY(auto now, loaded.buffers.outputs());
    outputs.push_back(std::move(now));
  }
  if (outputs[0] == outputs[1]) return {};
  state.evaluation.feedback +=
      "The wrong values change with what the memory held before the call: something is read or "
      "added to before it is written, or not written at all.\n";
  return {};
}

}  // namespace

CheckQueue::~CheckQueue() {
  for (Pending& pending : pending_) pending.outcome.wait();
}

Result<Next> CheckQueue::add(LoadedCase& loaded, std::vector<verify::Expected> expected,
                             Results results) {
  auto check = [trial = loaded.trial, inputs = std::move(loaded.inputs),
                expected = std::move(expected),
                runs = std::move(results.runs)]() -> Result<Outcome> {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      WW_TRY(auto wrong, find_wrong(trial, inputs, expected, runs[i]));
      if (wrong) return Outcome{std::move(wrong), i};
    }
    return Outcome{};
  };
  pending_.push_back({loaded.item, loaded.trial.seed, std::move(results.findings),
                      std::async(std::launch::async, std::move(check))});
  if (pending_.size() <= kMostPending) return Next::go_on;
  return settle_first();
}

Result<Next> CheckQueue::settle_all() {
  while (!pending_.empty()) {
    WW_TRY(const Next next, settle_first());
    if (next == Next::ended) return next;
  }
  return Next::go_on;
}

Result<Next> CheckQueue::settle_first() {
  Pending first = std::move(pending_.front());
  pending_.pop_front();
  Result<Outcome> outcome = Outcome{};
  {
    const PartTimer timer(state_, "check");
    outcome = first.outcome.get();
  }
  if (!outcome.ok()) return outcome.error();
  if (!outcome->wrong) return Next::go_on;
  return end_with_outcome(first, *outcome);
}

Result<Next> CheckQueue::end_with_outcome(const Pending& pending, const Outcome& outcome) {
  const Next ended = end_with_wrong(state_, pending.item, *outcome.wrong, pending.findings);
  if (outcome.run > 0) {
    state_.evaluation.feedback +=
        "The same call was right the first time: the result depends on what memory held before, "
        "or on the order in which threads ran.\n";
  } else if (state_.evaluation.verdict == Verdict::mismatch && state_.device->usable().ok()) {
    WW_CHECK(blame_old_content(state_, pending.item, pending.seed));
  }
  return ended;
}

}  // namespace warpwright::evaluate
