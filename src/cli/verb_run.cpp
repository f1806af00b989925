// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"
#include "cli/exit_codes.h"
#include "cli/no_model.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/task_named.h"
#include "cli/verbs.h"
#include "core/task_json.h"
#include "suite/load.h"

namespace warpwright::cli {

namespace {

struct RunFlags {
  std::string task;
  std::string run;
  std::string archive;
  std::string baseline;
  bool json = false;
  bool quiet = false;
  bool wait = false;
  std::shared_ptr<SettingFlags> settings;
};

ProgressMode mode_of(const RunFlags& flags) {
  if (flags.json) return ProgressMode::json;
  return flags.quiet ? ProgressMode::quiet : ProgressMode::automatic;
}

void add_common(CLI::App& verb, RunFlags& flags) {
  add_archive_option(verb, flags.archive);
  verb.add_flag("--json", flags.json, "one JSON object per event on standard output");
  verb.add_flag("-q,--quiet", flags.quiet, "no progress, only the result");
  verb.add_flag("--wait", flags.wait, "with the inbox: stay and go on as answers arrive");
  flags.settings = add_setting_flags(verb, {"search.", "limits.", "model.", "judge."});
}

void announce_mailbox(const Settings& settings, const RunFlags& flags) {
  const auto folder = mailbox_folder(settings);
  if (folder.empty() || mode_of(flags) != ProgressMode::automatic) return;
  const std::string pending = (folder / "pending" / "*").string();
  std::fprintf(stderr, "Jobs wait in %s; on the GPU host: warpwright worker %s (docs/judge.md)\n",
               pending.c_str(), pending.c_str());
}

/// Better now than in the summary, when it is spent.
void warn_of_price(const CheckedSettings& checked, const Settings& settings,
                   const RunFlags& flags) {
  if (checked.price_known || flags.quiet) return;
  std::fprintf(stderr,
               "The price of '%s' is not known: what the service does not state itself is reported "
               "as unknown (docs/models.md, [prices]).\n",
               settings.text("model.spec").c_str());
}

/// With --wait, open questions do not end the process: it goes on as answers arrive.
Result<int> work_until_done(store::Archive& archive, const std::string& id, const HeldRun& held,
                            const Task& task, const Settings& settings, const RunFlags& flags,
                            const Clock& clock) {
  announce_mailbox(settings, flags);
  for (;;) {
    // Counted before the engine looks: an answer that arrives behind its back is not missed.
    WW_TRY(const int answers, archive.answer_count(id));
    WW_TRY(const auto run, archive.find_run(id));
    const int code =
        work_on_run(archive, run, held, task, settings, {mode_of(flags), flags.wait}, clock);
    if (code != kWaiting || !flags.wait) return code;
    for (int now = answers; now == answers;) {
      ::usleep(300'000);
      WW_TRY(now, archive.answer_count(id));
    }
  }
}

Result<std::string> own_kernel(const std::string& path) {
  WW_TRY(std::string source, read_file(path, kMaxGivenBytes));
  if (trimmed(source).empty()) return Error{"'" + path + "' is empty"};
  return source;
}

/// The task with the user's kernel in the place of its baseline. A kernel to begin with stands in
/// where there is none, so that there are speed-ups.
Status set_baseline(const RunFlags& flags, const std::string& from, Task& task) {
  if (!flags.baseline.empty()) {
    if (!has_reference(task)) {
      return Error{"--baseline: the task '" + task.name +
                   "' has no reference; its own baseline is what results are held against"};
    }
    WW_TRY(task.baseline_source, own_kernel(flags.baseline));
  } else if (task.baseline_source.empty()) {
    task.baseline_source = from;
  }
  return {};
}

Result<int> start(const RunFlags& flags) {
  WW_TRY(const Settings settings, settings_from(*flags.settings));
  WW_TRY(Task task, task_named(flags.task));
  std::string from;
  if (const auto& path = settings.text("search.from"); !path.empty()) {
    WW_TRY(from, own_kernel(path));
  }
  WW_CHECK(set_baseline(flags, from, task));
  if (settings.text("model.spec").empty()) {
    return Error{no_model_text(flags.task, own_program())};
  }
  WW_TRY(const auto checked, check_settings(settings, task));
  const SystemClock clock;
  WW_TRY(const auto archive, store::Archive::open(archive_path(flags.archive), clock));
  store::RunRecord run;
  run.task = task.name;
  run.task_json = task_to_json(task);
  describe(run, settings);
  WW_TRY(const std::string id, archive->create_run(run, settings.all()));
  if (mode_of(flags) == ProgressMode::automatic) {
    std::fprintf(stderr, "Run %s: task %s, model %s, strategy %s\n", id.c_str(), task.name.c_str(),
                 run.model.c_str(), run.strategy.c_str());
  }
  warn_of_price(checked, settings, flags);
  WW_TRY(run, archive->find_run(id));
  WW_TRY(const HeldRun held, hold_run(*archive, run));
  if (!from.empty()) WW_CHECK(write_file(given_kernel(held.folder), from));
  return work_until_done(*archive, id, held, task, settings, flags, clock);
}

Result<int> go_on(const RunFlags& flags) {
  const SystemClock clock;
  WW_TRY(const auto archive, existing_archive(flags.archive, clock));
  WW_TRY(auto run, archive->find_run(flags.run));
  if (run.task.starts_with("port:"))
    return Error{"run '" + run.id + "' mends a port: go on with 'warpwright port ... --resume " +
                 run.id + "' and the arguments it began with"};
  // First of all: whoever else works on the run may be changing its settings.
  WW_TRY(const HeldRun held, hold_run(*archive, run));
  WW_TRY(const auto stored, archive->config(run.id));
  WW_TRY(const Settings settings, settings_from(stored, *flags.settings));
  WW_TRY(const Task task, task_from_json(run.task_json));
  WW_TRY(const auto checked, check_settings(settings, task));
  warn_of_price(checked, settings, flags);
  describe(run, settings);
  WW_CHECK(archive->restate_run(run, settings.all()));
  return work_until_done(*archive, run.id, held, task, settings, flags, clock);
}

}  // namespace

void add_run(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<RunFlags>();
  verb.add_option("task", flags->task, "a built-in task's name or a task folder")->required();
  verb.add_option("--baseline", flags->baseline,
                  "a kernel of your own that speed-ups are held against [the task's]");
  add_common(verb, *flags);
  verb.callback([flags, &action] {
    action = [flags] {
      const auto code = start(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

void add_resume(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<RunFlags>();
  verb.add_option("run", flags->run, "a run's id, its beginning, or last")->required();
  add_common(verb, *flags);
  verb.callback([flags, &action] {
    action = [flags] {
      const auto code = go_on(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace warpwright::cli
