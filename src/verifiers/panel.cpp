// SPDX-License-Identifier: Apache-2.0
#include "verifiers/panel.h"

#include <algorithm>
#include <thread>

#include "base/sha256.h"
#include "verifiers/procedures.h"

namespace warpwright::verifiers {

namespace {

constexpr std::size_t kLineNumber = 8;  ///< bytes in front of a line
constexpr std::size_t kLongestShown = 2 * kLongestSource;

/// Unique for a program and a procedure, whoever asks: an answer that was paid is found again.
std::string id_of(const Procedure& procedure, const std::string& source) {
  return "verify." + sha256_hex(source).substr(0, 24) + "." + std::string(procedure.name);
}

Vote vote_in(const Procedure& procedure, const llm::Outcome& outcome) {
  Vote vote{std::string(procedure.name), std::nullopt, {}};
  if (outcome.kind != llm::OutcomeKind::answered) {
    vote.because = outcome.kind == llm::OutcomeKind::waiting ? "nobody answered" : outcome.error;
    return vote;
  }
  const auto opinion = opinion_in(outcome.reply.text);
  if (!opinion) return vote;
  vote.passes = opinion->passes;
  vote.because = opinion->because;
  return vote;
}

}  // namespace

llm::Request Panel::request_of(std::size_t procedure, const std::string& source) const {
  const Procedure& row = procedures()[procedure];
  llm::Request request;
  request.id = id_of(row, source);
  request.messages = question_of(row, task_, source);
  request.max_output_tokens = kMostTokens;
  return request;
}

bool Panel::may_see(const std::string& source) {
  const auto lines = static_cast<std::size_t>(std::count(source.begin(), source.end(), '\n'));
  return source.size() <= kLongestSource &&
         source.size() + kLineNumber * (lines + 1) <= kLongestShown;
}

Cost Panel::most() const {
  Cost cost;
  const std::string longest(kLongestShown, 'x');
  for (std::size_t i = 0; i < procedures().size(); ++i) {
    const llm::Usage bound = model_.reserve(request_of(i, longest));
    cost.tokens += bound.total();
    cost.usd += model_.price_usd(bound);
  }
  return cost;
}

Votes Panel::vote(const std::string& source, const StopSignal& stop) const {
  Votes votes;
  votes.model = model_.name();
  std::vector<llm::Outcome> outcomes(procedures().size());
  {
    std::vector<std::jthread> askers;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      askers.emplace_back([this, i, &source, &stop, &outcome = outcomes[i]] {
        outcome = model_.ask(request_of(i, source), {}, stop);
      });
    }
  }
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const llm::Outcome& outcome = outcomes[i];
    votes.votes.push_back(vote_in(procedures()[i], outcome));
    votes.tokens += outcome.reply.usage.total() + outcome.wasted.total();
    votes.usd += outcome.reply.cost_usd + outcome.wasted_usd;
    votes.unpriced = votes.unpriced || outcome.reply.unpriced || outcome.wasted_unpriced;
  }
  votes.refused = votes_against(votes.votes);
  return votes;
}

}  // namespace warpwright::verifiers
