// SPDX-License-Identifier: Apache-2.0
// show: a run, a trial or a task.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/files.h"
#include "cli/exit_codes.h"
#include "cli/options.h"
#include "cli/run_listing.h"
#include "cli/session.h"
#include "cli/summary.h"
#include "cli/task_named.h"
#include "cli/verbs.h"
#include "core/json_reader.h"
#include "core/task_json.h"
#include "report/archive_json.h"
#include "suite/load.h"

namespace warpwright::cli {

using nlohmann::json;

namespace {

struct ShowFlags {
  std::string archive;
  std::string name;
  std::string trial;
  bool json = false;
  bool prompt = false;
  bool reply = false;
};

std::string verdict_text(const store::TrialRecord& trial) {
  if (!trial.evaluation) return trial.reply ? "answered" : "open";
  std::string text(name_of(trial.evaluation->verdict));
  if (const auto score = score_us(*trial.evaluation)) text += fmt::format("  {:.3f} us", *score);
  if (const auto gain = speedup(*trial.evaluation)) text += fmt::format("  x{:.2f}", *gain);
  return text;
}

/// The trial whose source something was derived from: the best one where several have it.
std::string derived_from(const store::DerivedRecord& record, const store::RunRecord& run,
                         const std::vector<store::TrialRecord>& trials) {
  std::string name = "an earlier source";
  for (const auto& trial : trials) {
    if (trial.source_sha256 != record.source_sha256) continue;
    if (trial.prompt.trial == run.best_trial) return trial.prompt.trial;
    name = trial.prompt.trial;
  }
  return name;
}

void print_derived(const std::vector<store::DerivedRecord>& derived, const store::RunRecord& run,
                   const std::vector<store::TrialRecord>& trials) {
  for (const auto& record : derived) {
    std::printf("  machine code of %s: %s\n", derived_from(record, run, trials).c_str(),
                record.summary.c_str());
  }
}

void print_run(const store::RunRecord& run, const std::vector<store::TrialRecord>& trials) {
  std::printf(
      "Run %s: %s%s%s\n  task %s, strategy %s, model %s, device %s, started %s UTC, %.1f s\n",
      run.id.c_str(), std::string(name_of(run.status)).c_str(), run.ending.empty() ? "" : ", ",
      run.ending.c_str(), run.task.c_str(), run.strategy.c_str(), run.model.c_str(),
      run.device.c_str(), date_of(run.created_ms).c_str(),
      static_cast<double>(run.elapsed_ms) / 1e3);
  for (const auto& trial : trials) {
    std::printf("  %s %-14s %-16s %-14s %s\n", trial.prompt.trial == run.best_trial ? "*" : " ",
                trial.prompt.trial.c_str(), trial.prompt.kind.c_str(),
                trial.prompt.parent.empty() ? "" : ("<- " + trial.prompt.parent).c_str(),
                verdict_text(trial).c_str());
  }
}

Status print_trial(store::Archive& archive, const std::string& run, const store::TrialRecord& trial,
                   const ShowFlags& flags) {
  if (flags.prompt) {
    WW_TRY(const auto messages, archive.messages(run, trial.prompt.trial));
    for (const auto& message : messages) std::printf("%s\n", message.text.c_str());
    return {};
  }
  if (flags.reply) {
    if (!trial.reply) return Error{"trial '" + trial.prompt.trial + "' has no answer yet"};
    std::printf("%s\n", trial.reply->text.c_str());
    return {};
  }
  // Comments around the source: the whole output is a .cu file.
  std::printf("// trial %s of run %s: %s\n", trial.prompt.trial.c_str(), run.c_str(),
              verdict_text(trial).c_str());
  if (trial.evaluation && !trial.evaluation->reason.empty()) {
    std::printf("// %s\n", trial.evaluation->reason.c_str());
  }
  if (trial.candidate) std::printf("%s", trial.candidate->source.c_str());
  return {};
}

Result<int> show_run(store::Archive& archive, const store::RunRecord& run, const ShowFlags& flags) {
  WW_TRY(const auto trials, archive.trials(run.id));
  WW_TRY(const auto derived, archive.derived(run.id));
  if (flags.trial.empty()) {
    if (!flags.json) {
      print_run(run, trials);
      print_derived(derived, run, trials);
      return static_cast<int>(kOk);
    }
    json document = report::run_json(run);
    WW_TRY(const auto config, archive.config(run.id));
    for (const auto& value : config) {
      document["config"][value.key] = {{"value", value.value}, {"origin", value.origin}};
    }
    document["trials"] = json::array();
    for (const auto& trial : trials) document["trials"].push_back(report::trial_json(trial));
    document["derived"] = json::array();
    for (const auto& record : derived) document["derived"].push_back(report::derived_json(record));
    std::printf("%s\n", dump_json(document, 1).c_str());
    return static_cast<int>(kOk);
  }
  const std::string wanted = flags.trial == "best" ? run.best_trial : flags.trial;
  for (const auto& trial : trials) {
    if (trial.prompt.trial != wanted) continue;
    if (flags.json) {
      std::printf("%s\n", dump_json(report::trial_json(trial), 1).c_str());
    } else {
      WW_CHECK(print_trial(archive, run.id, trial, flags));
    }
    return static_cast<int>(kOk);
  }
  return Error{"run '" + run.id + "' has no trial '" + flags.trial + "'; 'warpwright show " +
               run.id + "' lists them"};
}

/// The task as a job carries it, and what the model is told of it.
Result<int> show_task_json(const Task& task) {
  json document = parse_json_or_discard(task_to_json(task));
  document["signature"] = signature_of(task);
  document["prompt"] = description_for_model(task);
  std::printf("%s\n", dump_json(document, 1).c_str());
  return static_cast<int>(kOk);
}

Result<int> show(const ShowFlags& flags) {
  const SystemClock clock;
  const auto path = archive_path(flags.archive);
  const auto there = path_exists(path);
  if (there.ok() && *there) {
    WW_TRY(const auto archive, store::Archive::open(path, clock));
    if (const auto run = archive->find_run(flags.name); run.ok()) {
      return show_run(*archive, *run, flags);
    }
  }
  auto task = suite::load_task(flags.name);
  // Without a compiler a task can still be read.
  if (auto counted = task; counted.ok()) {
    counted = with_counted_costs(*task);
    if (counted.ok()) task = std::move(counted);
  }
  if (!task.ok()) {
    if (!there.ok()) return there.error();
    return Error{"'" + flags.name + "' is neither a run of '" + path.string() +
                 "' nor a task: " + task.error().message};
  }
  if (flags.json) return show_task_json(*task);
  std::printf("%s: %s\n\n%s\n%s\n\nTimed sizes:", task->name.c_str(), task->title.c_str(),
              description_for_model(*task).c_str(), signature_of(*task).c_str());
  for (const auto& size : task->sizes) std::printf(" %s", size.label.c_str());
  std::printf("\n");
  return static_cast<int>(kOk);
}

template <class Work>
void set_action(CLI::App& verb, Action& action, std::shared_ptr<ShowFlags> flags, Work work) {
  verb.callback([flags, &action, work] {
    action = [flags, work] {
      const auto code = work(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace

void add_show(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<ShowFlags>();
  verb.add_option("name", flags->name, "a run (id, beginning of one, last) or a task")->required();
  verb.add_option("trial", flags->trial, "a trial of the run, or best: prints its source");
  verb.add_flag("--prompt", flags->prompt, "the trial's prompt instead of its source");
  verb.add_flag("--reply", flags->reply, "the model's whole answer instead of its source");
  verb.add_flag("--json", flags->json, "as JSON");
  add_archive_option(verb, flags->archive);
  set_action(verb, action, flags, show);
}

}  // namespace warpwright::cli
