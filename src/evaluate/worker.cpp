// SPDX-License-Identifier: Apache-2.0
#include "evaluate/worker.h"

#include "evaluate/trial.h"

namespace warpwright::evaluate {

Result<Evaluation> work(const JobDirectory& job, const StopSignal& stop) {
  Evaluation evaluation;
  const auto request = job.read_request();
  if (request.ok()) {
    evaluation = run_trial(*request, job.path() / "scratch", stop);
    if (stop.requested()) return Error{"the worker was stopped before it had a verdict"};
  } else {
    evaluation.verdict = Verdict::harness_error;
    evaluation.stage = Stage::lint;
    evaluation.reason = request.error().message;
  }
  WW_CHECK(job.write_result(evaluation));
  return evaluation;
}

}  // namespace warpwright::evaluate
