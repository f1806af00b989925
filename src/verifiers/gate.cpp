// SPDX-License-Identifier: Apache-2.0
#include "verifiers/gate.h"

#include <cstdlib>

#include "base/sha256.h"

namespace warpwright::verifiers {

namespace {

bool is_audited(const std::string& source) {
  const std::string digits = sha256_hex(source).substr(0, 8);
  return std::strtoul(digits.c_str(), nullptr, 16) % kAuditOneIn == 0;
}

}  // namespace

Result<Evaluation> Gate::evaluate(const evaluate::EvaluationRequest& request,
                                  const StopSignal& stop) {
  const bool shown = !request.is_baseline && !request.rival && Panel::may_see(request.source);
  if (!shown) return judge_.evaluate(request, stop);
  Votes votes = panel_.vote(request.source, stop);
  if (stop.requested()) return Error{"stopped while the verifiers voted"};
  votes.audited = votes.refused && is_audited(request.source);
  if (votes.refused && !votes.audited) return refused_evaluation(votes, judge_.device());
  auto evaluation = judge_.evaluate(request, stop);
  if (evaluation.ok()) record_votes(*evaluation, votes);
  return evaluation;
}

}  // namespace warpwright::verifiers
