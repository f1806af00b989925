// SPDX-License-Identifier: Apache-2.0
#include "evaluate/trial_checks.h"

#include <algorithm>
#include <chrono>

#include "base/background.h"
#include "evaluate/memory_room.h"
#include "evaluate/trial_limits.h"

namespace warpwright::evaluate {

namespace {

constexpr std::size_t kMostPending = 24;

std::uint64_t size_of(const std::vector<verify::Bytes>& buffers) {
  std::uint64_t bytes = 0;
  for (const verify::Bytes& buffer : buffers) bytes += buffer.size();
  return bytes;
}

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
  std::uint64_t bytes = 4 * size_of(loaded.inputs);
  for (const Fetched& run : results.runs) bytes += 3 * size_of(run.outputs);
  auto check = [trial = loaded.trial, inputs = std::move(loaded.inputs),
                expected = std::move(expected),
                runs = std::move(results.runs)]() -> Result<Outcome> {
    work_in_background();
    for (std::size_t i = 0; i < runs.size(); ++i) {
      WW_TRY(auto wrong, find_wrong(trial, inputs, expected, runs[i]));
      if (wrong) return Outcome{std::move(wrong), i};
    }
    return Outcome{};
  };
  return push({loaded.item, loaded.trial.seed, Stage::validate, bytes, std::move(results.findings),
               std::async(std::launch::async, std::move(check))});
}

Result<Next> CheckQueue::add_timed(LoadedCase& loaded, std::vector<Fetched> runs) {
  std::vector<verify::Expected> known;
  WW_TRY(const bool needed, verify::needs_expected(loaded.trial));
  const verify::Reference* reference = needed && state_.reference ? &*state_.reference : nullptr;
  if (reference == nullptr) {
    WW_TRY(known, expected_values(state_, loaded));
  }
  std::uint64_t bytes = 2 * size_of(loaded.inputs);
  for (const Fetched& run : runs) bytes += 3 * size_of(run.outputs);
  auto check = [reference, trial = loaded.trial, inputs = std::move(loaded.inputs),
                expected = std::move(known), runs = std::move(runs)]() mutable -> Result<Outcome> {
    work_in_background();
    if (reference != nullptr) {
      WW_TRY(expected, reference->run(trial, inputs));
    }
    for (const Fetched& run : runs) {
      WW_TRY(auto wrong, find_wrong(trial, inputs, expected, run));
      if (wrong) return Outcome{std::move(wrong)};
    }
    return Outcome{};
  };
  return push({loaded.item,
               loaded.trial.seed,
               Stage::measure,
               bytes,
               {},
               std::async(std::launch::async, std::move(check))});
}

Result<Next> CheckQueue::push(Pending pending) {
  pending_.push_back(std::move(pending));
  const auto too_much = [&] {
    std::uint64_t bytes = 0;
    for (const Pending& held : pending_) bytes += held.bytes;
    return pending_.size() > kMostPending || bytes > memory_room();
  };
  while (pending_.size() > 1 && too_much()) {
    WW_TRY(const Next next, settle_first());
    if (next == Next::ended) return next;
  }
  return Next::go_on;
}

Result<Next> CheckQueue::settle_ready() {
  while (!pending_.empty() &&
         pending_.front().outcome.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
    WW_TRY(const Next next, settle_first());
    if (next == Next::ended) return next;
  }
  return Next::go_on;
}

Result<Next> CheckQueue::settle_validation() {
  const auto of_validation = [](const Pending& p) { return p.stage == Stage::validate; };
  while (std::any_of(pending_.begin(), pending_.end(), of_validation)) {
    WW_TRY(const Next next, settle_first());
    if (next == Next::ended) return next;
  }
  return Next::go_on;
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
  state_.evaluation.stage = pending.stage;
  // Times of a kernel that was wrong before it was timed are worth nothing.
  if (pending.stage == Stage::validate) state_.evaluation.measurements.clear();
  const Next ended = end_with_wrong(state_, pending.item, *outcome.wrong, pending.findings);
  const bool on_device = state_.device != nullptr && state_.device->usable().ok();
  if (pending.stage == Stage::measure) {
    state_.evaluation.feedback += "This was found in a timed call; untimed calls were right.\n";
  } else if (outcome.run > 0) {
    state_.evaluation.feedback +=
        "The same call was right the first time: the result depends on what memory held before, "
        "or on the order in which threads ran.\n";
  } else if (state_.evaluation.verdict == Verdict::mismatch && on_device) {
    WW_CHECK(blame_old_content(state_, pending.item, pending.seed));
  }
  return ended;
}

}  // namespace warpwright::evaluate
