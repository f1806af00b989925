// SPDX-License-Identifier: Apache-2.0
// pilot: this machine's GPU for the jobs of a spool.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "cli/exit_codes.h"
#include "cli/verbs.h"
#include "fleet/pilot.h"

namespace warpwright::cli {

namespace {

struct PilotFlags {
  std::string spool;
  double idle_s = 0;
  double lifetime_s = 0;
  double grace_s = 20;
  double stale_s = 30;
  int at_once = 0;
  std::string gpu;
  std::string server;
};

/// "90", "90s", "15m", "2h". A worker on a bare host has no settings that could read it.
void add_duration(CLI::App& verb, const char* name, double& seconds, const char* help) {
  auto* option = verb.add_option_function<std::string>(
      name,
      [name, &seconds](const std::string& text) {
        char* end = nullptr;
        seconds = std::strtod(text.c_str(), &end);
        const std::string unit(end);
        const double scale = unit == "m" ? 60 : unit == "h" ? 3600 : 1;
        if (end == text.c_str() || !(seconds >= 0 && seconds < 1e9) ||
            (scale == 1 && !unit.empty() && unit != "s")) {
          throw CLI::ValidationError(name, "'" + text + "' is no time like 90s, 15m or 2h");
        }
        seconds *= scale;
      },
      help);
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

Result<int> fly(const PilotFlags& flags) {
  WW_TRY(const auto spool, fleet::Spool::create(flags.spool, {.stale_s = flags.stale_s}));
  fleet::PilotOptions options;
  std::istringstream words(flags.server);
  for (std::string word; words >> word;) options.server.push_back(word);
  if (options.server.empty()) options.server = {own_program(), "worker", "--serve"};
  options.gpu = flags.gpu.empty() ? fleet::visible_gpu() : flags.gpu;
  options.at_once = flags.at_once;
  options.idle_s = flags.idle_s;
  options.lifetime_s = flags.lifetime_s;
  options.grace_s = flags.grace_s;
  options.log = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
  StopSignal stop;
  const InterruptGuard interrupts(stop);
  WW_TRY(const auto end, fleet::run_pilot(spool, options, stop));
  std::printf("%lld judged, %lld given back, ended: %s\n", static_cast<long long>(end.judged),
              static_cast<long long>(end.given_back), end.why.c_str());
  return static_cast<int>(end.why == "lost" ? kFailed : end.why == "stopped" ? kInterrupted : kOk);
}

}  // namespace

void add_pilot(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<PilotFlags>();
  verb.add_option("spool", flags->spool,
                  "folder that the searches use, too; made if it is not there")
      ->required();
  add_duration(verb, "--idle", flags->idle_s,
               "end after so long without a job: 60s, 10m, 2h [never]");
  add_duration(verb, "--lifetime", flags->lifetime_s, "take no job after that, and end [never]");
  verb.add_option("--grace", flags->grace_s,
                  "after SIGTERM: seconds for jobs that are nearly done [20]")
      ->check(CLI::Range(0.0, 86400.0));
  verb.add_option("--at-once", flags->at_once, "jobs at a time [one more than cores]")
      ->check(CLI::Range(1, 1000));
  verb.add_option("--stale", flags->stale_s,
                  "of a new spool: seconds without a heartbeat after which a pilot is dead [30]")
      ->check(CLI::Range(0.5, 86400.0));
  verb.add_option("--gpu", flags->gpu, "the GPU's model, instead of asking it")->group("");
  verb.add_option("--server", flags->server,
                  "program (split at spaces) instead of 'worker --serve'")
      ->group("");
  verb.callback([flags, &action] {
    action = [flags] {
      const auto code = fly(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace warpwright::cli
