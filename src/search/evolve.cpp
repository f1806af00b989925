// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iterator>
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
// A strong model's answers to slow parents were slow (kb2_036 of the second campaign: parents twice
// as slow as the best one).
constexpr int kSharpness = 6;            // a parent that takes t times as long weighs t^-6
constexpr double kWorthCombining = 1.5;  // times the best one's time
// Logarithm of what the better of both at each size gains.
constexpr double kWorthAtSomeSize = 0.01;
// Share of the roofline from which a design is not in question.
constexpr double kNearTheFloor = 0.6;

/// What the pair gains over the first alone, where at each size the faster of both is taken. Sizes
/// whose intervals overlap count as equal.
double adds_to(const Trial& first, const Trial& other) {
  double log_sum = 0, weights = 0;
  for (const Measurement& mine : first.evaluation.measurements) {
    const auto& theirs = other.evaluation.measurements;
    const auto same = std::find_if(theirs.begin(), theirs.end(),
                                   [&](const Measurement& m) { return m.size == mine.size; });
    if (same == theirs.end() || call_us(*same) <= 0) return 0;
    weights += mine.weight;
    if (same->high_us + same->host_excess_us < mine.low_us + mine.host_excess_us)
      log_sum += mine.weight * std::log(call_us(mine) / call_us(*same));
  }
  return weights > 0 ? log_sum / weights : 0;
}

/// A population in niches (robust-kbench, AI CUDA Engineer). The fastest kernel of each niche is an
/// elite and may become a parent: by rank, by how near it is to the best one, and by how seldom it
/// was one. A wave of N proposals has repairs, and takes turns between all changes of the best
/// kernel that pay, crossings of two, changes of one elite in directions that differ, and other
/// designs where the best one is far from the floor. A kernel that leads at some size is the first
/// choice for a crossing. Where nothing became faster for a while, one begins anew. A wave waits
/// for its last answer: proposals do not depend on who finished first. Which of several models is
/// asked is a bandit's choice.
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
      at_[trial.proposal.id] = tried_.size();
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

  [[nodiscard]] double times_the_best(std::size_t index) const {
    const auto mine = score_us(tried_[index].evaluation);
    const auto best = score_us(tried_[best_index_].evaluation);
    return mine && best && *best > 0 ? *mine / *best : 1;
  }

  /// Rank, nearness and novelty: each place behind halves the weight, each child takes a share.
  std::size_t choose_parent(int slot) {
    const auto ranked = ranked_elites();
    double total = 0;
    std::vector<double> weights;
    for (std::size_t rank = 0; rank < ranked.size(); ++rank) {
      double weight = 1.0 / static_cast<double>(std::size_t{1} << std::min<std::size_t>(rank, 20));
      weight /= 1 + 0.25 * children_[ranked[rank]];
      weight *= std::pow(times_the_best(ranked[rank]), -kSharpness);
      weights.push_back(weight);
      total += weight;
    }
    const auto draw =
        one_way(static_cast<std::uint64_t>(wave_), "first", static_cast<std::uint64_t>(slot));
    double left = total * (static_cast<double>(draw >> 11) * 0x1p-53);
    for (std::size_t i = 0; i < ranked.size(); ++i) {
      left -= weights[i];
      if (left <= 0 && weights[i] > 0) return ranked[i];
    }
    return ranked.front();
  }

  /// What an answer was made from, itself among them: parents of changes and both of crossings.
  /// Another design begins anew.
  [[nodiscard]] std::set<std::size_t> line_of(std::size_t index) const {
    std::set<std::size_t> line;
    std::vector<std::size_t> open = {index};
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      if (!line.insert(at).second || tried_[at].proposal.kind == "redesign") continue;
      if (const auto parent = at_.find(tried_[at].proposal.parent); parent != at_.end())
        open.push_back(parent->second);
      if (const auto other = other_parent_.find(tried_[at].proposal.id);
          other != other_parent_.end())
        open.push_back(other->second);
    }
    return line;
  }

  /// Of the valid kernels that were neither combined with this one nor made from it or before it:
  /// the one that adds most at single sizes, and to which this one adds; else the fastest that is
  /// not much slower than the best and has nothing in common with this one.
  [[nodiscard]] std::optional<std::size_t> partner_of(std::size_t first) const {
    std::optional<std::size_t> adding, stranger;
    double most = kWorthAtSomeSize;
    const std::set<std::size_t> own = line_of(first);
    for (std::size_t i = 0; i < tried_.size(); ++i) {
      if (i == first || !tried_[i].evaluation.valid() || combined_.contains(std::minmax(first, i)))
        continue;
      const std::set<std::size_t> theirs = line_of(i);
      if (own.contains(i) || theirs.contains(first)) continue;
      const double adds =
          std::min(adds_to(tried_[first], tried_[i]), adds_to(tried_[i], tried_[first]));
      if (adds > most) {
        most = adds;
        adding = i;
      }
      const bool apart = std::none_of(theirs.begin(), theirs.end(),
                                      [&](std::size_t at) { return own.contains(at); });
      if (!apart || times_the_best(i) > kWorthCombining) continue;
      if (!stranger || faster(tried_[i], tried_[*stranger])) stranger = i;
    }
    return adding ? adding : stranger;
  }

  /// Where nothing became faster; and once where the best kernel is known to be far from the floor.
  [[nodiscard]] bool wants_another_design() const {
    const auto share = roofline_share(tried_[best_index_].evaluation);
    return idle_waves_ > 0 || (!asked_for_design_ && share && *share < kNearTheFloor);
  }

  enum class Kind { improvement, crossing, change, design };

  /// What the next slot is for, once there is a valid kernel: they take turns. In one wave nothing
  /// is asked twice.
  Kind next_kind(std::set<Kind>& of_this_wave) {
    constexpr Kind kTurns[] = {Kind::improvement, Kind::crossing, Kind::change, Kind::design};
    Kind kind = kTurns[turn_++ % std::size(kTurns)];
    if (kind == Kind::design && !wants_another_design()) kind = Kind::change;
    const bool is_again = !of_this_wave.insert(kind).second;
    if (is_again && (kind == Kind::improvement || kind == Kind::design)) kind = Kind::change;
    return kind;
  }

  Result<std::vector<Proposal>> next_wave() {
    ++wave_;
    std::vector<Proposal> proposals;
    const int count = options_.candidates;
    const bool no_elite = elites_.empty();
    const std::size_t repairs =
        std::min<std::size_t>(failed_.size(), no_elite ? count : std::max(1, count / 4));
    bool restarts = !no_elite && idle_waves_ >= kWavesUntilRestart;
    std::set<Kind> kinds;
    for (int slot = 1; slot <= count; ++slot) {
      Proposal proposal = blank(slot);
      if (const auto index = static_cast<std::size_t>(slot - 1); index < repairs) {
        WW_CHECK(make_repair(proposal, failed_[index]));
      } else if (no_elite || restarts) {
        if (std::exchange(restarts, false)) idle_waves_ = 0;
        proposal.kind = "initial";
        WW_TRY(proposal.messages, composer_.initial());
      } else {
        WW_CHECK(make_next(proposal, next_kind(kinds)));
      }
      proposal.model = bandit_.choose();
      proposals.push_back(std::move(proposal));
    }
    return proposals;
  }

  Status make_next(Proposal& proposal, Kind kind) {
    switch (kind) {
      case Kind::improvement:
        return make_improvement(proposal);
      case Kind::crossing:
        return make_crossing(proposal);
      case Kind::design:
        return make_design(proposal);
      case Kind::change:
        break;
    }
    return make_change(proposal);
  }

  Status make_improvement(Proposal& proposal) {
    ++children_[best_index_];
    proposal.kind = "improve";
    proposal.parent = best_;
    WW_TRY(proposal.messages, composer_.improve(tried_[best_index_], tried_));
    return {};
  }

  Status make_design(Proposal& proposal) {
    asked_for_design_ = true;
    proposal.kind = "redesign";
    proposal.parent = best_;
    WW_TRY(proposal.messages, composer_.redesign(tried_[best_index_], tried_));
    return {};
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
    const auto partner = partner_of(first);
    if (!partner) return make_change(proposal);
    const std::size_t second = *partner;
    combined_.insert(std::minmax(first, second));
    other_parent_[proposal.id] = second;
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
  std::map<std::string, std::size_t> at_;  ///< into tried_, by id
  std::vector<Trial> failed_;              ///< of the last wave, worth a repair
  std::map<Niche, std::size_t> elites_;    ///< into tried_
  std::map<std::size_t, int> children_;    ///< how often an elite was a parent
  std::set<std::pair<std::size_t, std::size_t>> combined_;
  std::map<std::string, std::size_t> other_parent_;  ///< of a crossing, into tried_
  std::size_t turn_ = 0;                             ///< of the kinds
  bool asked_for_design_ = false;
  std::string best_;
  std::size_t best_index_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_evolve(const StrategyOptions& options, Composer& composer) {
  return std::make_unique<Evolve>(options, composer);
}

}  // namespace warpwright::search
