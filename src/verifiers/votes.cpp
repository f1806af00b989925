// SPDX-License-Identifier: Apache-2.0
#include "verifiers/votes.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "verifiers/procedures.h"

namespace warpwright::verifiers {

namespace {

constexpr const char* kModel = "verifiers.model";
constexpr const char* kTokens = "verifiers.tokens";
constexpr const char* kUsd = "verifiers.usd";
constexpr const char* kEnd = "verifiers.end";
constexpr std::string_view kUnpriced = "unknown";
constexpr std::string_view kRefused = "refused", kAudited = "audited", kPassed = "passed";

std::string vote_key(std::string_view procedure) { return "verifiers." + std::string(procedure); }

template <class Number>
Number number_in(const std::map<std::string, std::string>& manifest, const char* key) {
  Number value{};
  const auto found = manifest.find(key);
  if (found == manifest.end()) return value;
  const std::string& text = found->second;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

bool votes_against(const std::vector<Vote>& votes) {
  return std::count_if(votes.begin(), votes.end(),
                       [](const Vote& vote) { return vote.passes == false; }) >= 2;
}

void record_votes(Evaluation& evaluation, const Votes& votes) {
  auto& manifest = evaluation.manifest;
  manifest[kModel] = votes.model;
  manifest[kTokens] = std::to_string(votes.tokens);
  manifest[kUsd] = votes.unpriced ? std::string(kUnpriced) : fmt::format("{}", votes.usd);
  manifest[kEnd] = votes.audited ? kAudited : votes.refused ? kRefused : kPassed;
  for (const Vote& vote : votes.votes) {
    const char* said = !vote.passes ? "none" : *vote.passes ? "yes" : "no";
    manifest[vote_key(vote.procedure)] =
        said + (vote.because.empty() ? std::string() : ": " + vote.because);
  }
}

std::optional<Votes> votes_of(const Evaluation& evaluation) {
  const auto& manifest = evaluation.manifest;
  const auto model = manifest.find(kModel);
  if (model == manifest.end()) return std::nullopt;
  Votes votes;
  votes.model = model->second;
  votes.tokens = number_in<std::int64_t>(manifest, kTokens);
  votes.usd = number_in<double>(manifest, kUsd);
  const auto usd = manifest.find(kUsd);
  votes.unpriced = usd != manifest.end() && usd->second == kUnpriced;
  if (const auto end = manifest.find(kEnd); end != manifest.end()) {
    votes.audited = end->second == kAudited;
    votes.refused = votes.audited || end->second == kRefused;
  }
  for (const Procedure& procedure : procedures()) {
    const auto found = manifest.find(vote_key(procedure.name));
    if (found == manifest.end()) continue;
    const std::string& text = found->second;
    Vote vote{std::string(procedure.name), std::nullopt, {}};
    if (text.starts_with("yes")) vote.passes = true;
    if (text.starts_with("no") && !text.starts_with("none")) vote.passes = false;
    if (const auto colon = text.find(": "); colon != std::string::npos)
      vote.because = text.substr(colon + 2);
    votes.votes.push_back(std::move(vote));
  }
  return votes;
}

Evaluation refused_evaluation(const Votes& votes, const std::string& device) {
  Evaluation evaluation;
  evaluation.verdict = Verdict::unchecked;
  evaluation.stage = Stage::lint;
  evaluation.device = device;
  int against = 0;
  std::string why;
  for (const Vote& vote : votes.votes) {
    if (vote.passes != false) continue;
    ++against;
    why += "\n" + vote.procedure + ": " + (vote.because.empty() ? "no reason" : vote.because);
  }
  evaluation.reason = fmt::format("{} of {} verifiers expect it to fail, it was not judged",
                                  against, votes.votes.size());
  evaluation.feedback = evaluation.reason + ":" + why;
  evaluation.unchecked = {evaluation.reason};
  record_votes(evaluation, votes);
  return evaluation;
}

bool is_refusal(const Evaluation& evaluation) {
  const auto votes = votes_of(evaluation);
  return votes && votes->refused && !votes->audited;
}

}  // namespace warpwright::verifiers
