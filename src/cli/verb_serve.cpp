// SPDX-License-Identifier: Apache-2.0
// serve: the live page of all runs, on loopback, and agents beside it.
#include <CLI/CLI.hpp>

#include "base/stop.h"
#include "cli/agents.h"
#include "cli/exit_codes.h"
#include "cli/fleet_judge.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/trace_service.h"
#include "cli/verbs.h"
#include "report/server.h"
#include "service/api.h"

namespace warpwright::cli {

namespace {

constexpr int kDefaultPort = 8420;
constexpr int kJudgeThreads = 128;  // most of them wait for verdicts

struct ServeFlags {
  std::string archive;
  std::vector<std::string> roots;
  int port = kDefaultPort;
  bool mcp = false;
  bool judge = false;
  std::string token_file;
  std::string spool;
  std::string ledger;
  std::string traces;
  bool no_token = false;
  double rate = 200;
  AgentFlags agents;
};

std::filesystem::path ledger_path(const ServeFlags& flags) {
  if (!flags.ledger.empty()) return flags.ledger;
  return archive_path(flags.archive).parent_path() / "judge.db";
}

Result<int> serve_pages(const ServeFlags& flags) {
  std::vector<std::filesystem::path> archives;
  // A root replaces the default archive, but not one that was asked for.
  if (flags.roots.empty() || !flags.archive.empty()) archives = {archive_path(flags.archive)};
  const std::vector<std::filesystem::path> roots(flags.roots.begin(), flags.roots.end());
  for (const auto& root : roots) {
    std::error_code code;
    if (!std::filesystem::is_directory(root, code)) {
      return Error{"--root '" + root.string() + "' is not a folder" +
                   (code ? ": " + code.message() : "")};
    }
  }
  const report::Library library(archives, roots);
  const SystemClock clock;
  StopSignal stop;
  const InterruptGuard guard(stop);
  const std::size_t count = library.entries().size();
  report::ServerOptions options{.port = flags.port};
  if (!flags.spool.empty()) {
    WW_CHECK(fleet::Spool::open(flags.spool));
    options.fleet = [folder = absolute_path(flags.spool)] { return fleet_for_page(folder); };
  }
  std::unique_ptr<AgentService> agents;
  Token token;
  std::unique_ptr<store::Ledger> ledger;
  std::unique_ptr<service::JudgeService> judge;
  std::unique_ptr<TraceService> traces;
  if (flags.mcp || flags.judge || !flags.traces.empty()) {
    WW_TRY(token, server_token(flags.token_file));
    WW_TRY(agents, AgentService::open(flags.agents, archive_path(flags.archive)));
    options.token = token.text;
  }
  if (flags.mcp) options.endpoints.push_back(agents->endpoint());
  if (flags.judge) {
    WW_TRY(ledger, store::Ledger::open(ledger_path(flags), clock));
    service::QueueOptions queue{.parallelism = agents->workshop().parallelism()};
    queue.ledger = ledger.get();
    judge = std::make_unique<service::JudgeService>(agents->workshop(), queue,
                                                    agents->workshop().manner());
    options.threads = kJudgeThreads;
    options.requests_per_s = flags.rate;
    for (auto& endpoint : judge->endpoints()) options.endpoints.push_back(std::move(endpoint));
  }
  if (!flags.traces.empty()) {
    const service::QueueOptions queue{.parallelism = agents->workshop().parallelism()};
    WW_TRY(traces,
           TraceService::open({.root = flags.traces, .open = flags.no_token, .queue = queue},
                              agents->workshop()));
    options.threads = kJudgeThreads;
    options.requests_per_s = flags.rate;
    for (auto& endpoint : traces->endpoints()) options.endpoints.push_back(std::move(endpoint));
  }
  options.on_listening = [&](int port) {
    if (count == 0) std::printf("No archive yet; runs will appear.\n");
    std::printf("http://127.0.0.1:%d/  (Ctrl-C ends)\n", port);
    if (flags.mcp) std::printf("http://127.0.0.1:%d/mcp for agents\n", port);
    if (flags.judge) std::printf("http://127.0.0.1:%d/v1/judge for trainers\n", port);
    if (traces) {
      std::printf("http://127.0.0.1:%d/definitions, /evaluate and /tasks%s\n", port,
                  flags.no_token ? ", for everybody on this machine" : "");
    }
    if (token.is_new) std::printf("Authorization: Bearer %s\n", token.text.c_str());
    std::fflush(stdout);
  };
  const Status served = report::serve(library, clock, stop, options);
  if (judge) judge->stop();
  if (traces) traces->stop();
  if (agents) agents->cancel_all();
  WW_CHECK(served);
  return static_cast<int>(kOk);
}

}  // namespace

void add_serve(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<ServeFlags>();
  verb.add_option("--port", flags->port, "port on 127.0.0.1, 0 for any [8420]")
      ->check(CLI::Range(0, 65535));
  verb.add_option("--root", flags->roots,
                  "folder below which all archives are shown; may be repeated");
  add_archive_option(verb, flags->archive);
  verb.add_option("--spool", flags->spool, "also show the fleet of this spool (docs/fleet.md)");
  verb.add_flag("--mcp", flags->mcp, "agents too, at /mcp (docs/agents.md)");
  verb.add_flag("--judge", flags->judge,
                "the judge as a reward function, at /v1/judge (docs/rewards.md)");
  verb.add_option("--traces", flags->traces,
                  "the judge in the words of `flashinfer-bench serve`, over this data set, problem "
                  "folder or definition (docs/rewards.md)");
  verb.add_flag("--no-token", flags->no_token,
                "with --traces: its addresses ask for no token; only this machine reaches them");
  verb.add_option(
      "--token-file", flags->token_file,
      "with --mcp or --judge: file with the token [$WARPWRIGHT_TOKEN, else a new one is shown]");
  verb.add_option("--ledger", flags->ledger,
                  "with --judge: file of questions and verdicts [judge.db beside the archive]");
  verb.add_option("--rate", flags->rate,
                  "with --mcp or --judge: requests a second before a 429, 0 for any [200]");
  add_agent_flags(verb, flags->agents);
  verb.callback([flags, &action] {
    action = [flags] {
      const auto code = serve_pages(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace warpwright::cli
