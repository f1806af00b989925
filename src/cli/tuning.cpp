// SPDX-License-Identifier: Apache-2.0
#include "cli/tuning.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/sha256.h"
#include "store/run_log.h"
#include "tune/tuning.h"

namespace warpwright::cli {

namespace {

Status store_tuned(store::Archive& archive, const store::RunRecord& run, search::Ending& ending,
                   const search::Trial& tuned) {
  store::RunLog log(archive, run.id);
  const search::Proposal& proposal = tuned.proposal;
  const store::PromptRecord prompt{
      proposal.id, proposal.round, proposal.slot, proposal.repair, proposal.kind, proposal.parent,
      {}};
  store::ReplyRecord reply;
  reply.text = tuned.reply;
  reply.model = "tune";
  reply.finish_reason = "stop";
  reply.origin = "tune";
  WW_CHECK(log.begin());
  WW_TRY(const auto known, log.reply(proposal.id));
  if (!known) {
    WW_TRY(const auto stored, log.remember_prompt(prompt));
    WW_CHECK(log.add_reply(stored.trial, reply));
    WW_CHECK(log.add_candidate(stored.trial, {tuned.source, ""}));
  }
  WW_CHECK(log.commit());
  WW_TRY(auto record, archive.find_run(run.id));
  record.best_trial = proposal.id;
  WW_CHECK(archive.set_state(record));
  ending.best = tuned;
  ending.state.best_trial = proposal.id;
  ending.state.best_us = score_us(tuned.evaluation);
  ending.state.best_speedup = speedup(tuned.evaluation);
  ending.state.best_roofline = roofline_share(tuned.evaluation);
  return {};
}

}  // namespace

Status tune_best(store::Archive& archive, const store::RunRecord& run,
                 evaluate::Evaluator& evaluator, std::size_t budget, search::Ending& ending,
                 search::Observer& observer, const StopSignal& stop) {
  if (!ending.best || ending.status != store::RunStatus::finished) return {};
  const auto space = tune::Space::parse(ending.best->source);
  if (!space.ok() || space->parameters().empty()) {
    if (!space.ok()) observer.on_event("tune", space.error().message, ending.state);
    return {};
  }
  if (const auto limit = ending.state.limits.evaluations) {
    const auto left = std::max<std::int64_t>(0, *limit - ending.state.spent.evaluations);
    budget = std::min(budget, static_cast<std::size_t>(left));
  }
  if (budget < 2) return {};
  store::RunLog log(archive, run.id);
  tune::TuningOptions options{.budget = budget};
  options.recall = [&](const std::string& source) { return log.evaluation(sha256_hex(source)); };
  options.keep = [&](const std::string& source, const Evaluation& evaluation) -> Status {
    Evaluation timed = evaluation;
    if (ending.baseline) add_baseline_times(timed, *ending.baseline);
    WW_CHECK(log.begin());
    WW_CHECK(log.add_evaluation(sha256_hex(source), timed));
    return log.commit();
  };
  WW_TRY(const auto tuning, tune::tune(*space, evaluator, options, stop));
  ending.state.spent.evaluations += static_cast<std::int64_t>(tuning.evaluations);
  const std::string outcome =
      fmt::format("{} configurations judged; {}", tuning.tried.size(),
                  tuning.changed ? "the best: " + space->text_of(tuning.best.point)
                                 : std::string("nothing was shown to be faster"));
  observer.on_event("tune", outcome, ending.state);
  if (!tuning.changed) return {};
  search::Trial tuned = *ending.best;
  tuned.proposal.parent = tuned.proposal.id;
  tuned.proposal.id += ".tune";
  tuned.proposal.kind = "tune";
  tuned.proposal.messages.clear();
  tuned.source = space->filled(tuning.best.point);
  tuned.reply =
      "Tuned: " + space->text_of(tuning.best.point) + "\n\n```cuda\n" + tuned.source + "\n```\n";
  tuned.evaluation = tuning.best.evaluation;
  if (ending.baseline) add_baseline_times(tuned.evaluation, *ending.baseline);
  return store_tuned(archive, run, ending, tuned);
}

}  // namespace warpwright::cli
