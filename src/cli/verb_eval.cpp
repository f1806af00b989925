// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "base/files.h"
#include "cli/exit_codes.h"
#include "cli/judging.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/summary.h"
#include "cli/verbs.h"
#include "core/evaluation_json.h"
#include "suite/load.h"

namespace warpwright::cli {

namespace {

struct EvalFlags {
  std::string task;
  std::string file;
  bool json = false;
  bool no_baseline = false;
  std::shared_ptr<SettingFlags> settings;
};

void print_result(const Evaluation& evaluation) {
  std::printf("%s at stage %s on %s%s%s\n", std::string(name_of(evaluation.verdict)).c_str(),
              std::string(name_of(evaluation.stage)).c_str(), evaluation.device.c_str(),
              evaluation.reason.empty() ? "" : ": ", evaluation.reason.c_str());
  if (!evaluation.valid()) std::printf("%s\n", evaluation.feedback.c_str());
  for (const auto& r : evaluation.resources) {
    std::printf("  kernel %s: %d registers, %d B spilled, %d B shared, occupancy %.0f %%\n",
                r.kernel.c_str(), r.registers, r.spill_store_bytes + r.spill_load_bytes,
                r.shared_bytes, r.occupancy * 100);
  }
  for (const auto& finding : evaluation.findings) {
    if (finding.line > 0) std::printf("  line %d:", finding.line);
    std::printf("%s%s: %s\n", finding.line > 0 ? " " : "  ",
                std::string(finding.kind.name()).c_str(), finding.message.c_str());
  }
  std::printf("%s", times_table(evaluation).c_str());
}

Result<int> judge(const EvalFlags& flags) {
  WW_TRY(const Settings settings, settings_from(*flags.settings));
  WW_TRY(const Task task, suite::load_task(flags.task));
  WW_TRY(const std::string source, read_file(flags.file, std::size_t{1} << 20));
  WW_TRY(const auto pattern, job_pattern(settings, task));
  WW_TRY(const auto jobs, TemporaryDirectory::create("warpwright-eval-"));
  WW_TRY(const auto evaluator, make_evaluator(settings, {.jobs = jobs.path(), .pattern = pattern}));
  StopSignal stop;
  const InterruptGuard interrupts(stop);
  const bool alone = flags.no_baseline || task.baseline_source.empty();
  const auto baseline = [&] { return judge_baseline(*evaluator, task, "baseline", stop); };
  WW_TRY(const Evaluation evaluation,
         judge_source(*evaluator, "candidate", source, stop, alone ? BaselineJudge() : baseline));
  if (flags.json) {
    std::printf("%s\n", evaluation_to_json(evaluation).c_str());
  } else {
    print_result(evaluation);
  }
  if (evaluation.verdict == Verdict::harness_error) return static_cast<int>(kFailed);
  return static_cast<int>(evaluation.valid() ? kOk : kBad);
}

}  // namespace

void add_eval(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<EvalFlags>();
  verb.add_option("task", flags->task, "a built-in task's name or a task folder")->required();
  verb.add_option("file", flags->file, "the kernel: a .cu file with extern \"C\" void solve(...)")
      ->required();
  verb.add_flag("--json", flags->json, "the whole result as JSON (docs/formats.md)");
  verb.add_flag("--no-baseline", flags->no_baseline, "do not time the baseline for comparison");
  flags->settings = add_setting_flags(verb, {"judge.", "torch."});
  verb.callback([flags, &action] {
    action = [flags] {
      const auto code = judge(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace warpwright::cli
