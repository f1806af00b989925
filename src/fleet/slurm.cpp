// SPDX-License-Identifier: Apache-2.0
#include "fleet/slurm.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

#include "base/files.h"
#include "base/process.h"
#include "base/sha256.h"
#include "base/text.h"
#include "fleet/card.h"

namespace warpwright::fleet {

namespace {

using Steady = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kToolLimit{30'000};
constexpr std::chrono::seconds kLongestDelay{30};
// A pilot compiles for its GPU: one job alone does not keep it busy.
constexpr std::size_t kJobsPerPilot = 2;
// Sent so long before the time limit: more than a pilot's grace.
constexpr const char* kWarning = "--signal=B:TERM@60";
constexpr int kMaxPilots = 10'000;
constexpr double kLongestIdleSeconds = 24 * 3600.0;

struct TextOption {
  std::string_view key;
  std::string SlurmOptions::*field;
};
constexpr auto kTextOptions = std::to_array<TextOption>({
    {"partition", &SlurmOptions::partition},
    {"account", &SlurmOptions::account},
    {"qos", &SlurmOptions::qos},
    {"constraint", &SlurmOptions::constraint},
    {"gpu", &SlurmOptions::gpu},
    {"time", &SlurmOptions::time},
    {"mem", &SlurmOptions::memory},
    {"cpus", &SlurmOptions::cpus},
    {"program", &SlurmOptions::program},
    {"spool", &SlurmOptions::spool},
});

template <class Number>
bool read_number(std::string_view text, Number low, Number high, Number& into) {
  Number value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || !(value >= low && value <= high)) {
    return false;
  }
  into = value;
  return true;
}

Status set_option(SlurmOptions& options, std::string_view key, std::string_view value) {
  const std::string named = "--worker slurm: " + std::string(key);
  for (const auto& row : kTextOptions) {
    if (row.key != key) continue;
    options.*row.field = value;
    return {};
  }
  if (key == "pilots") {
    if (read_number(value, 1, kMaxPilots, options.pilots)) return {};
    return Error{named + " is '" + std::string(value) + "', but must be a number from 1 to 10000"};
  }
  if (key == "idle" || key == "stale") {
    double& seconds = key == "idle" ? options.idle_s : options.stale_s;
    if (read_number(value, 1.0, kLongestIdleSeconds, seconds)) return {};
    return Error{named + " is '" + std::string(value) + "', but must be seconds, 1 to 86400"};
  }
  std::string known;
  for (const auto& row : kTextOptions) known += std::string(row.key) + ", ";
  return Error{"--worker slurm: no option '" + std::string(key) + "'; there are: " + known +
               "pilots, idle and stale (docs/fleet.md)"};
}

/// What Slurm's programs and the pilots need; never a key.
Result<ProcessExit> run_tool(std::vector<std::string> argv) {
  Command command;
  command.argv = std::move(argv);
  command.env =
      environment_subset({"PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "SLURM_CONF", "CUDA_HOME",
                          "CUDA_PATH", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS"});
  command.env.emplace_back("LC_ALL=C.UTF-8");
  command.limits.wall = kToolLimit;
  return run_process(command);
}

std::string words_of(const ProcessExit& exit) {
  const std::string_view said = trimmed(exit.err);
  return said.empty() ? exit.describe() : shortened(clean_utf8(said), 500);
}

/// Words of a controller that is away, busy or being started; anything else is a refusal.
bool may_pass(const ProcessExit& exit) {
  if (exit.timed_out) return true;
  for (const char* words :
       {"contact slurm controller", "ontroller is", "imed out", "onnection refused", "Zero Bytes",
        "emporarily", "nable to establish", "onnect failure", "Communication", "backup mode",
        "rotocol authentication", "QOSMaxSubmitJob", "AssocMaxSubmitJob", "JobLimit", "munge"}) {
    if (exit.err.find(words) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

Result<SlurmOptions> slurm_options(std::string_view text, SlurmOptions options) {
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    if (item.empty()) continue;
    const auto equals = item.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return Error{"--worker slurm: '" + std::string(item) + "' is not KEY=VALUE"};
    }
    WW_CHECK(set_option(options, item.substr(0, equals), item.substr(equals + 1)));
  }
  return options;
}

int living_jobs(std::string_view listing) {
  int count = 0;
  for (const std::string_view line : lines_of(listing)) {
    const auto cut = line.find(' ');
    if (cut == std::string_view::npos) continue;
    const std::string_view state = trimmed(line.substr(cut));
    for (const char* alive :
         {"PENDING", "RUNNING", "CONFIGURING", "SUSPENDED", "REQUEUED", "REQUEUE_FED",
          "REQUEUE_HOLD", "RESIZING", "SIGNALING", "STAGE_OUT"}) {
      if (state == alive) ++count;
    }
  }
  return count;
}

std::string slurm_job_name(const Spool& spool) {
  return "warpwright-" + sha256_hex(spool.folder().string()).substr(0, 10);
}

std::vector<std::string> sbatch_arguments(const SlurmOptions& options, const Spool& spool,
                                          int count) {
  std::vector<std::string> argv = {"sbatch",
                                   "--parsable",
                                   "--job-name=" + slurm_job_name(spool),
                                   "--array=0-" + std::to_string(count - 1),
                                   "--ntasks=1",
                                   "--requeue",
                                   "--open-mode=append",
                                   kWarning,
                                   "--chdir=" + spool.folder().string(),
                                   "--output=" + (spool.logs() / "%A_%a.log").string()};
  if (options.gpu != "none") {
    argv.push_back("--gres=gpu:" + (options.gpu.empty() ? "1" : options.gpu + ":1"));
  }
  const auto add = [&](const char* flag, const std::string& value) {
    if (!value.empty()) argv.push_back(flag + value);
  };
  add("--partition=", options.partition);
  add("--account=", options.account);
  add("--qos=", options.qos);
  add("--constraint=", options.constraint);
  add("--time=", options.time);
  add("--mem=", options.memory);
  add("--cpus-per-task=", options.cpus);
  argv.insert(argv.end(), options.flags.begin(), options.flags.end());
  argv.push_back((spool.logs() / "pilot.sh").string());
  for (const auto& word : {options.program, std::string("pilot"), spool.folder().string(),
                           "--idle=" + std::to_string(static_cast<int>(options.idle_s))}) {
    argv.push_back(word);
  }
  argv.insert(argv.end(), options.pilot_flags.begin(), options.pilot_flags.end());
  return argv;
}

Result<std::shared_ptr<SlurmLauncher>> SlurmLauncher::create(const Spool& spool,
                                                             SlurmOptions options) {
  for (const char* tool : {"sbatch", "squeue"}) {
    if (!find_program(tool).ok()) {
      return Error{"--worker slurm: there is no " + std::string(tool) +
                   " here; run on a machine that submits to Slurm, or use --worker spool:DIR"};
    }
  }
  // Slurm runs a script; the pilot's words reach it as arguments, so that none is ever parsed.
  WW_CHECK(write_file(spool.logs() / "pilot.sh", "#!/bin/sh\nexec \"$@\"\n"));
  return std::shared_ptr<SlurmLauncher>(new SlurmLauncher(spool, std::move(options)));
}

void SlurmLauncher::postpone(const std::string& why) {
  if (delay_ == kLongestDelay / 2) {
    std::fprintf(stderr, "Slurm does not answer: %s; pilots that are there go on\n", why.c_str());
  }
  next_ = Steady::now() + delay_;
  delay_ = std::min(delay_ * 2, kLongestDelay);
}

Status SlurmLauncher::ask(int count) {
  WW_TRY(const ProcessExit exit, run_tool(sbatch_arguments(options_, spool_, count)));
  if (exit.succeeded()) {
    asked_ += count;
    fruitless_ += count;
    delay_ = std::chrono::seconds(1);
    return {};
  }
  if (may_pass(exit) || !pilots_of(spool_).empty()) {
    postpone(words_of(exit));
    return {};
  }
  return Error{"Slurm refuses a pilot: " + words_of(exit)};
}

Status SlurmLauncher::tend(std::size_t waiting, std::size_t judged) {
  if (judged > 0) fruitless_ = 0;
  if (waiting == 0 || Steady::now() < next_) return {};
  WW_TRY(const auto turn, FileLock::acquire(spool_.logs() / "launch.lock"));
  if (!turn) return {};  // another search asks right now
  WW_TRY(const ProcessExit exit, run_tool({"squeue", "--noheader", "--array",
                                           "--name=" + slurm_job_name(spool_), "--format=%i %T"}));
  if (!exit.succeeded()) {
    postpone(words_of(exit));
    return {};
  }
  const int alive = living_jobs(exit.out);
  const auto useful = static_cast<int>(std::min<std::size_t>(
      static_cast<std::size_t>(options_.pilots), (waiting + kJobsPerPilot - 1) / kJobsPerPilot));
  if (alive >= useful) return {};
  if (alive == 0 && fruitless_ >= 3 * options_.pilots + 3) {
    return Error{"pilots of Slurm end without a verdict; what they said is in '" +
                 spool_.logs().string() + "'"};
  }
  return ask(useful - alive);
}

}  // namespace warpwright::fleet
