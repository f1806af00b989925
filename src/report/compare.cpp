// SPDX-License-Identifier: Apache-2.0
#include "report/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "base/mix.h"
#include "core/evaluation_json.h"
#include "core/json_reader.h"

namespace warpwright::report {

using nlohmann::json;

namespace {

constexpr std::size_t kMaxPoints = 200;
constexpr int kResamples = 1000;
constexpr double kZ = 1.959963984540054;  // 97.5 % of the normal distribution

constexpr std::array<std::string_view, 8> kTelling = {
    "search.feedback",   "search.candidates", "search.depth",   "search.repairs",
    "model.temperature", "model.reasoning",   "search.prompts", "judge.target"};

/// SplitMix64: the same intervals on every machine.
class Dice {
 public:
  std::size_t below(std::size_t bound) {
    return static_cast<std::size_t>(mixed_bits(state_ += kMixStep) % bound);
  }

 private:
  std::uint64_t state_ = 20250610;
};

std::map<std::string, std::vector<const RunCurve*>> by_task(
    const std::vector<const RunCurve*>& runs) {
  std::map<std::string, std::vector<const RunCurve*>> tasks;
  for (const auto* run : runs) tasks[run->task].push_back(run);
  return tasks;
}

/// As many runs as there are, tasks drawn first, then runs of each.
std::vector<const RunCurve*> resampled(const std::vector<std::vector<const RunCurve*>>& tasks,
                                       Dice& dice) {
  std::vector<const RunCurve*> drawn;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto& runs = tasks[dice.below(tasks.size())];
    for (std::size_t k = 0; k < runs.size(); ++k) drawn.push_back(runs[dice.below(runs.size())]);
  }
  return drawn;
}

double mean_gain(const std::vector<const RunCurve*>& runs, std::size_t evaluations) {
  double logs = 0;
  for (const auto* run : runs) logs += std::log(std::max(1.0, run->best_after(evaluations)));
  return std::exp(logs / static_cast<double>(runs.size()));
}

std::string setting(const RunStory& story, std::string_view key) {
  for (const auto& value : story.config) {
    if (value.key == key) return value.value;
  }
  return "";
}

std::vector<std::size_t> points_to(std::size_t most) {
  std::vector<std::size_t> points;
  const std::size_t step = std::max<std::size_t>(1, (most + kMaxPoints - 1) / kMaxPoints);
  for (std::size_t e = 1; e < most; e += step) points.push_back(e);
  if (most > 0) points.push_back(most);
  return points;
}

json group_json(const std::string& name, const std::vector<const RunCurve*>& runs,
                const std::vector<std::size_t>& points) {
  json group = {{"name", name},
                {"runs", runs.size()},
                {"tasks", by_task(runs).size()},
                {"points", json::array()}};
  std::int64_t tokens = 0;
  double usd = 0;
  bool unpriced = false;
  for (const auto* run : runs) {
    tokens += run->tokens;
    usd += run->usd;
    unpriced = unpriced || run->unpriced;
  }
  group["tokens"] = tokens;
  group["usd"] = unpriced ? json() : json(rounded(usd));
  const auto gains = mean_gains(runs, points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto solved = static_cast<int>(std::count_if(
        runs.begin(), runs.end(), [&](const auto* run) { return run->best_after(points[i]) > 0; }));
    const Interval rate = wilson(solved, static_cast<int>(runs.size()));
    group["points"].push_back({points[i], rounded(rate.value), rounded(rate.low),
                               rounded(rate.high), rounded(gains[i].value), rounded(gains[i].low),
                               rounded(gains[i].high)});
  }
  return group;
}

json row_json(const RunCurve& run) {
  return {{"run", run.run},
          {"task", run.task},
          {"group", run.group},
          {"status", run.status},
          {"evaluations", run.best.size()},
          {"first_valid", run.first_valid()},
          {"speedup",
           run.best.empty() || run.best.back() <= 0 ? json() : json(rounded(run.best.back()))},
          {"share", run.share > 0 ? json(rounded(run.share)) : json()},
          {"tokens", run.tokens},
          {"usd", run.unpriced ? json() : json(rounded(run.usd))}};
}

}  // namespace

double RunCurve::best_after(std::size_t evaluations) const {
  if (best.empty() || evaluations == 0) return 0;
  return best[std::min(evaluations, best.size()) - 1];
}

int RunCurve::first_valid() const {
  const auto found = std::find_if(best.begin(), best.end(), [](double gain) { return gain > 0; });
  return found == best.end() ? 0 : static_cast<int>(found - best.begin()) + 1;
}

RunCurve curve_of(const RunStory& story) {
  RunCurve curve{story.run.id, story.run.task, "", status_name(story.run.status)};
  std::vector<const store::TrialStory*> judged;
  for (const auto& trial : story.trials) {
    for (const auto& failure : trial.failures) {
      curve.tokens += failure.tokens;
      curve.usd += failure.cost_usd;
      curve.unpriced = curve.unpriced || !failure.unpriced.empty();
    }
    if (trial.reply) {
      curve.tokens += trial.reply->fresh + trial.reply->cache_read + trial.reply->cache_write +
                      trial.reply->output;
      curve.usd += trial.reply->cost_usd;
      curve.unpriced = curve.unpriced || trial.reply->unpriced;
    }
    if (trial.verdict && !trial.source_sha256.empty()) judged.push_back(&trial);
  }
  std::stable_sort(judged.begin(), judged.end(), [](const auto* a, const auto* b) {
    return a->verdict->created_ms < b->verdict->created_ms;
  });
  std::set<std::string> seen;
  double best = 0;
  for (const auto* trial : judged) {
    if (!seen.insert(trial->source_sha256).second) continue;  // judged once
    const auto evaluation = evaluation_from_json(trial->verdict->result);
    if (evaluation.ok() && evaluation->valid()) {
      const double gain = speedup(*evaluation).value_or(0);
      if (gain > best) {
        best = gain;
        curve.share = roofline_share(*evaluation).value_or(0);
      }
    }
    curve.best.push_back(best);
  }
  return curve;
}

Interval wilson(int successes, int count) {
  if (count <= 0) return {};
  const double n = count;
  const double p = successes / n;
  const double centre = (p + kZ * kZ / (2 * n)) / (1 + kZ * kZ / n);
  const double half = kZ * std::sqrt(p * (1 - p) / n + kZ * kZ / (4 * n * n)) / (1 + kZ * kZ / n);
  return {p, std::max(0.0, centre - half), std::min(1.0, centre + half)};
}

std::vector<Interval> mean_gains(const std::vector<const RunCurve*>& runs,
                                 const std::vector<std::size_t>& evaluations) {
  std::vector<Interval> gains;
  for (const auto e : evaluations) {
    const double value = mean_gain(runs, e);
    gains.push_back({value, value, value});
  }
  if (runs.size() < 3) return gains;
  std::vector<std::vector<const RunCurve*>> tasks;
  for (auto& [task, of_task] : by_task(runs)) tasks.push_back(of_task);
  std::vector<std::vector<double>> samples(evaluations.size());
  Dice dice;
  for (int i = 0; i < kResamples; ++i) {
    const auto drawn = resampled(tasks, dice);
    for (std::size_t p = 0; p < evaluations.size(); ++p) {
      samples[p].push_back(mean_gain(drawn, evaluations[p]));
    }
  }
  for (std::size_t p = 0; p < evaluations.size(); ++p) {
    std::sort(samples[p].begin(), samples[p].end());
    gains[p].low = samples[p][static_cast<std::size_t>(0.025 * kResamples)];
    gains[p].high = samples[p][static_cast<std::size_t>(0.975 * kResamples) - 1];
  }
  return gains;
}

std::vector<std::string> group_names(const std::vector<RunStory>& stories) {
  std::vector<std::string> names(stories.size());
  const auto add = [&](const std::string& label, auto value_of) {
    std::set<std::string> values;
    for (const auto& story : stories) values.insert(value_of(story));
    if (values.size() < 2) return;
    for (std::size_t i = 0; i < stories.size(); ++i) {
      std::string value = value_of(stories[i]);
      if (value.empty()) value = "default";
      names[i] += (names[i].empty() ? "" : ", ") + (label.empty() ? value : label + " " + value);
    }
  };
  add("", [](const RunStory& story) { return story.run.model; });
  add("", [](const RunStory& story) { return story.run.strategy; });
  for (const auto key : kTelling) {
    add(std::string(key.substr(key.find('.') + 1)),
        [&](const RunStory& story) { return setting(story, key); });
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) names[i] = stories[i].run.model + ", " + stories[i].run.strategy;
  }
  return names;
}

Result<Page> compare_page(store::Archive& archive, const std::vector<std::string>& runs,
                          std::int64_t made_ms) {
  std::vector<RunStory> stories;
  std::set<std::string> known;
  for (const auto& name : runs) {
    WW_TRY(RunStory story, read_story(archive, name));
    if (known.insert(story.run.id).second) stories.push_back(std::move(story));
  }
  const auto names = group_names(stories);
  std::vector<RunCurve> curves;
  std::size_t most = 0;
  for (std::size_t i = 0; i < stories.size(); ++i) {
    curves.push_back(curve_of(stories[i]));
    curves.back().group = names[i];
    most = std::max(most, curves.back().best.size());
  }
  std::map<std::string, std::vector<const RunCurve*>> groups;
  json rows = json::array();
  for (const auto& curve : curves) {
    groups[curve.group].push_back(&curve);
    rows.push_back(row_json(curve));
  }
  json document = {{"kind", "runs"},
                   {"format", kPageFormat},
                   {"made_ms", made_ms},
                   {"rows", rows},
                   {"groups", json::array()}};
  for (const auto& [name, members] : groups) {
    document["groups"].push_back(group_json(name, members, points_to(most)));
  }
  return Page{"Comparison of runs · Warpwright", dump_json(document), {}, false};
}

}  // namespace warpwright::report
