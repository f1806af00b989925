// SPDX-License-Identifier: Apache-2.0
#include "data/catalogue.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/sha256.h"

namespace warpwright::data {

namespace {

std::uint64_t number_of(const std::string& text) {
  const std::string hash = sha256_hex(text).substr(0, 16);
  std::uint64_t value = 0;
  std::from_chars(hash.data(), hash.data() + hash.size(), value, 16);
  return value;
}

std::uint64_t prompt_number(const Sample& sample) {
  std::string text = sample.task_name + "\n" + sample.rule_set + "\n";
  for (const auto& message : sample.messages) text += message.role + "\n" + message.text + "\n";
  return number_of(text);
}

double geometric_mean(const Evaluation& evaluation, double Measurement::*field) {
  double sum = 0;
  for (const auto& m : evaluation.measurements) {
    const double us = m.*field + m.host_excess_us;
    if (us <= 0) return 0;
    sum += std::log(us);
  }
  if (evaluation.measurements.empty()) return 0;
  return std::exp(sum / static_cast<double>(evaluation.measurements.size()));
}

/// All sources through one pool: many recordings have fewer answers than a GPU's host has cores.
Status judge_missing(const std::vector<std::unique_ptr<Source>>& sources, const Judging& judging) {
  JudgePool pool(judging);
  for (const auto& source : sources) {
    WW_CHECK(source->each([&](const Place& place) -> Status {
      WW_TRY(const Sample sample, source->fetch(place));
      if (sample.evaluation) return {};
      if (auto wish = wish_of(sample)) return pool.add(std::move(*wish));
      return {};
    }));
  }
  return pool.finish();
}

/// Numbers names as they come.
class Tasks {
 public:
  explicit Tasks(std::vector<TaskEntry>& entries) : entries_(entries) {}
  std::uint32_t number(const Sample& sample) {
    const auto [found, is_new] =
        numbers_.try_emplace(sample.task_name, static_cast<std::uint32_t>(entries_.size()));
    if (is_new) entries_.push_back({sample.task_name, std::string(task_type(sample))});
    return found->second;
  }

 private:
  std::vector<TaskEntry>& entries_;
  std::map<std::string, std::uint32_t> numbers_;
};

Card card_of(const JudgedSample& judged, const RewardRule& reward) {
  Card card;
  const auto thinking = thinking_of(judged.sample);
  card.tokens = static_cast<float>(thinking.tokens);
  card.is_reasoning = thinking.is_reasoning;
  card.prompt = prompt_number(judged.sample);
  if (!judged.sample.source.empty()) card.sketch = sketch_of(judged.sample.source);
  if (judged.evaluation) note_verdict(card, *judged.evaluation, reward);
  return card;
}

Status add_cards(Catalogue& catalogue, std::uint32_t number, Tasks& tasks,
                 const CatalogueOptions& options) {
  Source& source = *catalogue.sources[number];
  std::map<std::string, std::int32_t> of_run;  // trial -> card, of one run at a time
  std::uint32_t run = 0;
  return source.each([&](const Place& place) -> Status {
    if (place.run != run) of_run.clear();
    run = place.run;
    Card where;
    where.source = number;
    where.place = place;
    WW_TRY(const JudgedSample judged, fetch(catalogue, where, options.judging));
    Card card = card_of(judged, options.reward);
    card.source = number;
    card.place = place;
    card.task = tasks.number(judged.sample);
    const auto parent = of_run.find(judged.sample.parent);
    if (parent != of_run.end()) card.parent = parent->second;
    of_run[place.trial] = static_cast<std::int32_t>(catalogue.cards.size());
    catalogue.cards.push_back(std::move(card));
    return {};
  });
}

}  // namespace

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

void note_verdict(Card& card, const Evaluation& evaluation, const RewardRule& reward) {
  card.verdict = evaluation.verdict;
  card.turn_score = turn_score(evaluation, reward);
  card.device = number_of(evaluation.device);
  card.speedup = 0;
  card.score_us = card.low_us = card.high_us = 0;
  if (!evaluation.valid()) return;
  card.speedup = speedup(evaluation).value_or(0);
  card.score_us = score_us(evaluation).value_or(0);
  card.low_us = geometric_mean(evaluation, &Measurement::low_us);
  card.high_us = geometric_mean(evaluation, &Measurement::high_us);
}

Result<JudgedSample> fetch(Catalogue& catalogue, const Card& card, const Judging* judging) {
  JudgedSample judged;
  WW_TRY(judged.sample, catalogue.sources.at(card.source)->fetch(card.place));
  if (judging != nullptr) {
    if (const auto wish = wish_of(judged.sample)) {
      WW_TRY(judged.evaluation, known_verdict(*judging, *wish));
    }
  }
  judged.judged_now = judged.evaluation.has_value();
  if (!judged.evaluation) judged.evaluation = judged.sample.evaluation;
  if (!judged.evaluation && judged.sample.source.empty()) {
    Evaluation none;  // an answer without code needs no judge
    none.verdict = Verdict::no_code;
    none.reason = judged.sample.no_code;
    judged.evaluation = none;
  }
  return judged;
}

Result<Catalogue> make_catalogue(std::vector<std::unique_ptr<Source>> sources,
                                 const CatalogueOptions& options) {
  Catalogue catalogue;
  catalogue.sources = std::move(sources);
  Tasks tasks(catalogue.tasks);
  if (options.judging != nullptr) {
    WW_CHECK(judge_missing(catalogue.sources, *options.judging));
  }
  for (std::uint32_t i = 0; i < catalogue.sources.size(); ++i) {
    WW_CHECK(add_cards(catalogue, i, tasks, options));
  }
  return catalogue;
}

}  // namespace warpwright::data
