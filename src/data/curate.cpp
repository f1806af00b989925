// SPDX-License-Identifier: Apache-2.0
#include "data/curate.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace warpwright::data {

namespace {

using Numbers = std::vector<std::uint32_t>;

/// Mean and deviation of some values, and how far one of them is out.
struct Spread {
  double mean = 0, deviation = 0;
  [[nodiscard]] double z(double value) const {
    return deviation > 1e-12 * (1 + std::abs(mean)) ? (value - mean) / deviation : 0;
  }
};

Spread spread_of(const std::vector<double>& values) {
  const RewardGroup group = group_of(values);
  return {group.mean, group.deviation};
}

double log_tokens(const Card& card) { return std::log(std::max(1.0F, card.tokens)); }

/// Best first; equal ones in the order of the catalogue.
std::vector<Kept> scored(const Catalogue& catalogue, const Numbers& numbers, double lambda) {
  std::vector<double> speeds, lengths;
  for (const auto number : numbers) {
    speeds.push_back(catalogue.cards[number].speedup);
    lengths.push_back(log_tokens(catalogue.cards[number]));
  }
  const Spread speed = spread_of(speeds), length = spread_of(lengths);
  std::vector<Kept> rows;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    rows.push_back({numbers[i], speed.z(speeds[i]) - lambda * length.z(lengths[i])});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Kept& a, const Kept& b) { return a.score > b.score; });
  return rows;
}

/// Whether another one is at least as fast with at most as many words, and better in one.
bool is_dominated(const Card& card, const std::vector<Kept>& rows, const Catalogue& catalogue) {
  return std::any_of(rows.begin(), rows.end(), [&](const Kept& row) {
    const Card& other = catalogue.cards[row.card];
    return other.speedup >= card.speedup && other.tokens <= card.tokens &&
           (other.speedup > card.speedup || other.tokens < card.tokens);
  });
}

bool has_near(const Card& card, const std::vector<Kept>& kept, const Catalogue& catalogue,
              double near) {
  return std::any_of(kept.begin(), kept.end(), [&](const Kept& row) {
    return likeness(catalogue.cards[row.card].sketch, card.sketch) >= near;
  });
}

std::vector<Kept> keep_of_task(const Catalogue& catalogue, const Numbers& numbers,
                               const CurateOptions& options) {
  const auto rows = scored(catalogue, numbers, options.lambda);
  std::vector<Kept> kept;
  for (const Kept& row : rows) {
    const Card& card = catalogue.cards[row.card];
    if (!options.front && !kept.empty()) break;
    if (options.front && is_dominated(card, rows, catalogue)) continue;
    if (!has_near(card, kept, catalogue, options.near)) kept.push_back(row);
  }
  return kept;
}

/// Those of a task that are short enough, where there are any: a task is not lost for its length.
Numbers concise_ones(const Catalogue& catalogue, const Numbers& numbers, double limit) {
  Numbers chosen;
  for (const auto number : numbers) {
    const Card& card = catalogue.cards[number];
    if (!card.is_reasoning || card.tokens <= limit) chosen.push_back(number);
  }
  return chosen.empty() ? numbers : chosen;
}

double pool_median(const Catalogue& catalogue) {
  std::vector<double> tokens;
  for (const Card& card : catalogue.cards) {
    if (card.is_reasoning) tokens.push_back(card.tokens);
  }
  return median_of(std::move(tokens));
}

double kept_median(const Catalogue& catalogue, const std::vector<Kept>& kept) {
  std::vector<double> tokens;
  for (const Kept& row : kept) {
    const Card& card = catalogue.cards[row.card];
    if (card.is_reasoning) tokens.push_back(card.tokens);
  }
  return median_of(std::move(tokens));
}

/// Leaves the longest out until the median is short enough, or half of them are gone: where all
/// answers are alike in length, a share of it cannot be had.
void shorten(const Catalogue& catalogue, std::vector<Kept>& kept, double limit) {
  const std::size_t least = (kept.size() + 1) / 2;
  while (limit > 0 && kept.size() > least && kept_median(catalogue, kept) > limit) {
    const auto longest =
        std::max_element(kept.begin(), kept.end(), [&](const Kept& a, const Kept& b) {
          const Card &x = catalogue.cards[a.card], &y = catalogue.cards[b.card];
          return (x.is_reasoning ? x.tokens : -1) < (y.is_reasoning ? y.tokens : -1);
        });
    kept.erase(longest);
  }
}

/// First the best of each task of each type, then the second, ...; no more than that many of a
/// type.
std::vector<Kept> balanced(const Catalogue& catalogue,
                           const std::map<std::uint32_t, std::vector<Kept>>& of_tasks,
                           std::size_t per_type) {
  std::vector<Kept> kept;
  std::map<std::string, std::size_t> counts;
  bool more = true;
  for (std::size_t turn = 0; more; ++turn) {
    more = false;
    for (const auto& [task, rows] : of_tasks) {
      if (turn >= rows.size()) continue;
      more = true;
      std::size_t& count = counts[catalogue.tasks[task].type];
      if (per_type > 0 && count >= per_type) continue;
      ++count;
      kept.push_back(rows[turn]);
    }
  }
  return kept;
}

/// Judges the selected ones that this judge has not seen; false when one of them is not ok.
Result<bool> verify(Catalogue& catalogue, const std::vector<Kept>& kept, const Judging& judging,
                    const RewardRule& reward, std::vector<std::uint8_t>& excluded,
                    std::vector<std::uint8_t>& verified) {
  {
    JudgePool pool(judging);
    for (const Kept& row : kept) {
      if (verified[row.card] != 0) continue;
      WW_TRY(const auto judged, fetch(catalogue, catalogue.cards[row.card], &judging));
      auto wish = wish_of(judged.sample);
      if (wish && !judged.judged_now) WW_CHECK(pool.add(std::move(*wish)));
    }
    WW_CHECK(pool.finish());
  }
  bool all_ok = true;
  for (const Kept& row : kept) {
    Card& card = catalogue.cards[row.card];
    if (verified[row.card] != 0) continue;
    WW_TRY(const auto judged, fetch(catalogue, card, &judging));
    const bool ok = judged.judged_now && judged.evaluation->valid();
    verified[row.card] = ok ? 1 : 0;
    excluded[row.card] = ok ? 0 : 1;
    all_ok = all_ok && ok;
    if (ok) note_verdict(card, *judged.evaluation, reward);
  }
  return all_ok;
}

}  // namespace

std::vector<Kept> select(const Catalogue& catalogue, const CurateOptions& options,
                         std::span<const std::uint8_t> excluded) {
  std::map<std::uint32_t, Numbers> candidates;
  for (std::uint32_t i = 0; i < catalogue.cards.size(); ++i) {
    const Card& card = catalogue.cards[i];
    if (!card.ok() || excluded[i] != 0 || card.speedup < options.min_speedup) continue;
    candidates[card.task].push_back(i);
  }
  const double limit = options.concise * pool_median(catalogue);
  std::map<std::uint32_t, std::vector<Kept>> of_tasks;
  for (auto& [task, numbers] : candidates) {
    if (limit > 0) numbers = concise_ones(catalogue, numbers, limit);
    of_tasks[task] = keep_of_task(catalogue, numbers, options);
  }
  auto kept = balanced(catalogue, of_tasks, options.per_type);
  shorten(catalogue, kept, limit);
  return kept;
}

Result<Curated> curate(Catalogue& catalogue, const CurateOptions& options, const Judging& judging,
                       const RewardRule& reward) {
  Curated curated;
  std::vector<std::uint8_t> excluded(catalogue.cards.size(), 0), verified(excluded);
  while (true) {
    curated.kept = select(catalogue, options, excluded);
    WW_TRY(const bool all_ok, verify(catalogue, curated.kept, judging, reward, excluded, verified));
    if (all_ok) break;
  }
  for (const auto out : excluded) curated.refuted += out;
  curated.pool_median = pool_median(catalogue);
  curated.kept_median = kept_median(catalogue, curated.kept);
  return curated;
}

}  // namespace warpwright::data
