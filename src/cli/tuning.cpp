// SPDX-License-Identifier: Apache-2.0
#include "cli/tuning.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/sha256.h"
#include "cli/made_kernel.h"
#include "store/run_log.h"
#include "tune/tuning.h"

namespace warpwright::cli {

namespace {

/// What was judged beside the winner, by the values that it has.
std::vector<portfolio::Part> parts_of(const tune::Space& space, const tune::Tuning& tuning,
                                      const std::string& trial) {
  std::vector<portfolio::Part> parts;
  for (const tune::Tried& tried : tuning.tried) {
    if (!tried.evaluation.valid()) continue;
    parts.push_back({trial + " with " + space.text_of(tried.point), space.filled(tried.point),
                     tried.evaluation});
  }
  return parts;
}

}  // namespace

Result<std::vector<portfolio::Part>> tune_best(store::Archive& archive, const store::RunRecord& run,
                                               evaluate::Evaluator& evaluator, TuneBudget budget,
                                               search::Ending& ending, search::Observer& observer,
                                               const StopSignal& stop) {
  std::vector<portfolio::Part> parts;
  if (!ending.best || ending.status != store::RunStatus::finished) return parts;
  const auto space = tune::Space::parse(ending.best->source);
  if (!space.ok() || space->parameters().empty()) {
    if (!space.ok()) observer.on_event("tune", space.error().message, ending.state);
    return parts;
  }
  if (const auto limit = ending.state.limits.evaluations) {
    const auto left =
        std::max<std::int64_t>(0, *limit - ending.state.spent.evaluations - budget.kept);
    budget.most = std::min(budget.most, static_cast<std::size_t>(left));
  }
  if (budget.most < 2) return parts;
  store::RunLog log(archive, run.id);
  tune::TuningOptions options{.budget = budget.most};
  options.recall = [&](const std::string& source) { return log.evaluation(sha256_hex(source)); };
  options.keep = [&](const std::string& source, const Evaluation& evaluation) -> Status {
    Evaluation timed = evaluation;
    if (ending.baseline) add_baseline_times(timed, *ending.baseline);
    WW_CHECK(log.begin());
    WW_CHECK(log.add_evaluation(sha256_hex(source), timed));
    return log.commit();
  };
  auto tuned_all = tune::tune(*space, evaluator, options, stop);
  if (!tuned_all.ok() && end_if_stopped(ending, stop)) return parts;
  WW_TRY(const auto tuning, std::move(tuned_all));
  ending.state.spent.evaluations += static_cast<std::int64_t>(tuning.evaluations);
  const std::string outcome =
      fmt::format("{} configurations judged; {}", tuning.tried.size(),
                  tuning.changed ? "the best: " + space->text_of(tuning.best.point)
                                 : std::string("nothing was shown to be faster"));
  observer.on_event("tune", outcome, ending.state);
  parts = parts_of(*space, tuning, ending.best->proposal.id);
  if (!tuning.changed) return parts;
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
  WW_TRY(const search::Trial stored, store_made(archive, run, std::move(tuned)));
  WW_CHECK(take_as_best(archive, run, stored, ending));
  return parts;
}

}  // namespace warpwright::cli
