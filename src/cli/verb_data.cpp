// SPDX-License-Identifier: Apache-2.0
// data: judged answers become data for training.
#include <charconv>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <atomic>

#include "base/files.h"
#include "cli/exit_codes.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "cli/version.h"
#include "cli/workshop.h"
#include "data/check.h"
#include "data/curate.h"
#include "data/export.h"
#include "data/stats.h"
#include "suite/load.h"

namespace warpwright::cli {

namespace {

struct DataFlags {
  std::vector<std::string> sources;
  std::vector<std::string> task_folders;
  std::string out = "-";
  std::string form = "sft";
  std::string ledger;
  std::string licence = "NOASSERTION";
  std::string clip = "roofline";
  std::string branch = "mean";
  std::string keep = "best";
  std::string sample = "64";
  std::uint64_t seed = 1;
  double gamma = RewardRule{}.gamma;
  double bonus = RewardRule{}.correct_bonus;
  data::CurateOptions curate;
  data::PreferenceOptions preferences;
  double tolerance = data::CheckOptions{}.tolerance;
  bool json = false, judge = false, no_judge = false, quick = false;
  std::shared_ptr<SettingFlags> settings;
};

/// The judge behind the verb: one warm worker, and a ledger that may outlive the process.
class DataJudge {
 public:
  static Result<std::unique_ptr<DataJudge>> open(const DataFlags& flags, const Clock& clock) {
    WW_TRY(Settings settings, settings_from(*flags.settings));
    auto judge = std::make_unique<DataJudge>();
    judge->quick_ = flags.quick;
    std::filesystem::path path = flags.ledger;
    if (path.empty()) {
      WW_TRY(auto folder, TemporaryDirectory::create("warpwright-data-"));
      judge->folder_ = std::make_unique<TemporaryDirectory>(std::move(folder));
      path = judge->folder_->path() / "ledger.db";
    }
    WW_TRY(judge->ledger_, store::Ledger::open(path, clock));
    WW_TRY(judge->workshop_, ServerWorkshop::open(std::move(settings), archive_path("")));
    judge->manner_ = judge->workshop_->manner() + (flags.quick ? " quick" : "");
    return judge;
  }

  data::Judging judging() {
    return {[this](const data::JudgeWish& wish, const StopSignal& stop) {
              mcp::JudgeWish asked{.task = *wish.task, .source = wish.source};
              asked.rule_set = wish.rule_set;
              if (quick_ && !wish.task->sizes.empty()) {
                asked.sizes = {wish.task->sizes.front().label};
              }
              return workshop_->judge(asked, stop);
            },
            workshop_->parallelism(),
            ledger_.get(),
            manner_,
            &stop_,
            [this](const data::JudgeWish& wish, const Evaluation& verdict) { say(wish, verdict); }};
  }
  StopSignal& stop() { return stop_; }

 private:
  /// What is read may be gigabytes: how much is left nobody knows.
  void say(const data::JudgeWish& wish, const Evaluation& verdict) {
    std::fputs(
        fmt::format("judged {}: {} {}\n", ++judged_, wish.task->name, name_of(verdict.verdict))
            .c_str(),
        stderr);
  }

  std::unique_ptr<TemporaryDirectory> folder_;
  std::unique_ptr<store::Ledger> ledger_;
  std::unique_ptr<ServerWorkshop> workshop_;
  std::string manner_;
  bool quick_ = false;
  StopSignal stop_;
  std::atomic<int> judged_{0};
};

/// Tasks by name: of the folders that were named, else built-in ones. Each is loaded once.
data::FindTask task_finder(const std::vector<std::string>& folders) {
  const auto known = std::make_shared<std::map<std::string, std::shared_ptr<const Task>>>();
  return [known, folders](const std::string& name) -> std::shared_ptr<const Task> {
    if (const auto found = known->find(name); found != known->end()) return found->second;
    std::shared_ptr<const Task> task;
    for (const auto& folder : folders) {
      const auto path = std::filesystem::path(folder) / name;
      if (auto loaded = suite::load_task_folder(path); loaded.ok()) {
        task = std::make_shared<const Task>(std::move(loaded).value());
      }
    }
    if (task == nullptr) {
      if (auto loaded = suite::load_embedded_task(name); loaded.ok()) {
        task = std::make_shared<const Task>(std::move(loaded).value());
      }
    }
    return (*known)[name] = task;
  };
}

Result<RewardRule> reward_rule(const DataFlags& flags) {
  RewardRule rule{.correct_bonus = flags.bonus, .gamma = flags.gamma};
  rule.clip_at_floor = flags.clip != "none";
  if (flags.clip == "none" || flags.clip == "roofline") return rule;
  const auto* end = flags.clip.data() + flags.clip.size();
  const auto read = std::from_chars(flags.clip.data(), end, rule.largest_speedup);
  if (read.ec != std::errc() || read.ptr != end || !(rule.largest_speedup > 0)) {
    return Error{"--clip is roofline, none, or the largest speed-up that counts"};
  }
  return rule;
}

data::Provenance provenance_of(const DataFlags& flags) {
  return {std::string(program_version()), std::string(program_commit()), flags.licence};
}

Result<data::Catalogue> catalogue_of(const DataFlags& flags, const Clock& clock,
                                     const data::Judging* judging) {
  WW_TRY(const RewardRule reward, reward_rule(flags));
  WW_TRY(auto sources, data::open_sources(flags.sources, clock, task_finder(flags.task_folders)));
  return data::make_catalogue(std::move(sources), {reward, judging});
}

Result<int> show_stats(const DataFlags& flags) {
  const SystemClock clock;
  std::unique_ptr<DataJudge> judge;
  data::Judging judging;
  if (flags.judge) {
    WW_TRY(judge, DataJudge::open(flags, clock));
    judging = judge->judging();
  }
  WW_TRY(const auto catalogue, catalogue_of(flags, clock, judge ? &judging : nullptr));
  const auto stats = data::stats_of(catalogue);
  std::fputs((flags.json ? stats_json(stats) : stats_text(stats)).c_str(), stdout);
  return static_cast<int>(kOk);
}

Result<int> curate(const DataFlags& flags) {
  const SystemClock clock;
  WW_TRY(const auto judge, DataJudge::open(flags, clock));
  const InterruptGuard interrupts(judge->stop());
  const data::Judging judging = judge->judging();
  WW_TRY(auto catalogue, catalogue_of(flags, clock, &judging));
  WW_TRY(const RewardRule reward, reward_rule(flags));
  data::CurateOptions options = flags.curate;
  options.front = flags.keep == "front";
  WW_TRY(const auto curated, data::curate(catalogue, options, judging, reward));
  WW_TRY(auto out, data::RowWriter::create(flags.out));
  for (const auto& kept : curated.kept) {
    WW_TRY(const auto judged, data::fetch(catalogue, catalogue.cards[kept.card], &judging));
    auto row = data::sft_row(judged, provenance_of(flags));
    row["score"] = kept.score;
    WW_CHECK(out.write(std::move(row)));
  }
  WW_CHECK(out.finish());
  std::fprintf(stderr, "%s\n",
               fmt::format("{} answers, {} kept, {} refuted; median reasoning {:.0f} tokens of the "
                           "pool's {:.0f}",
                           catalogue.cards.size(), curated.kept.size(), curated.refuted,
                           curated.kept_median, curated.pool_median)
                   .c_str());
  return static_cast<int>(curated.kept.empty() ? kBad : kOk);
}

Result<int> export_rows(const DataFlags& flags) {
  const SystemClock clock;
  std::unique_ptr<DataJudge> judge;
  data::Judging judging;
  if (!flags.no_judge) {
    WW_TRY(judge, DataJudge::open(flags, clock));
    judging = judge->judging();
  }
  StopSignal unused;
  const InterruptGuard interrupts(judge ? judge->stop() : unused);
  const data::Judging* used = judge ? &judging : nullptr;
  WW_TRY(auto catalogue, catalogue_of(flags, clock, used));
  WW_TRY(auto out, data::RowWriter::create(flags.out));
  const auto provenance = provenance_of(flags);
  if (flags.form == "sft") {
    WW_CHECK(data::export_sft(catalogue, used, provenance, out));
  } else if (flags.form == "preferences") {
    WW_CHECK(data::export_preferences(catalogue, flags.preferences, used, provenance, out));
  } else {
    WW_TRY(const RewardRule reward, reward_rule(flags));
    const auto branch = flags.branch == "best" ? data::Branch::best : data::Branch::mean;
    WW_CHECK(data::export_grpo(catalogue, {reward, branch}, used, provenance, out));
  }
  const std::size_t rows = out.rows();
  WW_CHECK(out.finish());
  std::fprintf(stderr, "%zu answers, %zu rows\n", catalogue.cards.size(), rows);
  return static_cast<int>(rows == 0 ? kBad : kOk);
}

Result<int> check(const DataFlags& flags) {
  const SystemClock clock;
  data::CheckOptions options{.seed = flags.seed, .tolerance = flags.tolerance};
  options.all = flags.sample == "all";
  const auto* end = flags.sample.data() + flags.sample.size();
  if (!options.all && std::from_chars(flags.sample.data(), end, options.sample).ptr != end) {
    return Error{"--sample is a number of rows, or all"};
  }
  std::unique_ptr<DataJudge> judge;
  data::Judging judging;
  if (!flags.no_judge && (options.all || options.sample > 0)) {
    WW_TRY(judge, DataJudge::open(flags, clock));
    judging = judge->judging();
  }
  StopSignal unused;
  const InterruptGuard interrupts(judge ? judge->stop() : unused);
  bool good = true;
  for (const auto& file : flags.sources) {
    WW_TRY(const auto report, data::check_file(file, options, task_finder(flags.task_folders),
                                               judge ? &judging : nullptr));
    std::fputs((flags.json ? report_json(report) : report_text(report)).c_str(), stdout);
    good = good && report.problem_count == 0;
  }
  return static_cast<int>(good ? kOk : kBad);
}

using DataWork = Result<int> (*)(const DataFlags&);

std::shared_ptr<DataFlags> add_part(CLI::App& verb, Action& action, const char* name,
                                    const char* summary, const char* example, DataWork work) {
  CLI::App* part = verb.add_subcommand(name, summary);
  part->footer(std::string("Example:\n  ") + example);
  const auto flags = std::make_shared<DataFlags>();
  part->add_option("--tasks", flags->task_folders,
                   "folder with tasks of your own, by name; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  part->add_option("--ledger", flags->ledger,
                   "file that keeps the verdicts of this judge for the next time [none]");
  part->add_flag("--quick", flags->quick, "judge at the smallest timed size of each task alone");
  flags->settings = add_setting_flags(*part, {"judge.", "torch."});
  part->callback([flags, work, &action] {
    action = [flags, work] {
      const auto code = work(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
  return flags;
}

void add_sources(CLI::App& part, DataFlags& flags) {
  part.add_option("sources", flags.sources,
                  "archives, recordings, or folders with recordings below them")
      ->required();
}

void add_rows_options(CLI::App& part, DataFlags& flags) {
  add_sources(part, flags);
  part.add_option("-o,--out", flags.out, "file to write [standard output]");
  part.add_option("--licence,--license", flags.licence,
                  "of the rows, as SPDX calls it [NOASSERTION]");
}

void add_reward_options(CLI::App& part, DataFlags& flags) {
  part.add_option("--bonus", flags.bonus, "what a right answer earns beside its speed-up [0.3]");
  part.add_option("--clip", flags.clip,
                  "roofline, none, or the largest speed-up that counts [roofline]");
}

void add_stats(CLI::App& verb, Action& action) {
  const auto flags = add_part(verb, action, "stats",
                              "per task: answers, verdicts, reasoning, speed-ups, difficulty",
                              "warpwright data stats .warpwright/archive.db", show_stats);
  CLI::App& part = *verb.get_subcommand("stats");
  add_sources(part, *flags);
  part.add_flag("--judge", flags->judge, "judge answers that have no verdict first");
  part.add_flag("--json", flags->json, "as JSON (docs/data.md)");
}

void add_curate(CLI::App& verb, Action& action) {
  const auto flags = add_part(
      verb, action, "curate", "the best answers, each judged again: short reasoning, fast code",
      "warpwright data curate runs/*.db --per-type 8 --licence Apache-2.0 -o curated.jsonl",
      curate);
  CLI::App& part = *verb.get_subcommand("curate");
  add_rows_options(part, *flags);
  add_reward_options(part, *flags);
  part.add_option("--keep", flags->keep,
                  "best: one per task; front: all that none beats in speed and shortness [best]")
      ->check(CLI::IsMember({"best", "front"}));
  part.add_option("--per-type", flags->curate.per_type, "at most so many of a type of task [any]");
  part.add_option("--lambda", flags->curate.lambda,
                  "what shortness is worth: z(speed-up) - lambda * z(log tokens) [1]");
  part.add_option("--near", flags->curate.near,
                  "sources with this share in common are near-duplicates [0.8]")
      ->check(CLI::Range(0.0, 1.0));
  part.add_option("--min-speedup", flags->curate.min_speedup, "leave slower ones out [0]");
  part.add_option("--concise", flags->curate.concise,
                  "median reasoning of the kept, at most this share of the pool's; 0 = any [0.5]");
}

void add_rows_export(CLI::App& verb, Action& action) {
  const auto flags = add_part(
      verb, action, "export", "rows for training: chats, preference pairs, GRPO turns",
      "warpwright data export .warpwright/archive.db --form grpo --gamma 0.4 -o grpo.jsonl",
      export_rows);
  CLI::App& part = *verb.get_subcommand("export");
  add_rows_options(part, *flags);
  part.add_option("--form", flags->form, "sft, preferences or grpo [sft]")
      ->check(CLI::IsMember({"sft", "preferences", "grpo"}));
  add_reward_options(part, *flags);
  part.add_option("--gamma", flags->gamma, "grpo: what the next turn is worth to this one [0.4]");
  part.add_option("--branch", flags->branch,
                  "grpo: of several answers that refine one, their mean or the best [mean]")
      ->check(CLI::IsMember({"mean", "best"}));
  part.add_option("--margin", flags->preferences.margin,
                  "preferences: how far intervals of times must lie apart [0.05]");
  part.add_option("--per-prompt", flags->preferences.per_prompt,
                  "preferences: at most so many pairs of a prompt [4]");
  part.add_flag("--no-judge", flags->no_judge, "leave answers without a verdict out");
}

void add_rows_check(CLI::App& verb, Action& action) {
  const auto flags =
      add_part(verb, action, "check", "validate such files, and judge a sample of their rows again",
               "warpwright data check grpo.jsonl --sample 200", check);
  CLI::App& part = *verb.get_subcommand("check");
  part.add_option("files", flags->sources, "files that curate or export wrote")->required();
  part.add_option("--sample", flags->sample, "rows to judge again, or all [64]");
  part.add_option("--seed", flags->seed, "of the draw [1]");
  part.add_option("--tolerance", flags->tolerance,
                  "by which times may differ on the same device [0.25]");
  part.add_flag("--no-judge", flags->no_judge, "validate alone");
  part.add_flag("--json", flags->json, "as JSON (docs/data.md)");
}

}  // namespace

void add_data(CLI::App& verb, Action& action) {
  verb.require_subcommand(1);
  add_stats(verb, action);
  add_curate(verb, action);
  add_rows_export(verb, action);
  add_rows_check(verb, action);
}

}  // namespace warpwright::cli
