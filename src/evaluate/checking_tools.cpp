// SPDX-License-Identifier: Apache-2.0
#include "evaluate/checking_tools.h"

#include <array>
#include <chrono>
#include <cstdlib>

#include "base/files.h"
#include "base/process.h"
#include "base/text.h"
#include "evaluate/local_evaluator.h"
#include "evaluate/sanitizer_report.h"

namespace warpwright::evaluate {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::string_view, 4> kTools = {"memcheck", "racecheck", "initcheck",
                                                    "synccheck"};
constexpr std::size_t kLogBytes = std::size_t{8} << 20;
constexpr std::size_t kLastWords = 400;

using Clock = std::chrono::steady_clock;

std::vector<std::string> arguments_of(std::string_view tool, const fs::path& log) {
  std::vector<std::string> arguments = {"--tool",           std::string(tool), "--target-processes",
                                        "application-only", "--print-limit",   "50",
                                        "--log-file",       log.string()};
  if (tool == "racecheck") arguments.insert(arguments.end(), {"--racecheck-report", "analysis"});
  return arguments;
}

/// The GPU is locked by us, through a file in TMPDIR: the program shall not wait for it.
std::vector<std::string> environment_of(const WatchedReplay& replay) {
  std::vector<std::string> environment;
  for (std::string& entry : worker_environment()) {
    if (!entry.starts_with("TMPDIR=")) environment.push_back(std::move(entry));
  }
  environment.push_back("TMPDIR=" + replay.folder.string());
  return environment;
}

Result<std::vector<device::Fault>> run_one(const WatchedReplay& replay, std::string_view tool,
                                           const StopSignal& stop) {
  const std::string name = "compute-sanitizer's " + std::string(tool);
  const fs::path log = replay.folder / (std::string(tool) + ".log");
  WW_TRY(const WatchedRun run, run_watched(replay, arguments_of(tool, log), log, stop));
  if (run.exit.timed_out) return Error{name + " did not end in time"};
  const std::string ending = run.exit.describe() + last_words(run.exit);
  if (!run.log) return Error{name + " left no report: " + ending};
  SanitizerReport report = parse_sanitizer_report(*run.log, replay.source_file);
  if (!report.faults.empty()) return std::move(report.faults);
  if (!report.trouble.empty()) return Error{name + ": " + report.trouble};
  if (!report.complete || !run.exit.succeeded()) return Error{name + " did not finish: " + ending};
  return std::vector<device::Fault>{};
}

}  // namespace

std::optional<fs::path> find_cuda_tool(std::string_view name) {
  if (auto found = find_program(name); found.ok()) return *found;
  std::vector<fs::path> roots;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* root = std::getenv(variable); root != nullptr) roots.emplace_back(root);
  }
  roots.emplace_back("/usr/local/cuda");
  for (const fs::path& root : roots) {
    std::error_code ignored;
    const fs::path path = root / "bin" / name;
    if (fs::exists(path, ignored)) return path;
  }
  return std::nullopt;
}

std::string last_words(const ProcessExit& exit) {
  const std::string_view said = trimmed(exit.err.empty() ? exit.out : exit.err);
  if (said.empty()) return "";
  const std::size_t from = said.size() > kLastWords ? said.size() - kLastWords : 0;
  return "; it said: " + clean_utf8(said.substr(from));
}

Result<WatchedRun> run_watched(const WatchedReplay& replay, std::vector<std::string> arguments,
                               const fs::path& log, const StopSignal& stop) {
  WW_CHECK(make_directories(replay.folder));
  Command command;
  command.argv = {replay.tool.string()};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.argv.insert(command.argv.end(), replay.program.begin(), replay.program.end());
  command.env = environment_of(replay);
  command.limits.wall = std::chrono::milliseconds(static_cast<std::int64_t>(replay.limit_s * 1e3));
  WatchedRun run;
  WW_TRY(run.exit, run_process(command, &stop));
  if (run.exit.stopped) return Error{"stopped"};
  if (auto text = read_file(log, kLogBytes); text.ok()) run.log = std::move(text).value();
  return run;
}

Result<std::vector<device::Fault>> run_sanitizers(const WatchedReplay& replay,
                                                  const StopSignal& stop) {
  const auto end = Clock::now() + std::chrono::duration<double>(replay.limit_s);
  std::vector<device::Fault> unwritten;
  for (const std::string_view tool : kTools) {
    WatchedReplay one = replay;
    one.limit_s = std::chrono::duration<double>(end - Clock::now()).count();
    if (one.limit_s <= 0) return Error{"compute-sanitizer did not end in time"};
    WW_TRY(auto faults, run_one(one, tool, stop));
    if (faults.empty()) continue;
    if (tool != "initcheck") return faults;
    unwritten = std::move(faults);  // worth telling, but no verdict: go on
  }
  return unwritten;
}

}  // namespace warpwright::evaluate
