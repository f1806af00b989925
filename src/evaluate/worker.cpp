// SPDX-License-Identifier: Apache-2.0
#include "evaluate/worker.h"

#include "evaluate/hand_over.h"
#include "evaluate/judgement.h"

namespace warpwright::evaluate {

Evaluation unreadable(const Error& error) {
  Evaluation evaluation;
  evaluation.verdict = Verdict::harness_error;
  evaluation.stage = Stage::lint;
  evaluation.reason = error.message;
  return evaluation;
}

namespace {

Evaluation judged(const JobDirectory& job, const JobRequest& request, std::string_view digest,
                  Station& station, const StopSignal& stop) {
  const auto scratch = job.path() / "scratch";
  if (digest.empty()) return judge(request, scratch, station, stop);
  auto prepared = take_over(job, digest, request, station, stop);
  if (prepared.ok()) return finish_judgement(std::move(prepared).value());
  Evaluation evaluation = judge(request, scratch, station, stop);
  evaluation.findings.push_back({"note", 0,
                                 "what was prepared for this candidate was refused (" +
                                     prepared.error().message + "), and prepared again"});
  return evaluation;
}

}  // namespace

Result<Evaluation> work(const JobDirectory& job, std::string_view digest, Station& station,
                        const StopSignal& stop) {
  const auto request = job.read_request();
  Evaluation evaluation =
      request.ok() ? judged(job, *request, digest, station, stop) : unreadable(request.error());
  if (stop.requested()) return Error{"the worker was stopped before it had a verdict"};
  if (evaluation.verdict == Verdict::harness_error && evaluation.stage >= Stage::validate &&
      station.worn()) {
    return Error{"the device was worn out by another candidate"};
  }
  WW_CHECK(job.write_result(evaluation));
  return evaluation;
}

Result<std::optional<std::string>> prepare(const JobDirectory& job, Station& station,
                                           const StopSignal& stop) {
  std::optional<std::string> digest;
  const auto request = job.read_request();
  if (!request.ok()) {
    WW_CHECK(job.write_result(unreadable(request.error())));
    return digest;
  }
  auto prepared = prepare_judgement(*request, job.path() / "scratch", station, stop);
  if (stop.requested()) return Error{"the worker was stopped before it had a verdict"};
  if (const auto* ended = std::get_if<Evaluation>(&prepared)) {
    WW_CHECK(job.write_result(*ended));
    return digest;
  }
  WW_TRY(digest, hand_over(job, std::get<Contenders>(prepared)));
  return digest;
}

}  // namespace warpwright::evaluate
