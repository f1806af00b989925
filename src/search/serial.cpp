// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>

#include "search/strategy.h"

namespace warpwright::search {

namespace {

/// N independent chains of D turns. A chain refines its own last answer with its own feedback and
/// never waits for the others.
class Serial final : public Strategy {
 public:
  Serial(const StrategyOptions& options, Composer& composer)
      : options_(options), composer_(composer) {}

  Result<std::vector<Proposal>> start() override {
    WW_TRY(const auto messages, composer_.initial());
    return first_turns("initial", "", messages);
  }

  Result<std::vector<Proposal>> start_from(const Trial& given) override {
    if (!given.evaluation.valid() && !can_be_mended(given)) return start();
    for (int chain = 1; chain <= options_.candidates; ++chain) tried_[chain].push_back(given);
    if (given.evaluation.valid()) {
      WW_TRY(const auto messages, composer_.optimise(given, {}));
      return first_turns("optimise", given.proposal.id, messages);
    }
    WW_TRY(const auto messages, composer_.repair(given));
    return first_turns(repair_kind_name(given.evaluation.verdict), given.proposal.id, messages);
  }

  Result<std::vector<Proposal>> next(const Trial& finished) override {
    const int chain = finished.proposal.slot;
    const int turn = finished.proposal.round;
    auto& tried = tried_[chain];
    tried.push_back(finished);
    if (turn == options_.depth) return std::vector<Proposal>{};
    Proposal proposal = turn_of(chain, turn + 1);
    proposal.parent = finished.proposal.id;
    if (finished.evaluation.valid()) {
      proposal.kind = "optimise";
      WW_TRY(proposal.messages, composer_.optimise(finished, tried));
    } else if (repair_kind(finished.evaluation.verdict) == RepairKind::none ||
               finished.reply.empty()) {
      proposal.kind = finished.proposal.kind;
      proposal.messages = finished.proposal.messages;
    } else {
      proposal.kind = repair_kind_name(finished.evaluation.verdict);
      WW_TRY(proposal.messages, composer_.repair(finished));
    }
    return std::vector<Proposal>{std::move(proposal)};
  }

 private:
  [[nodiscard]] std::vector<Proposal> first_turns(const std::string& kind,
                                                  const std::string& parent,
                                                  const std::vector<llm::Message>& messages) const {
    std::vector<Proposal> proposals;
    for (int chain = 1; chain <= options_.candidates; ++chain) {
      Proposal proposal = turn_of(chain, 1);
      proposal.kind = kind;
      proposal.parent = parent;
      proposal.messages = messages;
      proposals.push_back(std::move(proposal));
    }
    return proposals;
  }

  static Proposal turn_of(int chain, int turn) {
    Proposal proposal;
    proposal.id = "k" + std::to_string(chain) + ".t" + std::to_string(turn);
    proposal.round = turn;
    proposal.slot = chain;
    return proposal;
  }

  StrategyOptions options_;
  Composer& composer_;
  std::map<int, std::vector<Trial>> tried_;
};

}  // namespace

std::unique_ptr<Strategy> make_serial(const StrategyOptions& options, Composer& composer) {
  return std::make_unique<Serial>(options, composer);
}

}  // namespace warpwright::search
