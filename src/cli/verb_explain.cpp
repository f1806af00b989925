// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "base/files.h"
#include "cli/exit_codes.h"
#include "cli/judging.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/task_named.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "suite/load.h"

namespace warpwright::cli {

namespace {

struct ExplainFlags {
  std::string task, file;
  std::string engine = "auto";
  bool json = false;
  std::shared_ptr<SettingFlags> settings;
};

Result<int> explain(const ExplainFlags& flags) {
  WW_TRY(const Settings settings, settings_from(*flags.settings));
  WW_TRY(const Task task, task_named(flags.task));
  WW_TRY(const std::string source, read_source(flags.file));
  WW_TRY(const evaluate::JobRequest pattern, job_pattern(settings, task));
  if (pattern.sizes.size() > 1) return Error{"--sizes: explain runs one size; name one"};
  evaluate::JobRequest request = explain_request(
      pattern.task, source, pattern.target, pattern.sizes.empty() ? "" : pattern.sizes.front());
  request.front_end = pattern.front_end;
  request.unsafe = pattern.unsafe;
  WW_TRY(request.engine, chosen<EngineChoice>(flags.engine, "--engine"));
  StopSignal stop;
  const InterruptGuard interrupts(stop);
  WW_TRY(const auto explanation, explain_source(request, stop));
  const std::string text =
      flags.json ? evaluate::explanation_json(explanation) + "\n"
                 : evaluate::explanation_text(explanation, wants_colour(STDOUT_FILENO));
  std::fputs(text.c_str(), stdout);
  return static_cast<int>(explanation.clean() ? kOk : kBad);
}

}  // namespace

void add_explain(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<ExplainFlags>();
  verb.add_option("task", flags->task, "a built-in task's name or a task folder")->required();
  verb.add_option("file", flags->file, "the kernel: a .cu file with extern \"C\" void solve(...)")
      ->required();
  verb.add_option("--engine", flags->engine,
                  "auto, interpreted or compiled: all that is shown is the same [auto]");
  verb.add_flag("--json", flags->json, "everything as JSON (docs/formats.md)");
  flags->settings = add_setting_flags(
      verb, {"judge.target", "judge.sizes", "judge.front_end", "judge.unsafe", "torch."});
  verb.callback([flags, &action] {
    action = [flags] {
      const auto code = explain(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace warpwright::cli
