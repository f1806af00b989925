// SPDX-License-Identifier: Apache-2.0
// mcp: the tools of this program for a coding agent.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include <CLI/CLI.hpp>

#include "cli/agents.h"
#include "cli/exit_codes.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "mcp/stdio.h"
#include "report/server.h"

namespace warpwright::cli {

namespace {

struct McpFlags {
  std::string archive;
  std::string token_file;
  int port = -1;  ///< over HTTP; negative: standard input and output
  AgentFlags agents;
};

/// Standard output is the protocol's alone: whatever else would print there goes to standard error.
Result<FileDescriptor> take_standard_output() {
  FileDescriptor out(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  if (!out.valid() || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    return Error{"standard output cannot be taken over"};
  }
  return out;
}

Status serve_over_http(const McpFlags& flags, AgentService& agents, const StopSignal& stop) {
  WW_TRY(const Token token, server_token(flags.token_file));
  const report::Library nothing({}, {});
  const SystemClock clock;
  report::ServerOptions options{.port = flags.port, .pages = false};
  options.endpoints.push_back(agents.endpoint());
  options.token = token.text;
  options.on_listening = [&](int port) {
    std::printf("http://127.0.0.1:%d/mcp  (Ctrl-C ends)\n", port);
    if (token.is_new) std::printf("Authorization: Bearer %s\n", token.text.c_str());
    std::fflush(stdout);
  };
  return report::serve(nothing, clock, stop, options);
}

Result<int> serve_clients(const McpFlags& flags) {
  WW_TRY(const auto agents, AgentService::open(flags.agents, archive_path(flags.archive)));
  std::signal(SIGPIPE, SIG_IGN);
  StopSignal stop;
  const InterruptGuard interrupts(stop);
  if (flags.port >= 0) {
    WW_CHECK(serve_over_http(flags, *agents, stop));
  } else {
    WW_TRY(const FileDescriptor out, take_standard_output());
    WW_CHECK(mcp::serve_lines(agents->server(), STDIN_FILENO, out.get(), stop));
  }
  agents->cancel_all();
  return static_cast<int>(kOk);
}

}  // namespace

void add_mcp(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<McpFlags>();
  verb.add_option("--http", flags->port,
                  "serve http://127.0.0.1:PORT/mcp instead, 0 for any port [standard input]")
      ->check(CLI::Range(0, 65535));
  verb.add_option("--token-file", flags->token_file,
                  "with --http: file with the token [$WARPWRIGHT_TOKEN, else a new one is shown]");
  add_archive_option(verb, flags->archive);
  add_agent_flags(verb, flags->agents);
  verb.callback([flags, &action] {
    action = [flags] {
      const auto code = serve_clients(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace warpwright::cli
