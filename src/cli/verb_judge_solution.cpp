// SPDX-License-Identifier: Apache-2.0
// A CUDA solution in the FlashInfer Trace form, judged by us.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/files.h"
#include "cli/exit_codes.h"
#include "cli/judging.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/summary.h"
#include "cli/task_named.h"
#include "cli/verbs.h"
#include "exchange/trace_solution.h"
#include "suite/load.h"
#include "suite/scaffold.h"
#include "torch/import.h"
#include "torch/trace.h"

namespace warpwright::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostSolution = std::size_t{4} << 20;

struct SolutionFlags {
  std::string file;
  std::string definition;
  std::string task;
  bool json = false;
  bool source = false;
  std::shared_ptr<SettingFlags> settings;
};

/// Where definitions may lie: as named, else beside the file and in the data set around it.
std::vector<fs::path> places_of(const SolutionFlags& flags) {
  if (!flags.definition.empty()) return {flags.definition};
  std::vector<fs::path> places;
  std::error_code code;
  for (auto folder = fs::absolute(flags.file, code).parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (fs::exists(folder / "definition.json", code)) places.push_back(folder / "definition.json");
    if (fs::is_directory(folder / "definitions", code)) places.push_back(folder / "definitions");
  }
  if (const char* root = std::getenv("FIB_DATASET_PATH"); root != nullptr)
    places.emplace_back(root);
  return places;
}

Result<torch::TraceDefinition> find_definition(const SolutionFlags& flags,
                                               const std::string& name) {
  for (const fs::path& place : places_of(flags)) {
    WW_TRY(const auto definitions, torch::find_definitions(place));
    for (const auto& definition : definitions)
      if (definition.name == name) return definition;
  }
  return Error{
      fmt::format("the definition '{}' is not there: name its file, problem or data set with "
                  "--definition, or a task folder with --task",
                  name)};
}

Result<Task> task_for(const SolutionFlags& flags, const Settings& settings, const std::string& name,
                      const fs::path& folder, const StopSignal& stop) {
  if (!flags.task.empty()) return task_named(flags.task);
  WW_TRY(const auto definition, find_definition(flags, name));
  WW_TRY(auto module, torch::module_of(definition));
  module.python = settings.text("torch.python");
  WW_TRY(const auto sandbox, sandbox::Sandbox::open({.allow_none = settings.flag("judge.unsafe")}));
  WW_TRY(const auto toml, torch::describe_module(module, sandbox, &stop));
  WW_TRY(const auto written, suite::write_torch_task("definition", folder, toml, module.text));
  return suite::load_task_folder(written);
}

void print_verdict(const Task& task, const Evaluation& evaluation, const SolutionFlags& flags,
                   const std::string& name) {
  if (flags.json) {
    std::printf("%s", exchange::trace_lines(task, evaluation, name, true).c_str());
    return;
  }
  std::printf("%s (%s) at stage %s on %s%s%s\n",
              std::string(exchange::trace_status(evaluation.verdict, true)).c_str(),
              std::string(name_of(evaluation.verdict)).c_str(),
              std::string(name_of(evaluation.stage)).c_str(), evaluation.device.c_str(),
              evaluation.reason.empty() ? "" : ": ", evaluation.reason.c_str());
  if (!evaluation.valid()) std::printf("%s\n", evaluation.feedback.c_str());
  std::printf("%s", times_table(evaluation).c_str());
}

Result<int> judge_solution(const SolutionFlags& flags) {
  WW_TRY(const Settings settings, settings_from(*flags.settings));
  WW_TRY(const std::string text, read_file(flags.file, kMostSolution));
  WW_TRY(const auto solution, exchange::read_solution(text));
  StopSignal stop;
  const InterruptGuard interrupts(stop);
  WW_TRY(const auto folder, TemporaryDirectory::create("warpwright-solution-"));
  WW_TRY(Task task, task_for(flags, settings, solution.definition, folder.path(), stop));
  task.stream = true;  // work that its caller does not wait for is wrong
  WW_TRY(const std::string source, exchange::source_of(solution, task));
  if (flags.source) {
    std::printf("%s", source.c_str());
    return static_cast<int>(kOk);
  }
  WW_TRY(const auto pattern, job_pattern(settings, task));
  WW_TRY(const auto evaluator,
         make_evaluator(settings, {.jobs = folder.path() / "jobs", .pattern = pattern}));
  WW_CHECK(make_directories(folder.path() / "jobs"));
  WW_TRY(const Evaluation evaluation,
         judge_source(*evaluator, "candidate", source, stop, BaselineJudge()));
  print_verdict(task, evaluation, flags, solution.name);
  if (evaluation.verdict == Verdict::harness_error) return static_cast<int>(kFailed);
  return static_cast<int>(evaluation.valid() ? kOk : kBad);
}

}  // namespace

void add_judge_solution(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<SolutionFlags>();
  verb.add_option("file", flags->file, "a Solution: JSON of FlashInfer-Bench or SOL-ExecBench")
      ->required();
  verb.add_option("--definition", flags->definition,
                  "its definition: a file, a problem folder or a data set [around the file]");
  verb.add_option("--task", flags->task, "or a task folder that was imported from it");
  verb.add_flag("--json", flags->json, "Traces, one line per size");
  verb.add_flag("--source", flags->source, "print the source that would be judged");
  flags->settings = add_setting_flags(verb, {"judge.", "torch."});
  verb.callback([flags, &action] {
    action = [flags] {
      const auto code = judge_solution(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace warpwright::cli
