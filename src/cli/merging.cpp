// SPDX-License-Identifier: Apache-2.0
#include "cli/merging.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/sha256.h"
#include "cli/made_kernel.h"
#include "store/run_log.h"

namespace warpwright::cli {

namespace {

using portfolio::Part;

std::string text_of(const portfolio::Portfolio& chosen) {
  std::string text = "Merged by size from:";
  for (const Part& part : chosen.parts) text += "\n- " + part.name;
  return text;
}

/// The source, or a sentence why there is none; the world's errors apart.
struct Attempt {
  std::string why_not;
  portfolio::Portfolio chosen;
  std::string source;
};

Result<Attempt> attempt(const MergeStep& step, const search::Ending& ending) {
  if (!may_merge(step.rule_set)) {
    return Attempt{"the rule set 'strict' allows one kernel function", {}, ""};
  }
  WW_TRY(const auto trials, step.archive.trials(step.run.id));
  std::vector<Part> candidates = valid_kernels(trials, ending.best->proposal.id);
  candidates.insert(candidates.end(), step.more.begin(), step.more.end());
  if (candidates.size() < 2) return Attempt{"there are no two valid kernels", {}, ""};
  auto chosen = portfolio::portfolio_of(step.task, candidates);
  if (!chosen.ok()) return Attempt{chosen.error().message, {}, ""};
  if (chosen->parts.size() < 2) {
    return Attempt{"no other kernel is clearly faster at some size", {}, ""};
  }
  auto source = portfolio::merged_source(step.task, chosen->parts, chosen->dispatch);
  if (!source.ok()) return Attempt{source.error().message, {}, ""};
  return Attempt{"", std::move(*chosen), std::move(*source)};
}

bool may_judge(const search::SearchState& state) {
  return !state.limits.evaluations || state.spent.evaluations < *state.limits.evaluations;
}

/// The whole beside the best kernel, stored by both.
std::string key_of(const std::string& source, const search::Trial& best) {
  return "merge:" + sha256_hex(sha256_hex(source) + sha256_hex(best.source));
}

/// Why nothing is known of the whole; empty where something is.
std::string useless(const Evaluation& evaluation) {
  const bool of_best = evaluation.comparison && evaluation.comparison->failed == "second";
  return evaluation.verdict == Verdict::harness_error || of_best ? evaluation.reason : "";
}

/// Known from before, or judged beside the best kernel; none where the judge failed, or the best
/// kernel is not right this time.
Result<std::optional<Evaluation>> verdict_of(const MergeStep& step, const std::string& source,
                                             search::Ending& ending, search::Observer& observer) {
  store::RunLog log(step.archive, step.run.id);
  const std::string key = key_of(source, *ending.best);
  WW_TRY(auto known, log.evaluation(key));
  if (!known && !may_judge(ending.state)) {
    observer.on_event(kMergeStep, "the limit of evaluations leaves none", ending.state);
    return known;
  }
  ++ending.state.spent.evaluations;
  if (known) return known;
  auto judged = step.evaluator.evaluate(
      {.id = kMergeStep, .source = source, .rival = ending.best->source}, step.stop);
  if (!judged.ok() && end_if_stopped(ending, step.stop)) return known;
  const std::string why = judged.ok() ? useless(*judged) : judged.error().message;
  if (!why.empty() || !judged.ok()) {
    observer.on_event(kMergeStep, "nothing is known of it: " + why, ending.state);
    return known;
  }
  known = std::move(*judged);
  if (ending.baseline) add_baseline_times(*known, *ending.baseline);
  WW_CHECK(log.begin());
  WW_CHECK(log.add_evaluation(key, *known));
  // The trial's own, by its source alone; it may have been beside another kernel before.
  WW_TRY(const auto own, log.evaluation(sha256_hex(source)));
  if (!own) WW_CHECK(log.add_evaluation(sha256_hex(source), *known));
  WW_CHECK(log.commit());
  return known;
}

}  // namespace

std::vector<Part> valid_kernels(const std::vector<store::TrialRecord>& trials,
                                const std::string& best_trial) {
  std::vector<Part> kernels;
  std::set<std::string> seen;
  const auto add = [&](const store::TrialRecord& trial) {
    const bool is_one = trial.evaluation && trial.evaluation->valid() && trial.candidate;
    if (!is_one || trial.prompt.kind == kMergeStep || !seen.insert(trial.candidate->source).second)
      return;
    kernels.push_back({trial.prompt.trial, trial.candidate->source, *trial.evaluation});
  };
  for (const auto& trial : trials) {
    if (trial.prompt.trial == best_trial) add(trial);
  }
  for (const auto& trial : trials) add(trial);
  return kernels;
}

bool may_merge(const std::string& rule_set) { return rule_set != "strict"; }

Status merge_best(const MergeStep& step, search::Ending& ending, search::Observer& observer) {
  if (!ending.best || ending.status != store::RunStatus::finished) return {};
  WW_TRY(const Attempt made, attempt(step, ending));
  if (!made.why_not.empty()) {
    observer.on_event(kMergeStep, "nothing to merge: " + made.why_not, ending.state);
    return {};
  }
  WW_TRY(const auto evaluation, verdict_of(step, made.source, ending, observer));
  if (!evaluation) return {};
  search::Trial merged = *ending.best;
  merged.proposal.parent = merged.proposal.id;
  merged.proposal.id += ".merge";
  merged.proposal.kind = kMergeStep;
  merged.proposal.messages.clear();
  merged.source = made.source;
  merged.reply = text_of(made.chosen) + "\n\n```cuda\n" + made.source + "```\n";
  merged.evaluation = *evaluation;
  WW_TRY(const search::Trial stored, store_made(step.archive, step.run, std::move(merged)));
  const auto& comparison = evaluation->comparison;
  const bool better = evaluation->valid() && comparison && comparison->order == Order::faster;
  const std::string outcome =
      !evaluation->valid() ? std::string(name_of(evaluation->verdict)) + ": " + evaluation->reason
      : better             ? fmt::format("{:.3f} times as fast as {}", 1 / comparison->ratio.value,
                                         ending.best->proposal.id)
                           : "not shown to be faster than " + ending.best->proposal.id;
  observer.on_event(kMergeStep,
                    fmt::format("{} kernels by size: {}", made.chosen.parts.size(), outcome),
                    ending.state);
  return better ? take_as_best(step.archive, step.run, stored, ending) : Status{};
}

}  // namespace warpwright::cli
