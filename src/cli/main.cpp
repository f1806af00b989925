// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/exit_codes.h"
#include "cli/verbs.h"
#include "cli/version.h"
#include "core/closest.h"

namespace warpwright::cli {

int fail(const Error& error) {
  std::fprintf(stderr, "warpwright: %s\n", error.message.c_str());
  return kFailed;
}

std::string own_program() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).string();
}

namespace {

std::vector<std::string_view> verb_names() {
  std::vector<std::string_view> names;
  for (const auto& row : verbs()) {
    if (!row.hidden) names.push_back(row.name);
  }
  return names;
}

bool is_verb(std::string_view word) {
  const auto rows = verbs();
  return std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return row.name == word; });
}

/// `help` is --help, and `help VERB` is VERB --help.
std::vector<std::string> asked_for(int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (words.empty() || words[0] != "help") return words;
  words.erase(words.begin());
  if (std::find(words.begin(), words.end(), "--help") == words.end()) words.emplace_back("--help");
  return words;
}

/// The first word that is no option of any verb, with the one that may have been meant.
std::string suggestion(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* verb = &app;
  for (const auto* chosen : app.get_subcommands()) verb = chosen;
  std::vector<std::string> known;
  for (const auto* option : verb->get_options()) {
    for (const auto& name : option->get_lnames()) known.push_back("--" + name);
  }
  const std::vector<std::string_view> names(known.begin(), known.end());
  for (const auto& word : words) {
    const std::string name = word.substr(0, word.find('='));
    if (!name.starts_with("--") || std::find(known.begin(), known.end(), name) != known.end()) {
      continue;
    }
    return did_you_mean(name, names);
  }
  return {};
}

int run_command_line(int argc, char** argv) {
  CLI::App app("Turns a description of a computation into a fast, proven CUDA kernel.");
  app.name("warpwright");
  app.set_version_flag("--version", version_text);
  app.require_subcommand(1);
  app.footer(
      "warpwright help VERB prints its options with an example. Start with: warpwright doctor");
  Action action;
  for (const auto& row : verbs()) {
    CLI::App* verb = app.add_subcommand(std::string(row.name), std::string(row.summary));
    verb->footer("Example:\n  " + std::string(row.example));
    if (row.hidden) verb->group("");
    row.add(*verb, action);
  }
  const std::vector<std::string> words = asked_for(argc, argv);
  if (!words.empty() && !words[0].starts_with("-") && !is_verb(words[0])) {
    return fail(Error{"unknown verb '" + words[0] + "'" + did_you_mean(words[0], verb_names()) +
                      "; 'warpwright --help' lists them"});
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ExtrasError& error) {
    return fail(Error{error.what() + suggestion(app, words)});
  } catch (const CLI::ParseError& error) {
    // The library's own codes say nothing to a script; help and version are successes.
    return app.exit(error) == 0 ? kOk : kFailed;
  }
  try {
    return action();
  } catch (const std::exception& error) {
    // Not ours: a library's that nobody caught, such as memory that ran out. What was committed is
    // stored all the same.
    return fail(Error{std::string("an error that was not foreseen: ") + error.what() +
                      "; nothing that was stored is lost"});
  }
}

}  // namespace
}  // namespace warpwright::cli

int main(int argc, char** argv) {
  // A file-size limit shall be an error that we report, not a death in the middle of a write.
  std::signal(SIGXFSZ, SIG_IGN);
  return warpwright::cli::run_command_line(argc, argv);
}
