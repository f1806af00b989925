// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>

#include "base/files.h"
#include "cli/exit_codes.h"
#include "cli/judging.h"
#include "cli/verbs.h"
#include "suite/load.h"

namespace warpwright::cli {

namespace {

struct ExplainFlags {
  std::string task, file, size;
  std::string target = "h200";
  std::string front_end = "auto";
  std::string engine = "auto";
  bool json = false, unsafe = false;
};

bool wants_colour() {
  const char* none = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) == 1 && (none == nullptr || *none == '\0');
}

Result<int> explain(const ExplainFlags& flags) {
  WW_TRY(const Task task, suite::load_task(flags.task));
  WW_TRY(const std::string source, read_file(flags.file, std::size_t{1} << 20));
  evaluate::JobRequest request = explain_request(task, source, flags.target, flags.size);
  WW_TRY(request.front_end, chosen<FrontEndChoice>(flags.front_end, "--front-end"));
  WW_TRY(request.engine, chosen<EngineChoice>(flags.engine, "--engine"));
  request.unsafe = flags.unsafe;
  StopSignal stop;
  const InterruptGuard interrupts(stop);
  WW_TRY(const auto explanation, explain_source(request, stop));
  const std::string text = flags.json ? evaluate::explanation_json(explanation) + "\n"
                                      : evaluate::explanation_text(explanation, wants_colour());
  std::fputs(text.c_str(), stdout);
  return static_cast<int>(explanation.clean() ? kOk : kBad);
}

}  // namespace

void add_explain(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<ExplainFlags>();
  verb.add_option("task", flags->task, "a built-in task's name or a task folder")->required();
  verb.add_option("file", flags->file, "the kernel: a .cu file with extern \"C\" void solve(...)")
      ->required();
  verb.add_option("--size", flags->size, "label of the size to run [the largest that fits]");
  verb.add_option("--device-target,--target", flags->target,
                  "described device that the estimate is for (warpwright devices) [h200]");
  verb.add_option("--front-end", flags->front_end, "auto, clang or nvcc [auto]");
  verb.add_option("--engine", flags->engine,
                  "auto, interpreted or compiled: all that is shown is the same [auto]");
  verb.add_flag("--json", flags->json, "everything as JSON (docs/formats.md)");
  verb.add_flag("--unsafe", flags->unsafe, "build and record without a sandbox where none works");
  verb.callback([flags, &action] {
    action = [flags] {
      const auto code = explain(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace warpwright::cli
