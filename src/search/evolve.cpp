// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/one_way.h"
#include "search/bandit.h"
#include "search/niche.h"
#include "search/strategy.h"

namespace warpwright::search {

namespace {

constexpr int kWavesUntilRestart = 2;  // without a faster kernel

/// A population in niches (robust-kbench, AI CUDA Engineer). The fastest kernel of each niche is an
/// elite and may become a parent, by rank and by how seldom it was one. A wave of N proposals has
/// repairs, crossings of two elites, changes of one elite in directions that differ within the
/// wave, and a new beginning where nothing became faster for a while. A wave waits for its last
/// answer: proposals do not depend on who finished first. Which of several models is asked is a
/// bandit's choice.
class Evolve final : public Strategy {
 public:
  Evolve(const StrategyOptions& options, Composer& composer)
      : options_(options), composer_(composer), bandit_(options.models) {}

  Result<std::vector<Proposal>> start() override { return next_wave(); }

  Result<std::vector<Proposal>> start_from(const Trial& given) override {
    take({given});
    idle_waves_ = 0;
    return next_wave();
  }

  Result<std::vector<Proposal>> next(const Trial& finished) override {
    finished_.push_back(finished);
    if (static_cast<int>(finished_.size()) < options_.candidates) return std::vector<Proposal>{};
    std::sort(finished_.begin(), finished_.end(),
              [](const Trial& a, const Trial& b) { return a.proposal.slot < b.proposal.slot; });
    take(std::exchange(finished_, {}));
    if (wave_ == options_.depth) return std::vector<Proposal>{};
    return next_wave();
  }

 private:
  /// A model earns a half for a kernel as fast as the best one before, more for a faster one, and
  /// nothing for one that is not valid.
  void reward_models(const std::vector<Trial>& wave) {
    std::optional<double> mark;
    if (!best_.empty()) mark = score_us(tried_[best_index_].evaluation);
    for (const Trial& trial : wave) {
      const auto time = trial.evaluation.valid() ? score_us(trial.evaluation) : std::nullopt;
      if (best_.empty() && time) mark = std::min(mark.value_or(*time), *time);
    }
    for (const Trial& trial : wave) {
      const auto time = trial.evaluation.valid() ? score_us(trial.evaluation) : std::nullopt;
      bandit_.learn(trial.proposal.model, time && mark ? 1 / (1 + *time / *mark) : 0);
    }
  }

  void take(std::vector<Trial> wave) {
    reward_models(wave);
    ++idle_waves_;
    failed_.clear();
    for (Trial& trial : wave) {
      if (!trial.evaluation.valid()) {
        const bool repairable =
            repair_kind(trial.evaluation.verdict) != RepairKind::none && !trial.reply.empty();
        if (repairable && trial.proposal.repair < options_.repairs) failed_.push_back(trial);
        tried_.push_back(std::move(trial));
        continue;
      }
      if (best_.empty() || faster(trial, tried_[best_index_])) {
        best_ = trial.proposal.id;
        best_index_ = tried_.size();
        idle_waves_ = 0;
      }
      const auto [elite, is_new] = elites_.try_emplace(niche_of(trial), tried_.size());
      if (!is_new && faster(trial, tried_[elite->second])) elite->second = tried_.size();
      tried_.push_back(std::move(trial));
    }
  }

  /// The fastest first.
  [[nodiscard]] std::vector<std::size_t> ranked_elites() const {
    std::vector<std::size_t> ranked;
    for (const auto& [niche, index] : elites_) ranked.push_back(index);
    std::sort(ranked.begin(), ranked.end(),
              [&](std::size_t a, std::size_t b) { return faster(tried_[a], tried_[b]); });
    return ranked;
  }

  /// Rank and novelty: each place behind halves the weight, each child takes a share of it.
  std::size_t choose_parent(int slot, std::optional<std::size_t> other_than = {}) {
    const auto ranked = ranked_elites();
    double total = 0;
    std::vector<double> weights;
    for (std::size_t rank = 0; rank < ranked.size(); ++rank) {
      double weight = 1.0 / static_cast<double>(std::size_t{1} << std::min<std::size_t>(rank, 20));
      weight /= 1 + 0.25 * children_[ranked[rank]];
      if (other_than == ranked[rank]) weight = 0;
      weights.push_back(weight);
      total += weight;
    }
    const auto draw = one_way(static_cast<std::uint64_t>(wave_), other_than ? "second" : "first",
                              static_cast<std::uint64_t>(slot));
    double left = total * (static_cast<double>(draw >> 11) * 0x1p-53);
    for (std::size_t i = 0; i < ranked.size(); ++i) {
      left -= weights[i];
      if (left <= 0 && weights[i] > 0) return ranked[i];
    }
    return ranked.front();
  }

  Result<std::vector<Proposal>> next_wave() {
    ++wave_;
    std::vector<Proposal> proposals;
    const int count = options_.candidates;
    const bool no_elite = elites_.empty();
    const int repairs = no_elite ? count : std::max(1, count / 4);
    const int crossings = elites_.size() < 2 ? 0 : std::max(1, count / 4);
    int restarts = !no_elite && idle_waves_ >= kWavesUntilRestart ? 1 : 0;
    std::size_t next_failed = 0;
    int crossed = 0;
    for (int slot = 1; slot <= count; ++slot) {
      Proposal proposal = blank(slot);
      if (next_failed < failed_.size() && static_cast<int>(next_failed) < repairs) {
        WW_CHECK(make_repair(proposal, failed_[next_failed++]));
      } else if (no_elite || restarts > 0) {
        if (!no_elite) --restarts;
        proposal.kind = "initial";
        WW_TRY(proposal.messages, composer_.initial());
      } else if (crossed < crossings) {
        ++crossed;
        WW_CHECK(make_crossing(proposal));
      } else {
        WW_CHECK(make_change(proposal));
      }
      proposal.model = bandit_.choose();
      proposals.push_back(std::move(proposal));
    }
    if (idle_waves_ >= kWavesUntilRestart) idle_waves_ = 0;
    return proposals;
  }

  Status make_repair(Proposal& proposal, const Trial& failed) {
    proposal.kind = repair_kind_name(failed.evaluation.verdict);
    proposal.parent = failed.proposal.id;
    proposal.repair = failed.proposal.repair + 1;
    WW_TRY(proposal.messages, composer_.another_turn(failed, {}));
    return {};
  }

  Status make_crossing(Proposal& proposal) {
    const std::size_t first = choose_parent(proposal.slot);
    const std::size_t second = choose_parent(proposal.slot, first);
    ++children_[first];
    ++children_[second];
    proposal.kind = "combine";
    proposal.parent = tried_[first].proposal.id;
    WW_TRY(proposal.messages, composer_.combine(tried_[first], tried_[second]));
    return {};
  }

  Status make_change(Proposal& proposal) {
    const std::size_t parent = choose_parent(proposal.slot);
    std::vector<Trial> siblings;
    for (const Trial& trial : tried_) {
      if (trial.proposal.parent == tried_[parent].proposal.id) siblings.push_back(trial);
    }
    ++children_[parent];
    proposal.kind = "optimise";
    proposal.parent = tried_[parent].proposal.id;
    // Slots of a wave differ by one, waves by the number of slots: directions take turns.
    const int direction = (wave_ - 1) * options_.candidates + proposal.slot;
    WW_TRY(proposal.messages, composer_.change(tried_[parent], siblings, direction));
    return {};
  }

  [[nodiscard]] Proposal blank(int slot) const {
    Proposal proposal;
    proposal.id = "g" + std::to_string(wave_) + ".c" + std::to_string(slot);
    proposal.round = wave_;
    proposal.slot = slot;
    return proposal;
  }

  StrategyOptions options_;
  Composer& composer_;
  Bandit bandit_;  ///< over the models
  int wave_ = 0;
  int idle_waves_ = 0;
  std::vector<Trial> finished_;
  std::vector<Trial> tried_;
  std::vector<Trial> failed_;            ///< of the last wave, worth a repair
  std::map<Niche, std::size_t> elites_;  ///< into tried_
  std::map<std::size_t, int> children_;  ///< how often an elite was a parent
  std::string best_;
  std::size_t best_index_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_evolve(const StrategyOptions& options, Composer& composer) {
  return std::make_unique<Evolve>(options, composer);
}

}  // namespace warpwright::search
