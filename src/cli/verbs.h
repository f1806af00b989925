// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace CLI {
class App;
}

namespace warpwright::cli {

/// What the parsed command line asks for; returns the exit code.
using Action = std::function<int()>;

/// Declares one verb's options on its subcommand and, when it was chosen, sets the action.
using AddVerb = void (*)(CLI::App& verb, Action& action);

struct VerbRow {
  std::string_view name;
  std::string_view summary;
  std::string_view example;
  AddVerb add;
  bool hidden = false;
};

std::span<const VerbRow> verbs();

void add_run(CLI::App& verb, Action& action);
void add_resume(CLI::App& verb, Action& action);
void add_ask(CLI::App& verb, Action& action);
void add_tell(CLI::App& verb, Action& action);
void add_runs(CLI::App& verb, Action& action);
void add_scaling(CLI::App& runs, Action& action);  ///< of `runs`
void add_show(CLI::App& verb, Action& action);
void add_export(CLI::App& verb, Action& action);
void add_report(CLI::App& verb, Action& action);
void add_campaign(CLI::App& verb, Action& action);
void add_fleet(CLI::App& verb, Action& action);
void add_data(CLI::App& verb, Action& action);
void add_serve(CLI::App& verb, Action& action);
void add_mcp(CLI::App& verb, Action& action);
void add_tasks(CLI::App& verb, Action& action);
void add_task_list(CLI::App& verb, Action& action);  ///< `tasks` without more
void add_new(CLI::App& verb, Action& action);
void add_import(CLI::App& verb, Action& action);
void add_prompt(CLI::App& verb, Action& action);
void add_models(CLI::App& verb, Action& action);
void add_strategies(CLI::App& verb, Action& action);
void add_devices(CLI::App& verb, Action& action);
void add_verifiers(CLI::App& verb, Action& action);
void add_eval(CLI::App& verb, Action& action);
void add_judge_solution(CLI::App& verb, Action& action);
void add_explain(CLI::App& verb, Action& action);
void add_simt(CLI::App& verb, Action& action);
void add_flops(CLI::App& verb, Action& action);
void add_port(CLI::App& verb, Action& action);
void add_compare(CLI::App& verb, Action& action);
void add_tune(CLI::App& verb, Action& action);
void add_merge(CLI::App& verb, Action& action);
void add_bench(CLI::App& verb, Action& action);
void add_pack(CLI::App& verb, Action& action);
void add_sass(CLI::App& verb, Action& action);
void add_worker(CLI::App& verb, Action& action);
void add_pilot(CLI::App& verb, Action& action);
void add_doctor(CLI::App& verb, Action& action);
void add_completions(CLI::App& verb, Action& action);
void add_man(CLI::App& verb, Action& action);
void add_courier(CLI::App& verb, Action& action);

/// Prints "warpwright: MESSAGE" on standard error; the exit code of a failed command.
int fail(const Error& error);

/// This program, for the worker and courier processes it starts.
std::string own_program();

}  // namespace warpwright::cli
