// SPDX-License-Identifier: Apache-2.0
#include "verifiers/tally.h"

#include <algorithm>

#include "verifiers/procedures.h"

namespace warpwright::verifiers {

namespace {

constexpr const char* kAll = "all";

std::optional<double> share(int part, int whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / whole;
}

void count(Score& score, bool objects, bool failed, bool failed_so) {
  ++score.votes;
  score.objections += objects ? 1 : 0;
  score.right += objects && failed ? 1 : 0;
  score.failed += failed_so ? 1 : 0;
  score.found += objects && failed_so ? 1 : 0;
  score.passed += failed ? 0 : 1;
  score.false_alarms += objects && !failed ? 1 : 0;
}

double seconds_of(const Evaluation& evaluation) {
  double sum = 0;
  for (const auto& [stage, seconds] : evaluation.stage_s)
    if (stage.find('.') == std::string::npos) sum += seconds;  // parts are in their stage's time
  return sum;
}

}  // namespace

std::optional<double> Score::precision() const { return share(right, objections); }
std::optional<double> Score::recall() const { return share(found, failed); }
std::optional<double> Score::false_alarm_rate() const { return share(false_alarms, passed); }

Tally::Tally() {
  for (const Procedure& procedure : procedures())
    scores.push_back({.name = std::string(procedure.name)});
  scores.push_back({.name = kAll});
}

void Tally::add(const Evaluation& evaluation, const Votes& votes) {
  ++programs;
  tokens += votes.tokens;
  usd += votes.usd;
  unpriced = unpriced || votes.unpriced;
  refused += votes.refused ? 1 : 0;
  audited += votes.audited ? 1 : 0;
  const bool open =
      evaluation.verdict == Verdict::unchecked || evaluation.verdict == Verdict::harness_error;
  if (open) return;
  ++judged;
  judge_s += seconds_of(evaluation);
  const bool failed = !evaluation.valid();
  for (const Vote& vote : votes.votes) {
    const auto row = std::find_if(procedures().begin(), procedures().end(),
                                  [&](const Procedure& p) { return p.name == vote.procedure; });
    if (!vote.passes || row == procedures().end()) continue;
    const auto index = static_cast<std::size_t>(row - procedures().begin());
    count(scores[index], !*vote.passes, failed, concerns(*row, evaluation.verdict));
  }
  count(scores.back(), votes_against(votes.votes), failed, failed);
}

}  // namespace warpwright::verifiers
