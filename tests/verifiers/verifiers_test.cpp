// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <mutex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sha256.h"
#include "core/evaluation_json.h"
#include "verifiers/gate.h"
#include "verifiers/procedures.h"
#include "verifiers/tally.h"

namespace warpwright::verifiers {
namespace {

using testing::HasSubstr;

/// Answers by what the question is about.
class Reader final : public llm::Model {
 public:
  using Answer = std::function<std::string(const llm::Request&)>;
  explicit Reader(Answer answer) : answer_(std::move(answer)) {}

  [[nodiscard]] std::string name() const override { return "reader"; }
  [[nodiscard]] int concurrency() const override { return 3; }
  [[nodiscard]] llm::Usage reserve(const llm::Request& request) const override {
    return {static_cast<std::int64_t>(request.messages.front().text.size()),
            0,
            0,
            request.max_output_tokens,
            0,
            false};
  }
  [[nodiscard]] double price_usd(const llm::Usage& usage) const override {
    return static_cast<double>(usage.total()) * 1e-6;
  }
  llm::Outcome ask(const llm::Request& request, const llm::ProgressCallback&,
                   const StopSignal&) override {
    const std::lock_guard lock(mutex_);
    asked.push_back(request.id);
    llm::Outcome outcome;
    const std::string text = answer_(request);
    if (text.empty()) {
      outcome.error = "no line to the service";
      return outcome;
    }
    outcome.kind = llm::OutcomeKind::answered;
    outcome.reply.text = text;
    outcome.reply.usage = {1000, 0, 0, 50, 0, false};
    outcome.reply.cost_usd = price_usd(outcome.reply.usage);
    return outcome;
  }

  std::vector<std::string> asked;

 private:
  Answer answer_;
  std::mutex mutex_;
};

class Judge final : public evaluate::Evaluator {
 public:
  [[nodiscard]] std::string device() const override { return "judge"; }
  [[nodiscard]] int parallelism() const override { return 1; }
  [[nodiscard]] double max_device_s() const override { return 1; }
  Result<Evaluation> evaluate(const evaluate::EvaluationRequest& request,
                              const StopSignal&) override {
    judged.push_back(request.source);
    Evaluation evaluation;
    evaluation.verdict = verdict;
    return evaluation;
  }
  Verdict verdict = Verdict::ok;
  std::vector<std::string> judged;
};

std::string yes(const llm::Request&) { return "All indices are within bounds.\nVOTE: yes\n"; }
std::string no(const llm::Request&) { return "BECAUSE: line 3 reads a[n]\n**VOTE: No.**\n"; }

/// A source that is refused for good, or one that is judged all the same.
std::string source_that(bool is_audited) {
  for (int i = 0;; ++i) {
    const std::string source = "// " + std::to_string(i);
    const auto number = std::stoul(sha256_hex(source).substr(0, 8), nullptr, 16);
    if ((number % kAuditOneIn == 0) == is_audited) return source;
  }
}

Evaluation judged_by(Judge& judge, Reader& reader, const std::string& source,
                     bool is_baseline = false) {
  const Panel panel(reader, "copy x to y");
  Gate gate(judge, panel);
  const StopSignal stop;
  return gate.evaluate({"id", source, is_baseline}, stop).value();
}

TEST(Opinion, TheLastVoteCountsWhateverSurroundsIt) {
  EXPECT_TRUE(opinion_in("VOTE: yes")->passes);
  EXPECT_FALSE(opinion_in("so\nBECAUSE: line 7 is odd\nVOTE: no\n")->passes);
  EXPECT_EQ(opinion_in("BECAUSE: line 7 is odd\nVOTE: no")->because, "line 7 is odd");
  EXPECT_EQ(opinion_in("VOTE: no\nBECAUSE: later")->because, "later");
  EXPECT_FALSE(opinion_in("VOTE: yes\nOn second thought:\n**Vote:** NO, line 2")->passes);
  EXPECT_TRUE(opinion_in("- `VOTE: yes`")->passes);
}

TEST(Opinion, WithoutAVoteThereIsNone) {
  for (const char* text : {"", "yes", "I vote yes", "VOTE:", "VOTE: maybe", "VOTE: nothing",
                           "VOTE: yesterday", "NOTE: no"})
    EXPECT_FALSE(opinion_in(text)) << text;
}

TEST(Procedures, EveryVerdictOfAKernelBelongsToOne) {
  for (int i = 0; i < kVerdictCount; ++i) {
    const auto verdict = static_cast<Verdict>(i);
    const bool open = verdict == Verdict::ok || verdict == Verdict::harness_error ||
                      verdict == Verdict::unchecked;
    int found = 0;
    for (const Procedure& procedure : procedures()) found += concerns(procedure, verdict) ? 1 : 0;
    EXPECT_EQ(found, open ? 0 : 1) << name_of(verdict);
  }
  const auto question = question_of(procedures()[0], "the task", "a\nb\n").front().text;
  EXPECT_THAT(question, HasSubstr("the task"));
  EXPECT_THAT(question, HasSubstr("2: b"));
}

TEST(Votes, AnArchiveKeepsThem) {
  Votes votes{.model = "m",
              .votes = {{"compile", true, ""}, {"numeric", false, "row: 3"}, {"memory", {}, "off"}},
              .tokens = 1234,
              .usd = 0.125,
              .refused = true,
              .audited = true};
  Evaluation evaluation;
  evaluation.verdict = Verdict::mismatch;
  record_votes(evaluation, votes);
  const auto read = evaluation_from_json(evaluation_to_json(evaluation));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(votes_of(*read), votes);
  EXPECT_FALSE(is_refusal(*read));
  votes.unpriced = true;
  votes.usd = 0;
  record_votes(evaluation, votes);
  EXPECT_EQ(votes_of(evaluation), votes);
  EXPECT_FALSE(votes_of(Evaluation()));
}

TEST(Gate, TwoOfThreeKeepACandidateFromTheJudge) {
  Judge judge;
  Reader reader([](const llm::Request& request) {
    return request.id.ends_with(".compile") ? yes(request) : no(request);
  });
  const Evaluation evaluation = judged_by(judge, reader, source_that(false));
  EXPECT_TRUE(judge.judged.empty());
  EXPECT_EQ(reader.asked.size(), 3u);
  EXPECT_EQ(evaluation.verdict, Verdict::unchecked);
  EXPECT_TRUE(is_refusal(evaluation));
  EXPECT_FALSE(score_us(evaluation));
  EXPECT_THAT(evaluation.feedback, HasSubstr("line 3 reads a[n]"));
  EXPECT_EQ(votes_of(evaluation)->tokens, 3 * 1050);
}

TEST(Gate, SomeOfTheRefusedAreJudgedAllTheSame) {
  Judge judge;
  Reader reader(no);
  const Evaluation evaluation = judged_by(judge, reader, source_that(true));
  EXPECT_EQ(judge.judged.size(), 1u);
  EXPECT_EQ(evaluation.verdict, Verdict::ok);
  EXPECT_TRUE(votes_of(evaluation)->audited);
}

TEST(Gate, OneVoteOrASilentModelKeepsNobodyOut) {
  Judge judge;
  Reader one([](const llm::Request& request) {
    return request.id.ends_with(".memory") ? no(request) : yes(request);
  });
  EXPECT_TRUE(judged_by(judge, one, "x").valid());
  Reader silent([](const llm::Request&) { return std::string(); });
  const Evaluation evaluation = judged_by(judge, silent, "y");
  EXPECT_TRUE(evaluation.valid());
  EXPECT_EQ(votes_of(evaluation)->votes.front().passes, std::nullopt);
  EXPECT_THAT(votes_of(evaluation)->votes.front().because, HasSubstr("no line"));
}

TEST(Gate, BaselinesAndLongSourcesAreNotShown) {
  Judge judge;
  Reader reader(no);
  EXPECT_TRUE(judged_by(judge, reader, source_that(false), true).valid());
  EXPECT_TRUE(judged_by(judge, reader, std::string(kLongestSource + 1, '/')).valid());
  EXPECT_TRUE(reader.asked.empty());
}

TEST(Panel, TheBoundHoldsForAnySource) {
  Reader reader(yes);
  const Panel panel(reader, "task");
  std::string lines;
  while (Panel::may_see(lines + "a;\n")) lines += "a;\n";
  EXPECT_GT(lines.size(), kLongestSource / 8);
  EXPECT_FALSE(Panel::may_see(std::string(kLongestSource, '\n')));
  std::int64_t cost = 0;
  for (const Procedure& procedure : procedures()) {
    llm::Request request;
    request.messages = question_of(procedure, "task", lines);
    request.max_output_tokens = kMostTokens;
    cost += reader.reserve(request).total();
  }
  EXPECT_GE(panel.most().tokens, cost);
  EXPECT_GT(panel.most().usd, 0);
}

Evaluation with(Verdict verdict) {
  Evaluation evaluation;
  evaluation.verdict = verdict;
  evaluation.stage_s = {{"build", 2}, {"validate", 3}, {"validate.reference", 1}};
  return evaluation;
}

Votes said(std::optional<bool> compile, std::optional<bool> numeric, std::optional<bool> memory) {
  Votes votes{.model = "m",
              .votes = {{"compile", compile, ""}, {"numeric", numeric, ""}, {"memory", memory, ""}},
              .tokens = 100,
              .usd = 0.5};
  votes.refused = votes_against(votes.votes);
  return votes;
}

TEST(Tally, CountsAgainstTheJudge) {
  Tally tally;
  tally.add(with(Verdict::mismatch), said(true, false, true));
  tally.add(with(Verdict::mismatch), said(true, true, true));
  tally.add(with(Verdict::ok), said(true, false, false));
  tally.add(with(Verdict::compile_error), said(false, false, std::nullopt));
  tally.add(with(Verdict::unchecked), said(false, false, false));  // not judged
  EXPECT_EQ(tally.programs, 5);
  EXPECT_EQ(tally.judged, 4);
  EXPECT_EQ(tally.refused, 3);
  EXPECT_EQ(tally.tokens, 500);
  EXPECT_EQ(tally.judge_s, 20);
  const Score& compile = tally.scores[0];
  EXPECT_EQ(compile.precision(), 1.0);
  EXPECT_EQ(compile.recall(), 1.0);
  EXPECT_EQ(compile.false_alarm_rate(), 0.0);
  const Score& numeric = tally.scores[1];
  EXPECT_EQ(numeric.objections, 3);
  EXPECT_DOUBLE_EQ(*numeric.precision(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(*numeric.recall(), 0.5);
  EXPECT_EQ(numeric.false_alarm_rate(), 1.0);
  const Score& memory = tally.scores[2];
  EXPECT_EQ(memory.votes, 3);
  EXPECT_EQ(memory.recall(), std::nullopt);
  const Score& all = tally.scores[3];
  EXPECT_EQ(all.objections, 2);
  EXPECT_DOUBLE_EQ(*all.precision(), 0.5);
  EXPECT_DOUBLE_EQ(*all.recall(), 1.0 / 3);
}

}  // namespace
}  // namespace warpwright::verifiers
