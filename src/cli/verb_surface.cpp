// SPDX-License-Identifier: Apache-2.0
// The verbs that print the manual page and completions.
#include <cstdio>

#include <CLI/CLI.hpp>

#include "cli/exit_codes.h"
#include "cli/surface.h"
#include "cli/verbs.h"
#include "cli/version.h"
#include "suite/load.h"

namespace warpwright::cli {

namespace {

int print_completions(const CLI::App& app, const std::string& shell) {
  const auto verbs = surface_of(app);
  const KnownWords words{suite::embedded_task_names()};
  std::string text;
  if (shell == "bash") text = bash_completions(verbs, words);
  if (shell == "zsh") text = zsh_completions(verbs, words);
  if (shell == "fish") text = fish_completions(verbs, words);
  if (text.empty()) return fail(Error{"'" + shell + "' is not known; bash, zsh and fish are"});
  std::fputs(text.c_str(), stdout);
  return kOk;
}

}  // namespace

void add_completions(CLI::App& verb, Action& action) {
  const auto shell = std::make_shared<std::string>();
  verb.add_option("shell", *shell, "bash, zsh or fish")->required();
  verb.callback([shell, &verb, &action] {
    action = [shell, &verb] { return print_completions(*verb.get_parent(), *shell); };
  });
}

void add_man(CLI::App& verb, Action& action) {
  verb.callback([&verb, &action] {
    action = [&verb] {
      std::fputs(manual_page(surface_of(*verb.get_parent()), program_version()).c_str(), stdout);
      return kOk;
    };
  });
}

}  // namespace warpwright::cli
