// SPDX-License-Identifier: Apache-2.0
#include "data/export.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/sha256.h"

namespace warpwright::data {

namespace {

using Json = nlohmann::json;
using Numbers = std::vector<std::uint32_t>;

struct Pair {
  std::uint32_t chosen = 0, rejected = 0;
  bool faster = false;
  double margin = 0;
};

/// How far the first one's interval is ahead of the second's; 0 where they overlap.
double lead(const Card& first, const Card& second) {
  if (!first.ok() || !second.ok() || first.device != second.device) return 0;
  if (first.high_us <= 0 || second.low_us <= 0) return 0;
  return std::max(0.0, second.low_us / first.high_us - 1);
}

bool is_wrong(const Card& card) {
  return card.verdict && !card.ok() && *card.verdict != Verdict::harness_error &&
         *card.verdict != Verdict::unchecked;
}

/// Largest margins first; no answer is chosen and rejected for the same reason by the same other.
std::vector<Pair> pairs_of(const Catalogue& catalogue, const Numbers& numbers,
                           const PreferenceOptions& options) {
  std::vector<Pair> pairs;
  for (const auto a : numbers) {
    for (const auto b : numbers) {
      const Card &first = catalogue.cards[a], &second = catalogue.cards[b];
      if (const double ahead = lead(first, second); ahead >= options.margin && ahead > 0) {
        pairs.push_back({a, b, true, ahead});
      } else if (first.ok() && is_wrong(second)) {
        pairs.push_back({a, b, false, first.turn_score});
      }
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
    return a.faster != b.faster ? b.faster : a.margin > b.margin;
  });
  // Both kinds, in turns: wrong answers are common and would leave no room for times.
  const auto first_faster =
      std::find_if(pairs.begin(), pairs.end(), [](const Pair& pair) { return pair.faster; });
  std::vector<Pair> chosen;
  auto right = pairs.begin();
  auto faster = first_faster;
  while (chosen.size() < options.per_prompt && (right != first_faster || faster != pairs.end())) {
    if (right != first_faster) chosen.push_back(*right++);
    if (chosen.size() < options.per_prompt && faster != pairs.end()) chosen.push_back(*faster++);
  }
  return chosen;
}

Json preference_row(const JudgedSample& chosen, const JudgedSample& rejected, const Pair& pair,
                    const Provenance& provenance) {
  Json row = common_fields(chosen, provenance);
  row["kind"] = "preference";
  row["prompt"] = prompt_messages(chosen.sample);
  row["chosen"] = Json::array({answer_message(chosen.sample)});
  row["rejected"] = Json::array({answer_message(rejected.sample)});
  row["reason"] = pair.faster ? "faster" : "right";
  row["margin"] = pair.margin;
  Json other = judgement_fields(rejected.evaluation.value_or(Evaluation{}), provenance);
  other["sha256"] = sha256_hex(rejected.sample.source);
  other["trial"] = rejected.sample.trial;
  row["rejected_judgement"] = other;
  return row;
}

struct Turn {
  int number = 1;
  double result = 0;
  std::size_t group = 0;
};

/// Groups are tasks.
std::vector<Turn> turns_of(const Catalogue& catalogue, const std::vector<double>& returns,
                           std::vector<std::vector<double>>& groups) {
  std::map<std::uint32_t, std::size_t> numbers;
  std::vector<Turn> turns(catalogue.cards.size());
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const Card& card = catalogue.cards[i];
    if (card.parent >= 0) turns[i].number = turns[static_cast<std::size_t>(card.parent)].number + 1;
    turns[i].result = returns[i];
    if (!card.verdict) continue;
    turns[i].group = numbers.try_emplace(card.task, numbers.size()).first->second;
    if (groups.size() <= turns[i].group) groups.emplace_back();
    groups[turns[i].group].push_back(returns[i]);
  }
  return turns;
}

}  // namespace

std::vector<double> tree_returns(std::span<const double> scores,
                                 std::span<const std::int32_t> parents, double gamma,
                                 Branch branch) {
  std::vector<double> sums(scores.size(), 0), best(scores.size(), 0), returns(scores.size(), 0);
  std::vector<std::size_t> counts(scores.size(), 0);
  for (std::size_t i = scores.size(); i-- > 0;) {
    double later = 0;
    if (counts[i] > 0) {
      later = branch == Branch::best ? best[i] : sums[i] / static_cast<double>(counts[i]);
    }
    returns[i] = scores[i] + gamma * later;
    if (parents[i] < 0) continue;
    const auto parent = static_cast<std::size_t>(parents[i]);
    best[parent] = counts[parent] == 0 ? returns[i] : std::max(best[parent], returns[i]);
    sums[parent] += returns[i];
    ++counts[parent];
  }
  return returns;
}

Status export_sft(Catalogue& catalogue, const Judging* judging, const Provenance& provenance,
                  RowWriter& out) {
  for (const Card& card : catalogue.cards) {
    if (!card.ok()) continue;
    WW_TRY(const auto judged, fetch(catalogue, card, judging));
    WW_CHECK(out.write(sft_row(judged, provenance)));
  }
  return {};
}

Status export_preferences(Catalogue& catalogue, const PreferenceOptions& options,
                          const Judging* judging, const Provenance& provenance, RowWriter& out) {
  std::map<std::uint64_t, Numbers> prompts;
  for (std::uint32_t i = 0; i < catalogue.cards.size(); ++i) {
    if (catalogue.cards[i].verdict) prompts[catalogue.cards[i].prompt].push_back(i);
  }
  for (const auto& [prompt, numbers] : prompts) {
    for (const Pair& pair : pairs_of(catalogue, numbers, options)) {
      WW_TRY(const auto chosen, fetch(catalogue, catalogue.cards[pair.chosen], judging));
      WW_TRY(const auto rejected, fetch(catalogue, catalogue.cards[pair.rejected], judging));
      WW_CHECK(out.write(preference_row(chosen, rejected, pair, provenance)));
    }
  }
  return {};
}

Status export_grpo(Catalogue& catalogue, const GrpoOptions& options, const Judging* judging,
                   const Provenance& provenance, RowWriter& out) {
  std::vector<double> scores;
  std::vector<std::int32_t> parents;
  for (const Card& card : catalogue.cards) {
    scores.push_back(card.turn_score);
    parents.push_back(card.parent);
  }
  const auto returns = tree_returns(scores, parents, options.reward.gamma, options.branch);
  std::vector<std::vector<double>> groups;
  const auto turns = turns_of(catalogue, returns, groups);
  std::vector<RewardGroup> figures;
  for (const auto& group : groups) figures.push_back(group_of(group));
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const Card& card = catalogue.cards[i];
    if (!card.verdict) continue;
    WW_TRY(const auto judged, fetch(catalogue, card, judging));
    const RewardGroup& group = figures[turns[i].group];
    Json row = common_fields(judged, provenance);
    row["kind"] = "grpo";
    row["prompt"] = prompt_messages(judged.sample);
    row["completion"] = Json::array({answer_message(judged.sample)});
    row["turn"] = turns[i].number;
    row["S"] = scores[i];
    row["return"] = returns[i];
    row["group"] = catalogue.tasks[card.task].name;
    row["group_size"] = groups[turns[i].group].size();
    row["group_mean"] = group.mean;
    row["group_deviation"] = group.deviation;
    row["advantage"] = advantage_of(returns[i], group);
    row["gamma"] = options.reward.gamma;
    row["bonus"] = options.reward.correct_bonus;
    row["clip"] = options.reward.clip_at_floor ? Json("roofline") : Json("none");
    if (options.reward.largest_speedup > 0) row["clip"] = options.reward.largest_speedup;
    row["branch"] = options.branch == Branch::best ? "best" : "mean";
    WW_CHECK(out.write(std::move(row)));
  }
  return {};
}

}  // namespace warpwright::data
