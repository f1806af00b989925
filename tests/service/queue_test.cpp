// SPDX-License-Identifier: Apache-2.0
#include "service/queue.h"

#include <atomic>
#include <future>

#include <gtest/gtest.h>

namespace warpwright::service {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kLong{20'000};

Result<Evaluation> fine(const StopSignal&) {
  Evaluation evaluation;
  evaluation.verdict = Verdict::ok;
  return evaluation;
}

/// Work that waits for its permission.
struct Gate {
  std::promise<void> opened;
  std::shared_future<void> future = opened.get_future().share();
  auto work() {
    return [future = future](const StopSignal& stop) {
      future.wait();
      return fine(stop);
    };
  }
};

TEST(JudgeQueue, EqualQuestionsAreJudgedOnce) {
  JudgeQueue queue({.parallelism = 2});
  std::atomic<int> judged{0};
  const auto work = [&](const StopSignal& stop) {
    ++judged;
    return fine(stop);
  };
  const auto first = queue.ask({"a", "x"}, work);
  const auto second = queue.ask({"a", "y"}, work);
  EXPECT_EQ(first, second);
  EXPECT_EQ(first->wait(kLong).evaluation->verdict, Verdict::ok);
  EXPECT_EQ(queue.ask({"a", "x"}, work)->wait(kLong).state, Ticket::State::done);
  queue.ask({"b", "x"}, work)->wait(kLong);
  EXPECT_EQ(judged, 2);
  EXPECT_EQ(queue.figures().shared, 2U);
  EXPECT_EQ(queue.figures().verdicts["ok"], 2U);
  EXPECT_EQ(queue.find(first->id()), first);
  EXPECT_EQ(queue.find("none"), nullptr);
}

TEST(JudgeQueue, AFailureOfTheJudgeIsNotRemembered) {
  JudgeQueue queue({.parallelism = 1});
  const auto broken = queue.ask({"a", ""}, [](const StopSignal&) -> Result<Evaluation> {
    return Error{"the judge is gone"};
  });
  EXPECT_EQ(broken->wait(kLong).error, "the judge is gone");
  const auto thrown = queue.ask(
      {"a", ""}, [](const StopSignal&) -> Result<Evaluation> { throw std::runtime_error("x"); });
  EXPECT_NE(thrown->wait(kLong).error, "");
  EXPECT_TRUE(queue.ask({"a", ""}, fine)->wait(kLong).evaluation.has_value());
  EXPECT_EQ(queue.figures().failed, 2U);
}

TEST(JudgeQueue, AFullQueueRefusesAndSharedQuestionsNeedNoRoom) {
  JudgeQueue queue({.parallelism = 1, .longest = 2});
  Gate gate;
  const auto running = queue.ask({"0", ""}, gate.work());
  while (queue.figures().running == 0) std::this_thread::yield();
  const auto waiting = queue.ask({"1", ""}, fine);
  EXPECT_NE(queue.ask({"2", ""}, fine), nullptr);
  EXPECT_EQ(queue.ask({"3", ""}, fine), nullptr);
  EXPECT_EQ(queue.ask({"1", ""}, fine), waiting);
  EXPECT_EQ(queue.figures().refused, 1U);
  gate.opened.set_value();
  waiting->wait(kLong);
}

TEST(JudgeQueue, ClientsTakeTurns) {
  JudgeQueue queue({.parallelism = 1});
  Gate gate;
  queue.ask({"first", "a"}, gate.work());
  while (queue.figures().running == 0) std::this_thread::yield();
  std::mutex mutex;
  std::string order;
  const auto note = [&](char who) {
    return [&, who](const StopSignal& stop) {
      const std::lock_guard lock(mutex);
      order += who;
      return fine(stop);
    };
  };
  std::vector<std::shared_ptr<Ticket>> tickets;
  for (int i = 0; i < 3; ++i)
    tickets.push_back(queue.ask({"a" + std::to_string(i), "a"}, note('a')));
  for (int i = 0; i < 3; ++i)
    tickets.push_back(queue.ask({"b" + std::to_string(i), "b"}, note('b')));
  gate.opened.set_value();
  for (const auto& ticket : tickets) ticket->wait(kLong);
  EXPECT_EQ(order, "bababa");
}

TEST(JudgeQueue, OldVerdictsAreForgotten) {
  JudgeQueue queue({.parallelism = 1, .longest = 100, .kept = 3});
  std::vector<std::string> ids;
  for (int i = 0; i < 10; ++i) {
    const auto ticket = queue.ask({std::to_string(i), ""}, fine);
    ids.push_back(ticket->id());
    ticket->wait(kLong);
  }
  EXPECT_EQ(queue.find(ids[0]), nullptr);
  EXPECT_NE(queue.find(ids[9]), nullptr);
}

TEST(JudgeQueue, TheEndStopsWhatIsUnderWayAndNobodyWaitsForEver) {
  std::shared_ptr<Ticket> running, waiting;
  {
    JudgeQueue queue({.parallelism = 1});
    running = queue.ask({"a", ""}, [](const StopSignal& stop) -> Result<Evaluation> {
      while (!stop.requested()) std::this_thread::sleep_for(milliseconds(1));
      return Error{"stopped"};
    });
    while (queue.figures().running == 0) std::this_thread::yield();
    waiting = queue.ask({"b", ""}, fine);
    queue.stop();
    EXPECT_EQ(waiting->wait(kLong).error, "the server ends");
  }
  EXPECT_EQ(running->wait(milliseconds(0)).error, "stopped");
}

}  // namespace
}  // namespace warpwright::service
