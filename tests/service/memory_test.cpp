// SPDX-License-Identifier: Apache-2.0
// What a service knows after the process of an earlier one is gone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/files.h"
#include "mcp/fake_workshop.h"
#include "service/api.h"

namespace warpwright::service {
namespace {

using mcp::Json;
using testing::HasSubstr;

class Memory : public testing::Test {
 protected:
  std::unique_ptr<JudgeService> start(mcp::Workshop& workshop, const std::string& manner = "") {
    ledger_.reset();
    ledger_ = std::move(store::Ledger::open(folder_.path() / "judge.db", clock_)).value();
    QueueOptions options{.parallelism = 1};
    options.ledger = ledger_.get();
    return std::make_unique<JudgeService>(workshop, options, manner);
  }
  static report::WebAnswer ask(JudgeService& service, const std::string& path, const Json& body) {
    for (const auto& endpoint : service.endpoints()) {
      if (endpoint.path != path) continue;
      return endpoint.answer(
          {"POST", path, body.dump(), [](const char*) { return std::string(); }});
    }
    return {404, "", ""};
  }
  static Json question(const std::string& source, double wait_s = 60) {
    return {{"task", "transpose"}, {"source", source}, {"wait_s", wait_s}};
  }

  SystemClock clock_;
  TemporaryDirectory folder_ = std::move(TemporaryDirectory::create("ww-memory-")).value();
  std::unique_ptr<store::Ledger> ledger_;
};

TEST_F(Memory, AVerdictIsGivenOnceForAllProcesses) {
  mcp::FakeWorkshop first, second;
  std::string id;
  {
    const auto service = start(first);
    const auto answer = ask(*service, "/v1/judge", question("good"));
    ASSERT_EQ(answer.status, 200);
    id = Json::parse(answer.body)["id"];
    EXPECT_EQ(ask(*service, "/v1/judge", question("good")).status, 200);
    EXPECT_EQ(first.judged, 1);
  }
  const auto service = start(second);
  EXPECT_EQ(ask(*service, "/v1/result", {{"id", id}}).status, 200);
  const auto again = ask(*service, "/v1/judge", question("good"));
  EXPECT_NEAR(Json::parse(again.body)["reward"].get<double>(), 2.3, 1e-12);
  EXPECT_EQ(second.judged, 0);
}

TEST_F(Memory, QuestionsThatWereOpenAreJudgedByTheNextProcess) {
  std::vector<std::string> ids;
  mcp::FakeWorkshop first, second;
  {
    const auto service = start(first);
    ask(*service, "/v1/judge", question("slow", 0));  // holds the only judge up
    for (const char* source : {"good", "bad"}) {
      const auto answer = ask(*service, "/v1/judge", question(source, 0));
      ASSERT_EQ(answer.status, 202);
      ids.push_back(Json::parse(answer.body)["id"]);
    }
    service->stop();
  }
  // The slow one would hold up this process, too.
  ledger_.reset();
  ledger_ = std::move(store::Ledger::open(folder_.path() / "judge.db", clock_)).value();
  for (const auto& open : ledger_->unfinished().value()) {
    if (open.wish.find("slow") != std::string::npos) {
      ASSERT_TRUE(ledger_->drop(open.id).ok());
    }
  }
  const auto service = start(second);
  for (const auto& id : ids) {
    EXPECT_EQ(ask(*service, "/v1/result", {{"id", id}, {"wait_s", 60}}).status, 200);
  }
  EXPECT_EQ(second.judged, 2);
  const std::string figures = ask(*service, "/metrics", {}).body;
  EXPECT_THAT(figures, HasSubstr("warpwright_questions_resumed_total 2\n"));
  EXPECT_THAT(figures, HasSubstr("warpwright_ledger_open 0\n"));
  EXPECT_THAT(figures, HasSubstr("warpwright_ledger_verdicts 2\n"));
}

TEST_F(Memory, AnotherMannerIsAnotherQuestion) {
  mcp::FakeWorkshop first, second;
  { ask(*start(first, "simt"), "/v1/judge", question("good")); }
  const auto service = start(second, "cuda");
  EXPECT_EQ(ask(*service, "/v1/judge", question("good")).status, 200);
  EXPECT_EQ(second.judged, 1);
}

TEST_F(Memory, AJudgeThatFailsIsTriedAgainAndNotRemembered) {
  mcp::FakeWorkshop workshop;
  const auto service = start(workshop);
  EXPECT_EQ(ask(*service, "/v1/judge", question("broken judge")).status, 503);
  EXPECT_EQ(workshop.judged, 3);
  EXPECT_EQ(ledger_->figures().value().open, 0);
}

TEST(JudgeQueue, AJudgeThatDiedOnceIsNoMatter) {
  JudgeQueue queue({.parallelism = 1});
  std::atomic<int> tries{0};
  const auto ticket = queue.ask({"a", ""}, [&](const StopSignal&) -> Result<Evaluation> {
    Evaluation evaluation;
    evaluation.verdict = ++tries == 1 ? Verdict::harness_error : Verdict::mismatch;
    return evaluation;
  });
  const auto stand = ticket->wait(std::chrono::seconds(60));
  ASSERT_TRUE(stand.evaluation.has_value());
  EXPECT_EQ(stand.evaluation->verdict, Verdict::mismatch);
  EXPECT_EQ(queue.figures().retried, 1U);
}

}  // namespace
}  // namespace warpwright::service
