// SPDX-License-Identifier: Apache-2.0
#include "evaluate/runner_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "core/evaluation_json.h"
#include "evaluate/worker_client.h"

namespace warpwright::evaluate {
namespace {

/// Does what a job folder's name says, like a runner that meets such candidates.
constexpr const char* kRunner = R"sh(
while read -r job; do
  case "$(basename "$job")" in
    die*) exit 3 ;;
    hang*) sleep 60 ;;
    silent*) echo "done $job"; continue ;;
    once*) if [ ! -e "$job/seen" ]; then touch "$job/seen"; exit 3; fi ;;
    fault*) cp "$RESULT" "$job/result.json"; echo "done $job"; echo worn; exit 0 ;;
    slow*) sleep 0.3 ;;
    queued*) echo waits; sleep 1.2; echo holds; sleep 0.3 ;;
    stuck*) echo waits; echo holds; sleep 60 ;;
  esac
  cp "$RESULT" "$job/result.json"
  echo "done $job"
done
)sh";

class Runners : public testing::Test {
 protected:
  void SetUp() override {
    Evaluation evaluation;
    evaluation.verdict = Verdict::ok;
    evaluation.stage = Stage::measure;
    ASSERT_TRUE(write_file(folder_.path() / "result", evaluation_to_json(evaluation)).ok());
  }

  [[nodiscard]] Command command() const {
    Command command;
    command.argv = {"/bin/bash", "-c", kRunner};
    command.env = {"PATH=/usr/bin:/bin", "RESULT=" + (folder_.path() / "result").string()};
    return command;
  }

  [[nodiscard]] JobDirectory job(const std::string& name) const {
    std::filesystem::create_directory(folder_.path() / name);
    return JobDirectory(folder_.path() / name);
  }

  static Verdict verdict(const JobDirectory& job) { return job.read_result().value().verdict; }

  TemporaryDirectory folder_ = TemporaryDirectory::create("runners").value();
};

TEST_F(Runners, OneProcessServesMany) {
  RunnerPool pool({.command = command()});
  for (const char* name : {"a", "b", "c", "d"}) {
    pool.run(job(name), 10);
    EXPECT_EQ(verdict(job(name)), Verdict::ok);
  }
  EXPECT_EQ(pool.started(), 1);
}

TEST_F(Runners, WaitingForTheGpuIsNoPartOfAJobsTime) {
  RunnerPool pool({.command = command(), .grace_s = 0.1});
  pool.run(job("queued"), 0.6);
  EXPECT_EQ(verdict(job("queued")), Verdict::ok);
  pool.run(job("stuck"), 0.6);
  EXPECT_EQ(verdict(job("stuck")), Verdict::timeout);
}

TEST_F(Runners, AFaultReplacesTheProcessAndNobodyElseNotices) {
  RunnerPool pool({.command = command()});
  std::vector<std::jthread> threads;
  std::vector<JobDirectory> jobs;
  for (int i = 0; i < 12; ++i) {
    jobs.push_back(job((i % 3 == 1 ? "fault" : "good") + std::to_string(i)));
  }
  for (const JobDirectory& one : jobs) threads.emplace_back([&] { pool.run(one, 10); });
  threads.clear();
  for (const JobDirectory& one : jobs) EXPECT_EQ(verdict(one), Verdict::ok) << one.path();
  EXPECT_GE(pool.started(), 4);
}

TEST_F(Runners, AJobThatKillsItsRunnerIsAHarnessErrorInTheEnd) {
  RunnerPool pool({.command = command(), .attempts = 3});
  std::jthread good([&] { pool.run(job("slow"), 10); });
  pool.run(job("die"), 10);
  good.join();
  EXPECT_EQ(verdict(job("die")), Verdict::harness_error);
  EXPECT_EQ(verdict(job("slow")), Verdict::ok);
}

TEST_F(Runners, ADeathThatWasNotTheJobsFaultIsForgiven) {
  RunnerPool pool({.command = command()});
  pool.run(job("once"), 10);
  EXPECT_EQ(verdict(job("once")), Verdict::ok);
  EXPECT_EQ(pool.started(), 2);
}

TEST_F(Runners, ARunnerThatHangsIsKilledAtTheJobsLimit) {
  RunnerPool pool({.command = command(), .grace_s = 0.2});
  std::jthread good([&] { pool.run(job("later"), 5); });
  pool.run(job("hang"), 0.3);
  good.join();
  EXPECT_EQ(verdict(job("hang")), Verdict::timeout);
  EXPECT_EQ(verdict(job("later")), Verdict::ok);
}

TEST_F(Runners, DoneWithoutAResultIsNotDone) {
  RunnerPool pool({.command = command(), .attempts = 2});
  pool.run(job("silent"), 10);
  EXPECT_EQ(verdict(job("silent")), Verdict::harness_error);
}

TEST_F(Runners, AProgramThatCannotBeStartedIsToldOnce) {
  Command missing;
  missing.argv = {"/nonexistent/runner"};
  RunnerPool pool({.command = missing, .attempts = 2});
  pool.run(job("a"), 10);
  EXPECT_EQ(verdict(job("a")), Verdict::harness_error);
}

TEST_F(Runners, ClosingDoesNotWaitForAHang) {
  const auto start = std::chrono::steady_clock::now();
  {
    std::jthread waiting;
    RunnerPool pool({.command = command()});
    const JobDirectory hanging = job("hang");
    waiting = std::jthread([&pool, hanging] { pool.run(hanging, 60); });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

class Server : public Runners {
 protected:
  [[nodiscard]] std::vector<std::string> argv() const {
    return {"/usr/bin/env", "RESULT=" + (folder_.path() / "result").string(), "/bin/bash", "-c",
            kRunner};
  }
};

TEST_F(Server, AnswersAndIsStartedAgainAfterItsDeath) {
  WorkerClient server(argv());
  const StopSignal stop;
  EXPECT_TRUE(server.judge(job("a"), stop).ok());
  EXPECT_EQ(verdict(job("a")), Verdict::ok);
  EXPECT_TRUE(server.judge(job("die"), stop).ok());
  EXPECT_FALSE(job("die").has_result());
  EXPECT_TRUE(server.judge(job("b"), stop).ok());
  EXPECT_EQ(verdict(job("b")), Verdict::ok);
}

TEST_F(Server, AStopEndsTheWait) {
  WorkerClient server(argv());
  StopSignal stop;
  std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    stop.request(StopReason::interrupted);
  });
  EXPECT_FALSE(server.judge(job("hang"), stop).ok());
}

TEST_F(Server, SaysWhenItCannotBeStarted) {
  WorkerClient server({"/nonexistent/server"});
  const StopSignal stop;
  const Status judged = server.judge(job("a"), stop);
  ASSERT_FALSE(judged.ok());
  EXPECT_THAT(judged.error().message, testing::HasSubstr("/nonexistent/server"));
}

}  // namespace
}  // namespace warpwright::evaluate
