// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "core/reward.h"
#include "search/strategy.h"

namespace warpwright::search {

namespace {

// How much an answer that was never continued is preferred to one that was.
constexpr double kPatience = 4;  // turns that are like this one before others count as much
constexpr double kTurnExploration = 0.08;

/// Multi-turn refinement (Kevin, arXiv 2507.11948) as a tree. Every answer may be continued, and so
/// may the first question. Each wave of N turns goes where the upper confidence bound of the
/// discounted return is highest, so that a wrong but promising kernel is carried on. A wave waits
/// for its last answer: proposals do not depend on who finished first.
class Tree final : public Strategy {
 public:
  Tree(const StrategyOptions& options, Composer& composer)
      : options_(options), composer_(composer) {
    nodes_.push_back({});  // the first question
  }

  Result<std::vector<Proposal>> start() override { return next_wave(); }

  Result<std::vector<Proposal>> start_from(const Trial& given) override {
    if (!given.evaluation.valid() && !can_be_mended(given)) return start();
    parent_of_[given.proposal.id] = 0;
    add(given);
    first_ = nodes_.size() - 1;
    return next_wave();
  }

  Result<std::vector<Proposal>> next(const Trial& finished) override {
    finished_.push_back(finished);
    if (static_cast<int>(finished_.size()) < options_.candidates) return std::vector<Proposal>{};
    std::sort(finished_.begin(), finished_.end(),
              [](const Trial& a, const Trial& b) { return a.proposal.slot < b.proposal.slot; });
    for (Trial& trial : std::exchange(finished_, {})) add(std::move(trial));
    if (wave_ == options_.depth) return std::vector<Proposal>{};
    return next_wave();
  }

 private:
  struct Node {
    Trial trial;
    std::size_t parent = 0;
    int asked = 0;  ///< continuations, those in flight included
    std::vector<std::size_t> children;
    double score = 0;  ///< S
  };

  void add(Trial trial) {
    const std::size_t parent = parent_of_.at(trial.proposal.id);
    // Nobody answered, or the judge failed: there is nothing to continue.
    if (trial.reply.empty() || trial.evaluation.verdict == Verdict::harness_error) {
      --nodes_[parent].asked;
      return;
    }
    nodes_[parent].children.push_back(nodes_.size());
    const double score = score_of(trial.evaluation);
    nodes_.push_back({std::move(trial), parent, 0, {}, score});
  }

  /// S. Where a task has no baseline the first right kernel is one: else all right kernels would
  /// score alike, and the first question more than any of them.
  [[nodiscard]] double score_of(Evaluation evaluation) {
    for (Measurement& each : evaluation.measurements) {
      if (evaluation.valid()) first_us_.emplace(each.size, each.median_us);
      if (const auto first = first_us_.find(each.size);
          each.baseline_us <= 0 && first != first_us_.end())
        each.baseline_us = first->second;
      if (is_below_floor(each)) each.floor_us = 0;
    }
    return turn_score(evaluation, rule_);
  }

  /// S of this turn and the discounted return of its best continuation.
  [[nodiscard]] double return_of(std::size_t node) const {
    double best = 0;
    for (const std::size_t child : nodes_[node].children) best = std::max(best, return_of(child));
    return nodes_[node].score + rule_.gamma * best;
  }

  /// What one more turn from here is expected to return: as good as this one, until continuations
  /// say otherwise. A wrong answer inherits a share of its parent's promise.
  [[nodiscard]] double promise_of(std::size_t node) const {
    const Node& n = nodes_[node];
    double prior = n.score * (1 + rule_.gamma);
    if (n.score == 0) prior = node == 0 ? 1 : rule_.gamma * promise_of(n.parent);
    double sum = kPatience * prior;
    for (const std::size_t child : n.children) sum += return_of(child);
    return sum / (kPatience + static_cast<double>(n.children.size()));
  }

  [[nodiscard]] std::size_t most_promising() const {
    double scale = 0;
    int turns = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      scale = std::max(scale, promise_of(i));
      turns += nodes_[i].asked;
    }
    std::size_t best = 0;
    double best_bound = -1;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const double unsure = std::sqrt(std::log(1.0 + turns) / (1.0 + nodes_[i].asked));
      const double bound = promise_of(i) / scale + kTurnExploration * unsure;
      if (bound <= best_bound) continue;  // the earlier one on a tie
      best = i;
      best_bound = bound;
    }
    return best;
  }

  /// What led to the node, oldest first, then what has come of it.
  [[nodiscard]] std::vector<Trial> seen_from(std::size_t node) const {
    std::vector<Trial> seen;
    for (std::size_t n = nodes_[node].parent; n != 0; n = nodes_[n].parent)
      seen.push_back(nodes_[n].trial);
    std::reverse(seen.begin(), seen.end());
    for (const std::size_t child : nodes_[node].children) seen.push_back(nodes_[child].trial);
    return seen;
  }

  Result<std::vector<Proposal>> next_wave() {
    ++wave_;
    std::vector<Proposal> proposals;
    for (int slot = 1; slot <= options_.candidates; ++slot) {
      const std::size_t from = wave_ == 1 ? first_ : most_promising();
      ++nodes_[from].asked;
      WW_TRY(proposals.emplace_back(), turn_from(from, slot));
    }
    return proposals;
  }

  Result<Proposal> turn_from(std::size_t node, int slot) {
    Proposal proposal;
    proposal.id = "w" + std::to_string(wave_) + ".c" + std::to_string(slot);
    proposal.round = wave_;
    proposal.slot = slot;
    parent_of_[proposal.id] = node;
    if (node == 0) {
      proposal.kind = "initial";
      WW_TRY(proposal.messages, composer_.initial());
      return proposal;
    }
    const Trial& last = nodes_[node].trial;
    proposal.parent = last.proposal.id;
    proposal.kind =
        last.evaluation.valid() ? "optimise" : repair_kind_name(last.evaluation.verdict);
    WW_TRY(proposal.messages, composer_.another_turn(last, seen_from(node)));
    return proposal;
  }

  StrategyOptions options_;
  Composer& composer_;
  std::size_t first_ = 0;  ///< the node that the first wave continues
  RewardRule rule_;
  int wave_ = 0;
  std::vector<Node> nodes_;
  std::vector<Trial> finished_;
  std::map<std::string, std::size_t> parent_of_;  ///< by the proposal's id
  std::map<std::string, double> first_us_;        ///< of the first right kernel, by size
};

}  // namespace

std::unique_ptr<Strategy> make_tree(const StrategyOptions& options, Composer& composer) {
  return std::make_unique<Tree>(options, composer);
}

}  // namespace warpwright::search
