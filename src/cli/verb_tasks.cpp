// SPDX-License-Identifier: Apache-2.0
// Tasks of a user's own: `new`, also from a PyTorch module, and `tasks` with what it checks.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/files.h"
#include "cli/exit_codes.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "core/json_reader.h"
#include "suite/load.h"
#include "suite/scaffold.h"
#include "torch/check.h"
#include "torch/import.h"
#include "torch/lint.h"
#include "torch/reference.h"

namespace warpwright::cli {

namespace {

namespace fs = std::filesystem;

struct NewFlags {
  std::string name;
  std::string parent = ".";
  std::string torch;
  std::string shapes = "general";
  bool backward = false;
  bool stream = false;
  std::vector<std::string> rules;
  std::shared_ptr<SettingFlags> settings;
};

Result<fs::path> new_torch_task(const NewFlags& flags) {
  WW_TRY(const Settings settings, settings_from(*flags.settings));
  WW_TRY(auto file, torch::read_module_file(flags.torch, flags.backward));
  file.stream = flags.stream;
  file.rules = flags.rules;
  file.shapes = flags.shapes;
  file.python = settings.text("torch.python");
  WW_TRY(const auto sandbox, sandbox::Sandbox::open({.allow_none = settings.flag("judge.unsafe")}));
  StopSignal stop;
  const InterruptGuard interrupts(stop);
  WW_CHECK(suite::may_become_task(flags.name, flags.parent));
  WW_TRY(const auto toml, torch::describe_module(file, sandbox, &stop));
  return suite::write_torch_task(flags.name, flags.parent, toml, file.text);
}

int make_new(const NewFlags& flags) {
  if (flags.torch.empty() && flags.backward)
    return fail(Error{"--backward is for modules: name one with --torch FILE.py"});
  if (flags.torch.empty() && !flags.rules.empty())
    return fail(Error{"--rules is for modules; in a task of your own, write them to task.toml"});
  const auto folder =
      flags.torch.empty() ? suite::write_new_task(flags.name, flags.parent) : new_torch_task(flags);
  if (!folder.ok()) return fail(folder.error());
  if (!flags.torch.empty()) {
    std::printf(
        "Wrote %s with task.toml and reference.py. Try:\n"
        "  warpwright tasks check %s\n"
        "  warpwright eval %s KERNEL.cu\n"
        "docs/torch.md says what can be changed.\n",
        folder->c_str(), folder->c_str(), folder->c_str());
    return kOk;
  }
  std::printf(
      "Wrote %s with task.toml, baseline.cu and reference.cpp. They work as they are; try:\n"
      "  warpwright tasks check %s\n"
      "  warpwright eval %s %s/baseline.cu\n"
      "docs/tasks.md explains every line.\n",
      folder->c_str(), folder->c_str(), folder->c_str(), folder->c_str());
  return kOk;
}

Result<std::unique_ptr<verify::ExpectedSource>> open_reference(const Task& task,
                                                               const Settings& settings,
                                                               const fs::path& cache,
                                                               const StopSignal& stop) {
  if (task.torch.source.empty()) {
    WW_TRY(auto reference, verify::Reference::load(task, {.cache = cache}));
    return std::unique_ptr<verify::ExpectedSource>(
        std::make_unique<verify::Reference>(std::move(reference)));
  }
  WW_TRY(const auto sandbox, sandbox::Sandbox::open({.allow_none = settings.flag("judge.unsafe")}));
  WW_TRY(auto reference, torch::ModuleReference::open(task, sandbox, {.stop = &stop}));
  return std::unique_ptr<verify::ExpectedSource>(std::move(reference));
}

Result<int> check_task(const std::string& name, const SettingFlags& flags) {
  WW_TRY(const Settings settings, settings_from(flags));
  auto task = suite::load_task(name);
  if (!task.ok()) {
    std::error_code ignored;
    if (!fs::exists(fs::path(name) / "task.toml", ignored)) return task.error();
    std::printf("%s\n", task.error().message.c_str());
    return static_cast<int>(kBad);
  }
  if (task->torch.python.empty()) task->torch.python = settings.text("torch.python");
  StopSignal stop;
  const InterruptGuard interrupts(stop);
  WW_TRY(const auto cache, TemporaryDirectory::create("warpwright-check-"));
  WW_TRY(const auto reference, open_reference(*task, settings, cache.path(), stop));
  WW_TRY(const auto problems, torch::check_reference(*task, *reference));
  for (const std::string& problem : problems) std::printf("%s\n", problem.c_str());
  if (!problems.empty()) return static_cast<int>(kBad);
  std::printf("ok\n");
  return static_cast<int>(kOk);
}

void add_check(CLI::App& tasks, Action& action) {
  CLI::App* check = tasks.add_subcommand(
      "check", "run a task's reference in float64 at the smallest size: is it one?");
  check->footer("Example:\n  warpwright tasks check ./my_task");
  const auto folder = std::make_shared<std::string>();
  check->add_option("folder", *folder, "a task folder, or a built-in task's name")->required();
  const auto flags = add_setting_flags(*check, {"torch.", "judge.unsafe"});
  check->callback([folder, flags, &action] {
    action = [folder, flags]() -> int {
      const auto code = check_task(*folder, *flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

/// One task's report, or why there is none.
Result<torch::LintReport> lint_one(const std::string& name, const Settings& settings,
                                   const fs::path& cache, const StopSignal& stop) {
  WW_TRY(auto task, suite::load_task(name));
  if (task.torch.python.empty()) task.torch.python = settings.text("torch.python");
  if (!has_reference(task)) return Error{"it has no reference, so nothing can be computed"};
  WW_TRY(const auto reference, open_reference(task, settings, cache, stop));
  return torch::lint_task(task, *reference);
}

nlohmann::ordered_json lint_json(const std::string& name, const Result<torch::LintReport>& found) {
  nlohmann::ordered_json row = {{"task", name}};
  if (!found.ok()) {
    row["verdict"] = "refused";
    row["problems"] = {found.error().message};
    return row;
  }
  row["verdict"] = found->problems.empty() ? "ok" : "suspicious";
  row["problems"] = found->problems;
  row["size"] = found->size;
  row["largest"] = found->largest;
  row["spread"] = found->spread;
  row["seed_change"] = found->seed_change;
  for (const auto* list : {&found->arguments, &found->axes}) {
    auto& place = row[list == &found->axes ? "axes" : "arguments"];
    place = nlohmann::ordered_json::object();
    for (const auto& share : *list) place[share.what] = share.value;
  }
  return row;
}

void print_lint(const std::string& name, const Result<torch::LintReport>& found) {
  if (!found.ok()) {
    std::printf("%-24s refused: %s\n", name.c_str(), found.error().message.c_str());
    return;
  }
  std::printf("%-24s %-10s at %s: largest %.3g, deviation %.3g, change by seed %.3g\n",
              name.c_str(), found->problems.empty() ? "ok" : "suspicious", found->size.c_str(),
              found->largest, found->spread, found->seed_change);
  for (const auto& problem : found->problems) std::printf("    %s\n", problem.c_str());
}

Result<int> lint_tasks(std::vector<std::string> names, bool as_json, const SettingFlags& flags) {
  WW_TRY(const Settings settings, settings_from(flags));
  StopSignal stop;
  const InterruptGuard interrupts(stop);
  WW_TRY(const auto cache, TemporaryDirectory::create("warpwright-lint-"));
  if (names.empty()) names = suite::embedded_task_names();
  auto all = nlohmann::ordered_json::array();
  bool sound = true;
  for (const std::string& name : names) {
    if (stop.requested()) return Error{"stopped"};
    const auto found = lint_one(name, settings, cache.path(), stop);
    sound = sound && found.ok() && found->problems.empty();
    if (as_json)
      all.push_back(lint_json(name, found));
    else
      print_lint(name, found);
    std::fflush(stdout);
  }
  if (as_json) std::printf("%s\n", dump_json(all, 1).c_str());
  return static_cast<int>(sound ? kOk : kBad);
}

void add_lint(CLI::App& tasks, Action& action) {
  CLI::App* lint = tasks.add_subcommand(
      "lint", "do a task's outputs depend on all that they should? With numbers");
  lint->footer(
      "Examples:\n  warpwright tasks lint ./my_task\n  warpwright tasks lint --json   (all "
      "built-in "
      "tasks)");
  const auto names = std::make_shared<std::vector<std::string>>();
  const auto as_json = std::make_shared<bool>(false);
  lint->add_option("task", *names, "task folders or built-in tasks [all built-in ones]");
  lint->add_flag("--json", *as_json, "as JSON: one object per task");
  const auto flags = add_setting_flags(*lint, {"torch.", "judge.unsafe"});
  lint->callback([names, as_json, flags, &action] {
    action = [names, as_json, flags]() -> int {
      const auto code = lint_tasks(*names, *as_json, *flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace

void add_tasks(CLI::App& verb, Action& action) {
  add_task_list(verb, action);
  verb.require_subcommand(0, 1);
  add_check(verb, action);
  add_lint(verb, action);
}

void add_new(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<NewFlags>();
  verb.add_option("name", flags->name, "letters, digits and underscores")->required();
  verb.add_option("-o,--out", flags->parent, "folder to create it in [.]");
  verb.add_option("--torch", flags->torch,
                  "a Python file with a PyTorch module that becomes the task (docs/torch.md)");
  verb.add_flag("--backward", flags->backward, "the task is the module's gradients");
  verb.add_flag("--stream", flags->stream, "solve gets its caller's stream as a last parameter");
  add_rules_flag(verb, flags->rules);
  verb.add_option(
          "--shapes", flags->shapes,
          "general: kernels work at other shapes, too; fixed: at the file's alone [general]")
      ->check(CLI::IsMember({"general", "fixed"}));
  flags->settings = add_setting_flags(verb, {"torch.", "judge.unsafe"});
  verb.callback([flags, &action] { action = [flags] { return make_new(*flags); }; });
}

}  // namespace warpwright::cli
