// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/reward.h"
#include "data/judging.h"
#include "data/sketch.h"
#include "data/source.h"

namespace warpwright::data {

/// What selections need of one answer: some 300 bytes, whatever its texts are.
struct Card {
  std::uint32_t source = 0;  ///< in Catalogue::sources
  Place place;
  std::uint32_t task = 0;          ///< in Catalogue::tasks
  std::int32_t parent = -1;        ///< in Catalogue::cards
  std::optional<Verdict> verdict;  ///< absent: not judged
  bool is_reasoning = false;
  float tokens = 0;     ///< of its reasoning, else of the words around the code
  double speedup = 0;   ///< 0: not known
  double score_us = 0;  ///< 0: not known; geometric means of the times and their intervals
  double low_us = 0, high_us = 0;
  double turn_score = 0;     ///< S
  std::uint64_t prompt = 0;  ///< of the messages' hash
  std::uint64_t device = 0;  ///< of its name's hash: times of two devices are not compared
  Sketch sketch = {};

  [[nodiscard]] bool ok() const { return verdict == Verdict::ok; }
};

struct TaskEntry {
  std::string name;
  std::string type;
};

/// All answers of some sources, without their texts.
struct Catalogue {
  std::vector<std::unique_ptr<Source>> sources;
  std::vector<TaskEntry> tasks;
  std::vector<Card> cards;
};

struct CatalogueOptions {
  RewardRule reward;
  /// Answers without a verdict are judged first; null: they stay without one.
  const Judging* judging = nullptr;
};

Result<Catalogue> make_catalogue(std::vector<std::unique_ptr<Source>> sources,
                                 const CatalogueOptions& options);

/// A sample with its verdict: this process's where there is one, else the stored.
struct JudgedSample {
  Sample sample;
  std::optional<Evaluation> evaluation;
  bool judged_now = false;
};
Result<JudgedSample> fetch(Catalogue& catalogue, const Card& card, const Judging* judging);

/// A card's figures of a verdict.
void note_verdict(Card& card, const Evaluation& evaluation, const RewardRule& reward);

/// Median; 0 of nothing.
double median_of(std::vector<double> values);

}  // namespace warpwright::data
