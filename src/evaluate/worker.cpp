// SPDX-License-Identifier: Apache-2.0
#include "evaluate/worker.h"

#include "evaluate/trial.h"

namespace warpwright::evaluate {

Evaluation unreadable(const Error& error) {
  Evaluation evaluation;
  evaluation.verdict = Verdict::harness_error;
  evaluation.stage = Stage::lint;
  evaluation.reason = error.message;
  return evaluation;
}

Result<Evaluation> work(const JobDirectory& job, Station& station, const StopSignal& stop) {
  const auto request = job.read_request();
  Evaluation evaluation = request.ok() ? run_trial(*request, job.path() / "scratch", station, stop)
                                       : unreadable(request.error());
  if (stop.requested()) return Error{"the worker was stopped before it had a verdict"};
  if (evaluation.verdict == Verdict::harness_error && evaluation.stage >= Stage::validate &&
      station.worn()) {
    return Error{"the device was worn out by another candidate"};
  }
  WW_CHECK(job.write_result(evaluation));
  return evaluation;
}

Result<std::optional<Evaluation>> prepare(const JobDirectory& job, Station& station,
                                          const StopSignal& stop) {
  const auto request = job.read_request();
  std::optional<Evaluation> evaluation;
  if (request.ok()) {
    evaluation = prepare_trial(*request, job.path() / "scratch", station, stop);
  } else {
    evaluation = unreadable(request.error());
  }
  if (stop.requested()) return Error{"the worker was stopped before it had a verdict"};
  if (evaluation) WW_CHECK(job.write_result(*evaluation));
  return evaluation;
}

}  // namespace warpwright::evaluate
