// SPDX-License-Identifier: Apache-2.0
#include "llm/provider.h"

namespace warpwright::llm {

namespace {

/// Somebody else answers, later: a person, a coding agent, the other side of an air gap. The
/// caller writes the question down.
class InboxModel final : public Model {
 public:
  explicit InboxModel(int concurrency) : concurrency_(concurrency) {}

  [[nodiscard]] std::string name() const override { return "inbox"; }
  [[nodiscard]] int concurrency() const override { return concurrency_; }
  [[nodiscard]] Usage reserve(const Request&) const override { return {}; }
  [[nodiscard]] double price_usd(const Usage&) const override { return 0; }
  Outcome ask(const Request&, const ProgressCallback&, const StopSignal&) override {
    Outcome outcome;
    outcome.kind = OutcomeKind::waiting;
    return outcome;
  }

 private:
  int concurrency_;
};

}  // namespace

Result<std::unique_ptr<Model>> make_inbox(const ProviderInput& input) {
  constexpr int kQuestionsAtOnce = 64;
  const int wanted = input.options.concurrency;
  return std::unique_ptr<Model>(
      std::make_unique<InboxModel>(wanted > 0 ? wanted : kQuestionsAtOnce));
}

}  // namespace warpwright::llm
