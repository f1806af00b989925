// SPDX-License-Identifier: Apache-2.0
#include "evaluate/local_evaluator.h"

#include <fmt/format.h>

#include "base/process.h"
#include "base/text.h"

namespace warpwright::evaluate {

namespace {

// The worker ends a trial itself at limit_s; this is for a worker that hangs.
constexpr double kGraceSeconds = 15;
constexpr std::size_t kKeptStderrBytes = 2000;

/// What a worker needs from its surroundings: the compilers' places and the GPU's selection.
/// Never a key.
std::vector<std::string> worker_environment() {
  auto environment =
      environment_subset({"PATH", "TMPDIR", "CUDA_HOME", "CUDA_PATH", "CUDA_VISIBLE_DEVICES",
                          "LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS"});
  environment.emplace_back("LC_ALL=C.UTF-8");
  return environment;
}

Evaluation verdict_without_result(const ProcessExit& exit, double limit_s) {
  Evaluation evaluation;
  evaluation.stage = Stage::validate;
  if (exit.timed_out) {
    evaluation.verdict = Verdict::timeout;
    evaluation.reason = fmt::format("the trial did not end within {:.0f} s", limit_s);
    evaluation.feedback = evaluation.reason;
    evaluation.device_s = exit.wall_s;
    return evaluation;
  }
  evaluation.verdict = Verdict::harness_error;
  evaluation.reason = "the worker ended without a result: " + exit.describe();
  const std::string_view last_words = trimmed(exit.err);
  if (!last_words.empty()) {
    const std::size_t from =
        last_words.size() > kKeptStderrBytes ? last_words.size() - kKeptStderrBytes : 0;
    evaluation.reason += "; it said: " + clean_utf8(last_words.substr(from));
  }
  return evaluation;
}

}  // namespace

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

  Command command;
  command.argv = options_.worker;
  command.argv.push_back(job.path().string());
  command.env = worker_environment();
  command.limits.wall =
      std::chrono::milliseconds(static_cast<std::int64_t>((full.limit_s + kGraceSeconds) * 1e3));
  WW_TRY(const ProcessExit exit, run_process(command, &stop));
  if (exit.stopped) return Error{"stopped while judging " + request.id};
  if (!job.has_result()) return verdict_without_result(exit, full.limit_s + kGraceSeconds);
  auto result = job.read_result();
  if (result.ok() && !options_.keep_jobs) std::filesystem::remove_all(job.path(), ignored);
  return result;
}

}  // namespace warpwright::evaluate
