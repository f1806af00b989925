// SPDX-License-Identifier: Apache-2.0
#include "evaluate/local_evaluator.h"

#include <fmt/format.h>

#include "base/process.h"
#include "base/text.h"
#include "evaluate/runner_pool.h"
#include "evaluate/worker_client.h"

namespace warpwright::evaluate {

namespace {

// The worker ends a judgement itself at limit_s; this is for a program that never started one: the
// candidate is not to blame for a queue.
constexpr double kGraceSeconds = 15;
constexpr std::size_t kKeptStderrBytes = 2000;

std::string why_no_result(const ProcessExit& exit) {
  std::string why = "the worker ended without a result: " + exit.describe();
  const std::string_view said = trimmed(exit.err);
  if (!said.empty()) {
    const std::size_t from = said.size() > kKeptStderrBytes ? said.size() - kKeptStderrBytes : 0;
    why += "; it said: " + clean_utf8(said.substr(from));
  }
  return why;
}

}  // namespace

std::vector<std::string> worker_environment() {
  auto environment =
      environment_subset({"PATH", "TMPDIR", "CUDA_HOME", "CUDA_PATH", "CUDA_VISIBLE_DEVICES",
                          "LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS"});
  environment.emplace_back("LC_ALL=C.UTF-8");
  return environment;
}

LocalEvaluator::LocalEvaluator(LocalOptions options) : options_(std::move(options)) {
  server_ = options_.shared_server;
  if (!server_ && !options_.server.empty()) {
    server_ = std::make_shared<WorkerClient>(options_.server);
  }
}

LocalEvaluator::~LocalEvaluator() = default;

/// Absent: the result is in the folder.
Result<std::optional<Evaluation>> LocalEvaluator::run_worker(const JobDirectory& job,
                                                             const JobRequest& request,
                                                             const StopSignal& stop) {
  Command command;
  command.argv = options_.worker;
  command.argv.push_back(job.path().string());
  command.env = worker_environment();
  const double limit_s = request.limit_s + kGraceSeconds;
  command.limits.wall = std::chrono::milliseconds(static_cast<std::int64_t>(limit_s * 1e3));
  WW_TRY(const ProcessExit exit, run_process(command, &stop));
  if (exit.stopped) return Error{"stopped while judging " + request.id};
  if (job.has_result()) return std::optional<Evaluation>{};
  const std::string why =
      exit.timed_out ? fmt::format(
                           "the worker program gave no result within {:.0f} s; if jobs wait in a "
                           "queue, take a larger --trial-limit, or --worker mailbox:FOLDER",
                           limit_s)
                     : why_no_result(exit);
  return std::optional(verdict_without_result(why));
}

Result<Evaluation> LocalEvaluator::evaluate(const EvaluationRequest& request,
                                            const StopSignal& stop) {
  const JobDirectory job(options_.jobs / request.id);
  std::error_code ignored;
  std::filesystem::remove_all(job.path(), ignored);  // of a process that died here before
  JobRequest full = options_.pattern;
  full.id = request.id;
  full.source = request.source;
  full.is_baseline = request.is_baseline;
  full.rival = request.rival;
  full.rival_is_baseline = request.rival_is_baseline;
  WW_CHECK(job.write_request(full));
  if (server_ != nullptr) {
    WW_CHECK(server_->judge(job, stop));
    if (!job.has_result()) {
      return verdict_without_result("the worker's server ended without a result");
    }
  } else {
    WW_TRY(auto instead, run_worker(job, full, stop));
    if (instead) return std::move(*instead);
  }
  auto result = job.read_result();
  if (result.ok() && !options_.keep_jobs) std::filesystem::remove_all(job.path(), ignored);
  return result;
}

}  // namespace warpwright::evaluate
