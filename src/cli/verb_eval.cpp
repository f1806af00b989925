// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/files.h"
#include "base/swept_folder.h"
#include "cli/exit_codes.h"
#include "cli/judging.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/stage_watch.h"
#include "cli/task_named.h"
#include "cli/verbs.h"
#include "cli/verdict_text.h"
#include "core/evaluation_json.h"
#include "suite/load.h"

namespace warpwright::cli {

namespace {

struct EvalFlags {
  std::string task;
  std::string file;
  bool json = false;
  bool no_baseline = false;
  bool watch = false;
  bool quiet = false;
  std::shared_ptr<SettingFlags> settings;
};

/// One judge for one kernel, or for each state of its file.
class Bench {
 public:
  Bench(const EvalFlags& flags, Task task, std::filesystem::path jobs,
        std::unique_ptr<evaluate::Evaluator> evaluator)
      : flags_(flags),
        task_(std::move(task)),
        jobs_(std::move(jobs)),
        evaluator_(std::move(evaluator)) {}

  Result<int> judge(const std::string& source, const StopSignal& stop) {
    Evaluation evaluation;
    {
      const StageWatch watch(jobs_, flags_.json || flags_.quiet);
      const bool alone = flags_.no_baseline || task_.baseline_source.empty();
      if (!alone && !baseline_) evaluator_->expect({"baseline", task_.baseline_source, true});
      WW_TRY(evaluation, judge_source(
                             *evaluator_, "candidate", source, stop,
                             alone ? BaselineJudge() : [&] { return baseline(stop); }));
    }
    if (flags_.json) {
      fmt::print("{}\n", evaluation_to_json(evaluation));
    } else {
      fmt::print("{}", evaluation_text(evaluation, Painter::standard_output()));
    }
    std::fflush(stdout);
    if (evaluation.verdict == Verdict::harness_error) return static_cast<int>(kFailed);
    return static_cast<int>(evaluation.valid() ? kOk : kBad);
  }

 private:
  /// The same for every state of the file: judged once.
  Result<Evaluation> baseline(const StopSignal& stop) {
    if (!baseline_) {
      WW_TRY(baseline_, judge_baseline(*evaluator_, task_, "baseline", stop));
    }
    return *baseline_;
  }

  const EvalFlags& flags_;
  Task task_;
  std::filesystem::path jobs_;
  std::unique_ptr<evaluate::Evaluator> evaluator_;
  std::optional<Evaluation> baseline_;
};

/// Judges the file now and whenever it has another content, until it is interrupted. Editors write
/// files in steps: what stays for two looks is judged.
Result<int> watch_file(const EvalFlags& flags, Bench& bench, const StopSignal& stop) {
  constexpr useconds_t kGlanceUs = 200'000;
  std::optional<std::string> judged;
  std::optional<std::string> before;
  int code = kOk;
  while (!stop.requested()) {
    const auto now = read_source(flags.file);
    const bool settled = now.ok() && before && *before == *now;
    before = now.ok() ? std::optional(*now) : std::nullopt;
    if (settled && judged != before) {
      judged = before;
      const auto done = bench.judge(*judged, stop);
      if (stop.requested()) break;
      if (!done.ok()) return done.error();
      code = *done;
      if (!flags.json) std::fprintf(stderr, "Waiting for a change of %s\n", flags.file.c_str());
    }
    ::usleep(kGlanceUs);
  }
  return judged ? code : static_cast<int>(kInterrupted);
}

Result<int> judge(const EvalFlags& flags) {
  WW_TRY(const Settings settings, settings_from(*flags.settings));
  WW_TRY(Task task, task_named(flags.task));
  if (flags.watch && flags.file == "-") return Error{"--watch needs a file, not standard input"};
  WW_TRY(const std::string source, read_source(flags.file));
  WW_TRY(auto pattern, job_pattern(settings, task));
  WW_TRY(const SweptFolder jobs, SweptFolder::create("warpwright-eval-"));
  WW_TRY(auto evaluator,
         make_evaluator(settings, {.jobs = jobs.path(), .pattern = std::move(pattern)}));
  Bench bench(flags, std::move(task), jobs.path(), std::move(evaluator));
  StopSignal stop;
  const InterruptGuard interrupts(stop);
  if (flags.watch) return watch_file(flags, bench, stop);
  return bench.judge(source, stop);
}

}  // namespace

void add_eval(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<EvalFlags>();
  verb.add_option("task", flags->task, "a built-in task's name or a task folder")->required();
  verb.add_option(
          "file", flags->file,
          "the kernel: a .cu file with extern \"C\" void solve(...), or - for standard input")
      ->required();
  verb.add_flag("--json", flags->json, "the whole result as JSON (docs/formats.md)");
  verb.add_flag("--no-baseline", flags->no_baseline, "do not time the baseline for comparison");
  verb.add_flag("--watch", flags->watch, "judge the file again whenever it changes, until Ctrl-C");
  verb.add_flag("-q,--quiet", flags->quiet, "do not tell the stages");
  flags->settings = add_setting_flags(verb, {"judge.", "torch."});
  verb.callback([flags, &action] {
    action = [flags] {
      const auto code = judge(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace warpwright::cli
