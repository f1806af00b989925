// SPDX-License-Identifier: Apache-2.0
#include "data/stats.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/json_reader.h"

namespace warpwright::data {

namespace {

std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t from = 0; from < order.size();) {
    std::size_t end = from;
    while (end < order.size() && values[order[end]] == values[order[from]]) ++end;
    for (std::size_t i = from; i < end; ++i) {
      ranks[order[i]] = static_cast<double>(from + end - 1) / 2;
    }
    from = end;
  }
  return ranks;
}

struct Lengths {
  std::vector<double> all, right, speedups;
};

TaskStats task_stats(const TaskEntry& entry) {
  TaskStats row;
  row.task = entry.name;
  row.type = entry.type;
  return row;
}

void count(TaskStats& row, Lengths& lengths, const Card& card) {
  ++row.candidates;
  lengths.all.push_back(card.tokens);
  row.with_reasoning += card.is_reasoning ? 1 : 0;
  if (!card.verdict) {
    ++row.unjudged;
    return;
  }
  ++row.judged;
  ++row.verdicts[std::string(name_of(*card.verdict))];
  if (!card.ok()) return;
  ++row.ok;
  lengths.right.push_back(card.tokens);
  if (card.speedup > 0) lengths.speedups.push_back(card.speedup);
}

void conclude(TaskStats& row, const Lengths& lengths) {
  if (row.judged > 0) {
    row.failure_rate = 1 - static_cast<double>(row.ok) / static_cast<double>(row.judged);
  }
  if (!lengths.right.empty()) {
    row.difficulty = std::accumulate(lengths.right.begin(), lengths.right.end(), 0.0) /
                     static_cast<double>(lengths.right.size());
  }
  row.tokens_median = median_of(lengths.all);
  row.speedup_median = median_of(lengths.speedups);
  for (const double value : lengths.speedups) row.speedup_best = std::max(row.speedup_best, value);
}

}  // namespace

std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size() || a.size() < 3) return std::nullopt;
  const auto x = ranks_of(a), y = ranks_of(b);
  const double middle = static_cast<double>(a.size() - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - middle) * (y[i] - middle);
    xx += (x[i] - middle) * (x[i] - middle);
    yy += (y[i] - middle) * (y[i] - middle);
  }
  if (xx <= 0 || yy <= 0) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

Stats stats_of(const Catalogue& catalogue) {
  Stats stats;
  std::vector<Lengths> lengths(catalogue.tasks.size());
  for (const auto& entry : catalogue.tasks) stats.tasks.push_back(task_stats(entry));
  for (const Card& card : catalogue.cards) count(stats.tasks[card.task], lengths[card.task], card);
  std::vector<double> difficulty, failures;
  for (std::size_t i = 0; i < stats.tasks.size(); ++i) {
    TaskStats& row = stats.tasks[i];
    conclude(row, lengths[i]);
    stats.candidates += row.candidates;
    stats.judged += row.judged;
    stats.ok += row.ok;
    stats.unjudged += row.unjudged;
    if (!row.difficulty) continue;
    difficulty.push_back(*row.difficulty);
    failures.push_back(row.failure_rate);
  }
  stats.difficulty_and_failures = rank_correlation(difficulty, failures);
  std::sort(stats.tasks.begin(), stats.tasks.end(),
            [](const TaskStats& a, const TaskStats& b) { return a.task < b.task; });
  return stats;
}

std::string stats_json(const Stats& stats) {
  nlohmann::json document = {{"format", 1},
                             {"candidates", stats.candidates},
                             {"judged", stats.judged},
                             {"unjudged", stats.unjudged},
                             {"ok", stats.ok},
                             {"difficulty_failure_rank_correlation", nullptr},
                             {"tasks", nlohmann::json::array()}};
  if (stats.difficulty_and_failures) {
    document["difficulty_failure_rank_correlation"] = *stats.difficulty_and_failures;
  }
  for (const TaskStats& row : stats.tasks) {
    nlohmann::json task = {{"task", row.task},
                           {"type", row.type},
                           {"candidates", row.candidates},
                           {"judged", row.judged},
                           {"unjudged", row.unjudged},
                           {"ok", row.ok},
                           {"verdicts", row.verdicts},
                           {"failure_rate", row.failure_rate},
                           {"difficulty", nullptr},
                           {"reasoning_tokens_median", row.tokens_median},
                           {"with_reasoning", row.with_reasoning},
                           {"speedup_best", nullptr},
                           {"speedup_median", nullptr}};
    if (row.difficulty) task["difficulty"] = *row.difficulty;
    if (row.speedup_best > 0) task["speedup_best"] = row.speedup_best;
    if (row.speedup_best > 0) task["speedup_median"] = row.speedup_median;
    document["tasks"].push_back(std::move(task));
  }
  return dump_json(document, 1) + "\n";
}

std::string stats_text(const Stats& stats) {
  std::string text =
      fmt::format("{:20} {:14} {:>6} {:>6} {:>6} {:>8} {:>10} {:>9} {:>9}\n", "task", "type",
                  "answers", "judged", "ok", "failed", "difficulty", "best", "median");
  for (const TaskStats& row : stats.tasks) {
    text += fmt::format("{:20} {:14} {:>7} {:>6} {:>6} {:>7.0f}% {:>10} {:>9} {:>9}\n", row.task,
                        row.type, row.candidates, row.judged, row.ok, row.failure_rate * 100,
                        row.difficulty ? fmt::format("{:.0f}", *row.difficulty) : "-",
                        row.speedup_best > 0 ? fmt::format("x{:.2f}", row.speedup_best) : "-",
                        row.speedup_best > 0 ? fmt::format("x{:.2f}", row.speedup_median) : "-");
  }
  text += fmt::format("{} answers, {} judged, {} ok", stats.candidates, stats.judged, stats.ok);
  if (stats.unjudged > 0) {
    text += fmt::format(", {} without a verdict (--judge gives them one)", stats.unjudged);
  }
  text += "\nDifficulty is the mean reasoning of right answers, in tokens.";
  if (stats.difficulty_and_failures) {
    text += fmt::format(" Its rank correlation with the failure rate: {:.2f}.",
                        *stats.difficulty_and_failures);
  }
  return text + "\n";
}

}  // namespace warpwright::data
