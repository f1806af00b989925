// SPDX-License-Identifier: Apache-2.0
// verifiers: how often a model's votes on candidates agree with the judge, and what they cost.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <set>

#include "base/files.h"
#include "cli/asked_models.h"
#include "cli/exit_codes.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "core/json_reader.h"
#include "core/task_json.h"
#include "verifiers/panel.h"
#include "verifiers/procedures.h"
#include "verifiers/tally.h"

namespace warpwright::cli {

namespace {

using nlohmann::json;
using verifiers::Score;
using verifiers::Tally;

struct VerifierFlags {
  std::string archive;
  std::vector<std::string> runs;
  std::string model;
  int most = 50;
  bool json = false;
  std::shared_ptr<SettingFlags> settings;
};

json number_or_null(std::optional<double> value) { return value ? json(*value) : json(nullptr); }

json tally_json(const Tally& tally) {
  json rows = json::array();
  for (const Score& score : tally.scores) {
    rows.push_back({{"verifier", score.name},
                    {"votes", score.votes},
                    {"objections", score.objections},
                    {"right", score.right},
                    {"failed", score.failed},
                    {"found", score.found},
                    {"passed", score.passed},
                    {"false_alarms", score.false_alarms},
                    {"precision", number_or_null(score.precision())},
                    {"recall", number_or_null(score.recall())},
                    {"false_alarm_rate", number_or_null(score.false_alarm_rate())}});
  }
  const std::optional<double> usd = tally.unpriced ? std::nullopt : std::optional(tally.usd);
  return {{"format", 1},
          {"programs", tally.programs},
          {"judged", tally.judged},
          {"refused", tally.refused},
          {"audited", tally.audited},
          {"tokens", tally.tokens},
          {"usd", number_or_null(usd)},
          {"judge_s", tally.judge_s},
          {"verifiers", rows}};
}

std::string percent(std::optional<double> value) {
  return value ? fmt::format("{:.0f} %", *value * 100) : "-";
}

void print_tally(const Tally& tally) {
  if (tally.programs == 0) {
    std::printf(
        "No candidate has votes. Search with --verify-with MODEL, or ask about candidates that are "
        "judged: warpwright verifiers --model MODEL\n");
    return;
  }
  std::printf(
      "%d candidates with votes, %d of them judged; %d refused, %d of these judged all the "
      "same\n",
      tally.programs, tally.judged, tally.refused, tally.audited);
  std::printf("%-9s %6s %10s %10s %10s %12s\n", "verifier", "votes", "objections", "precision",
              "recall", "false alarms");
  for (const Score& score : tally.scores) {
    std::printf("%-9s %6d %10d %10s %10s %12s\n", score.name.c_str(), score.votes, score.objections,
                percent(score.precision()).c_str(), percent(score.recall()).c_str(),
                percent(score.false_alarm_rate()).c_str());
  }
  const double each = tally.programs == 0 ? 0 : tally.usd / tally.programs;
  const std::string money =
      tally.unpriced ? "price unknown" : fmt::format("{:.4f} USD, {:.5f} each", tally.usd, each);
  std::printf("Cost: %lld tokens, %s. A judgement of these took %.1f s on average.\n",
              static_cast<long long>(tally.tokens), money.c_str(),
              tally.judged == 0 ? 0 : tally.judge_s / tally.judged);
  std::printf(
      "Objections are right when the judge found any fault; recall is over the faults that a "
      "verifier is about.\n");
}

/// Asks about candidates of a run that were judged without votes.
class Examiner {
 public:
  Examiner(const VerifierFlags& flags, std::filesystem::path spool, Tally& tally)
      : flags_(flags), spool_(std::move(spool)), tally_(tally), left_(flags.most) {}

  Status examine(store::Archive& archive, const store::RunRecord& run, const Settings& settings,
                 const std::vector<store::TrialRecord>& trials) {
    if (left_ == 0) return {};
    WW_TRY(const auto model, make_verifier(settings, flags_.model, spool_));
    Settings stored;
    WW_TRY(const auto config, archive.config(run.id));
    WW_CHECK(stored.adopt(config));
    WW_TRY(const Task task, task_from_json(run.task_json));
    WW_TRY(const auto facts, target_facts(stored));
    WW_TRY(const auto templates, prompt_templates(stored));
    WW_TRY(const auto pattern, job_pattern(stored, task));
    prompt::PromptContext context{.task = task, .device = facts};
    context.rule_set = std::string(pattern.rule_set.name());
    WW_TRY(const std::string statement, prompt::initial_prompt(templates, context));
    const verifiers::Panel panel(*model, statement);
    for (const store::TrialRecord& trial : trials) WW_CHECK(ask(panel, trial));
    return {};
  }

 private:
  Status ask(const verifiers::Panel& panel, const store::TrialRecord& trial) {
    if (!trial.evaluation || !trial.candidate || trial.candidate->source.empty()) return {};
    const std::string& source = trial.candidate->source;
    const bool open = trial.evaluation->verdict == Verdict::unchecked ||
                      trial.evaluation->verdict == Verdict::harness_error;
    if (open || !verifiers::Panel::may_see(source) || left_ == 0) return {};
    if (verifiers::votes_of(*trial.evaluation) || !seen_.insert(source).second) return {};
    --left_;
    const StopSignal stop;
    const verifiers::Votes votes = panel.vote(source, stop);
    for (const verifiers::Vote& vote : votes.votes)
      if (!vote.passes && !vote.because.empty())
        std::fprintf(stderr, "%s, %s: no vote: %s\n", trial.prompt.trial.c_str(),
                     vote.procedure.c_str(), vote.because.c_str());
    tally_.add(*trial.evaluation, votes);
    return {};
  }

  const VerifierFlags& flags_;
  std::filesystem::path spool_;
  Tally& tally_;
  int left_;
  std::set<std::string> seen_;
};

Result<int> show_verifiers(const VerifierFlags& flags) {
  WW_TRY(const Settings settings, settings_from(*flags.settings));
  const SystemClock clock;
  const std::filesystem::path path = archive_path(flags.archive);
  WW_TRY(const auto archive, store::Archive::open_read_only(path, clock));
  std::vector<store::RunRecord> runs;
  for (const std::string& name : flags.runs) {
    WW_TRY(auto run, archive->find_run(name));
    runs.push_back(std::move(run));
  }
  if (flags.runs.empty()) {
    WW_TRY(runs, archive->runs());
  }
  Tally tally;
  const std::filesystem::path spool = absolute_path(path).parent_path() / "verifiers";
  if (!flags.model.empty()) WW_CHECK(make_directories(spool));
  Examiner examiner(flags, spool, tally);
  for (const store::RunRecord& run : runs) {
    WW_TRY(const auto trials, archive->trials(run.id));
    std::set<std::string> counted;  // the same source is judged once
    for (const store::TrialRecord& trial : trials) {
      const auto votes = trial.evaluation ? verifiers::votes_of(*trial.evaluation) : std::nullopt;
      if (votes && counted.insert(trial.source_sha256).second) tally.add(*trial.evaluation, *votes);
    }
    if (!flags.model.empty()) WW_CHECK(examiner.examine(*archive, run, settings, trials));
  }
  if (flags.json) {
    std::printf("%s\n", dump_json(tally_json(tally), 1).c_str());
  } else {
    print_tally(tally);
  }
  return static_cast<int>(kOk);
}

}  // namespace

void add_verifiers(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<VerifierFlags>();
  verb.add_option("runs", flags->runs, "runs by id, beginning of one, or last [all]");
  verb.add_option("-m,--model", flags->model,
                  "ask this model about candidates that were judged without votes");
  verb.add_option("--most", flags->most, "candidates to ask about at most [50]")
      ->check(CLI::Range(1, 100000));
  verb.add_flag("--json", flags->json, "as JSON (docs/search.md)");
  add_archive_option(verb, flags->archive);
  flags->settings = add_setting_flags(verb, {});
  verb.callback([flags, &action] {
    action = [flags] {
      const auto code = show_verifiers(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace warpwright::cli
