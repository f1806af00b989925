// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "search/strategy.h"

namespace warpwright::search {

namespace {

/// Feature Search and Reinforcement, Algorithm 1 of arXiv 2506.09092: each round asks for N
/// candidates. If some are valid, the fastest one and its dialogue make the next round's prompt.
/// If none is, each gets the repair prompt of its own failure and the round is tried again, at
/// most `repairs` times (the paper's loop has no bound).
class Fsr final : public Strategy {
 public:
  Fsr(const StrategyOptions& options, Composer& composer)
      : options_(options), composer_(composer) {}

  Result<std::vector<Proposal>> start() override {
    WW_TRY(auto messages, composer_.initial());
    return ask_all("initial", "", messages);
  }

  Result<std::vector<Proposal>> start_from(const Trial& given) override {
    tried_.push_back(given);
    if (given.evaluation.valid()) {
      best_ = given;
      round_ = 0;
      return refine(given);
    }
    if (!can_be_mended(given)) return start();
    WW_TRY(const auto messages, composer_.repair(given));
    const std::string kind = repair_kind_name(given.evaluation.verdict);
    return ask_all(kind.c_str(), given.proposal.id, messages);
  }

  Result<std::vector<Proposal>> next(const Trial& finished) override {
    current_.push_back(finished);
    if (static_cast<int>(current_.size()) < options_.candidates) return std::vector<Proposal>{};
    std::sort(current_.begin(), current_.end(),
              [](const Trial& a, const Trial& b) { return a.proposal.slot < b.proposal.slot; });
    const std::vector<Trial> round = std::exchange(current_, {});
    tried_.insert(tried_.end(), round.begin(), round.end());
    const auto winner = std::min_element(round.begin(), round.end(), faster);
    if (winner->evaluation.valid()) {
      // The paper goes on from the round's winner, also when an earlier round's was faster.
      if (!best_ || faster(*winner, *best_)) best_ = *winner;
      return refine(*best_);
    }
    return repair(round);
  }

 private:
  Result<std::vector<Proposal>> refine(const Trial& winner) {
    if (round_ == options_.depth) return std::vector<Proposal>{};
    WW_TRY(auto messages, composer_.optimise(winner, tried_));
    ++round_;
    repair_ = 0;
    return ask_all("optimise", winner.proposal.id, messages);
  }

  Result<std::vector<Proposal>> repair(const std::vector<Trial>& round) {
    if (repair_ == options_.repairs) {
      // The round is lost; the best of earlier rounds gets another one.
      if (!best_) return std::vector<Proposal>{};
      return refine(*best_);
    }
    ++repair_;
    std::vector<Proposal> proposals;
    for (const Trial& failed : round) {
      Proposal proposal = blank(failed.proposal.slot);
      proposal.parent = failed.proposal.id;
      if (repair_kind(failed.evaluation.verdict) == RepairKind::none || failed.reply.empty()) {
        // The judge or the provider failed, not the answer: the same question once more.
        proposal.kind = failed.proposal.kind;
        proposal.messages = failed.proposal.messages;
      } else {
        proposal.kind = repair_kind_name(failed.evaluation.verdict);
        WW_TRY(proposal.messages, composer_.repair(failed));
      }
      proposals.push_back(std::move(proposal));
    }
    return proposals;
  }

  Result<std::vector<Proposal>> ask_all(const char* kind, const std::string& parent,
                                        const std::vector<llm::Message>& messages) const {
    std::vector<Proposal> proposals;
    for (int slot = 1; slot <= options_.candidates; ++slot) {
      Proposal proposal = blank(slot);
      proposal.kind = kind;
      proposal.parent = parent;
      proposal.messages = messages;
      proposals.push_back(std::move(proposal));
    }
    return proposals;
  }

  [[nodiscard]] Proposal blank(int slot) const {
    Proposal proposal;
    proposal.id = "r" + std::to_string(round_) + ".c" + std::to_string(slot);
    if (repair_ > 0) proposal.id += ".fix" + std::to_string(repair_);
    proposal.round = round_;
    proposal.slot = slot;
    proposal.repair = repair_;
    return proposal;
  }

  StrategyOptions options_;
  Composer& composer_;
  int round_ = 1;
  int repair_ = 0;
  std::vector<Trial> current_;
  std::vector<Trial> tried_;
  std::optional<Trial> best_;
};

}  // namespace

std::unique_ptr<Strategy> make_fsr(const StrategyOptions& options, Composer& composer) {
  return std::make_unique<Fsr>(options, composer);
}

}  // namespace warpwright::search
