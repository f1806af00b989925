// SPDX-License-Identifier: Apache-2.0
#include "report/scaling.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace warpwright::report {

namespace {

struct Answer {
  std::string parent;
  double value = 0;
};

/// The run's values by trial, in order.
std::vector<std::pair<std::string, Answer>> answers_of(
    const std::vector<store::TrialRecord>& trials) {
  std::vector<std::pair<std::string, Answer>> answers;
  std::optional<double> first_us;
  for (const store::TrialRecord& trial : trials) {
    if (!trial.evaluation || trial.prompt.kind == "tune" || trial.prompt.kind == "merge") continue;
    Answer answer{trial.prompt.parent, 0};
    const Evaluation& evaluation = *trial.evaluation;
    if (const auto us = score_us(evaluation); us && evaluation.valid()) {
      if (!first_us) first_us = us;
      answer.value = speedup(evaluation).value_or(*first_us / *us);
    }
    answers.emplace_back(trial.prompt.trial, std::move(answer));
  }
  return answers;
}

std::vector<double> chain_curve(const std::vector<std::pair<std::string, Answer>>& answers) {
  std::map<std::string, const Answer*> by_trial;
  std::set<std::string> refined;
  for (const auto& [trial, answer] : answers) {
    by_trial[trial] = &answer;
    refined.insert(answer.parent);
  }
  std::vector<double> sums;
  std::vector<int> counts;
  for (const auto& [trial, answer] : answers) {
    if (refined.contains(trial)) continue;  // not the end of a chain
    std::vector<double> values;
    std::set<std::string> seen;
    for (auto at = by_trial.find(trial); at != by_trial.end() && seen.insert(at->first).second;
         at = by_trial.find(at->second->parent)) {
      values.push_back(at->second->value);
    }
    std::reverse(values.begin(), values.end());
    sums.resize(std::max(sums.size(), values.size()), 0);
    counts.resize(sums.size(), 0);
    double best = 0;
    for (std::size_t t = 0; t < values.size(); ++t) {
      best = std::max(best, values[t]);
      sums[t] += best;
      ++counts[t];
    }
  }
  for (std::size_t t = 0; t < sums.size(); ++t) sums[t] /= counts[t];
  return sums;
}

}  // namespace

std::vector<double> expected_best(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  std::vector<double> curve;
  for (std::size_t k = 1; k <= n; ++k) {
    // The i-th smallest is the largest of k with probability C(i-1, k-1) / C(n, k); from the top
    // down each is (i-k) / (i-1) of the one before.
    double share = static_cast<double>(k) / static_cast<double>(n);
    double sum = 0;
    for (std::size_t i = n; i >= k; --i) {
      sum += share * values[i - 1];
      if (i > 1) share *= static_cast<double>(i - k) / static_cast<double>(i - 1);
    }
    curve.push_back(sum);
  }
  return curve;
}

Scaling scaling_of(const store::RunRecord& run, const std::vector<store::TrialRecord>& trials) {
  Scaling scaling{.run = run.id, .task = run.task, .strategy = run.strategy};
  const auto answers = answers_of(trials);
  scaling.answers = answers.size();
  std::vector<double> independent;
  double best = 0;
  for (const auto& [trial, answer] : answers) {
    if (answer.parent.empty()) independent.push_back(answer.value);
    best = std::max(best, answer.value);
    scaling.serial.push_back(best);
  }
  scaling.independent = independent.size();
  scaling.parallel = expected_best(std::move(independent));
  scaling.turns = chain_curve(answers);
  return scaling;
}

}  // namespace warpwright::report
