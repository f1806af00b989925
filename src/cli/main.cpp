// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/exit_codes.h"
#include "cli/verbs.h"
#include "cli/version.h"

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

int run_command_line(int argc, char** argv) {
  CLI::App app("Turns a description of a computation into a fast, proven CUDA kernel.");
  app.name("warpwright");
  app.set_version_flag("--version", version_text);
  app.require_subcommand(1);
  app.footer("Each verb has --help with an example. Start with: warpwright doctor");
  Action action;
  for (const auto& row : verbs()) {
    CLI::App* verb = app.add_subcommand(std::string(row.name), std::string(row.summary));
    verb->footer("Example:\n  " + std::string(row.example));
    if (row.hidden) verb->group("");
    row.add(*verb, action);
  }
  try {
    app.parse(argc, argv);
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
