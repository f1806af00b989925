// SPDX-License-Identifier: Apache-2.0
// Searches whose judge is somebody who carries folders.
#include <csignal>
#include <future>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "support/places.h"

namespace warpwright::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class CarriedJobs : public testing::Test {
 protected:
  [[nodiscard]] std::set<std::string> pending() const {
    std::set<std::string> names;
    std::error_code none;
    for (const auto& job : fs::directory_iterator(program_.folder() / "box/pending", none)) {
      names.insert(job.path().filename());
    }
    return names;
  }

  void wait_for(std::size_t count) {
    for (int i = 0; i < 600 && pending().size() != count; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    ASSERT_EQ(pending().size(), count);
  }

  /// The carrier: judges everything that waits, until told that it is enough.
  void judge_pending() {
    for (const auto& name : pending()) {
      const fs::path job = program_.folder() / "box/pending" / name;
      const fs::path away = program_.folder() / "gpu_host" / name;
      std::error_code gone;
      fs::create_directories(away.parent_path());
      fs::copy(job, away, fs::copy_options::recursive | fs::copy_options::overwrite_existing, gone);
      // A job that was judged in the last turn may be taken away while it is copied once more.
      if (gone || !fs::exists(job)) continue;
      Command command = program_.command({});
      command.argv = {fake_worker_path(), away.string()};
      const int code = run_process(command)->exit_code;
      if (code != 0 && !fs::exists(job)) continue;  // taken away in the middle of the copy
      ASSERT_EQ(code, 0);
      fs::create_directories(program_.folder() / "box/done");
      fs::rename(away, program_.folder() / "box/done" / name, gone);
    }
  }

  std::future<ProcessExit> in_background(std::vector<std::string> arguments) {
    return std::async(std::launch::async, [this, arguments] { return program_.run(arguments); });
  }

  void judge_until_done(std::future<ProcessExit>& exit) {
    while (exit.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready &&
           !HasFailure()) {
      judge_pending();
    }
  }

  void record_answers() {
    std::string lines;
    for (const char* id : {"r1.c1", "r1.c2", "r1.c3", "r2.c1", "r2.c2", "r2.c3"}) {
      lines += nlohmann::json{{"id", id}, {"text", answer(id)}}.dump() + "\n";
    }
    program_.write("recorded/conversation.jsonl", lines);
  }

  Program program_;
  // A machine without a GPU, judged on one.
  std::vector<std::string> run_ = {"run",      "transpose",   "-n",        "3",        "-d",
                                   "1",        "--device",    "cuda",      "--target", "h200",
                                   "--worker", "mailbox:box", "--repairs", "0"};
};

TEST_F(CarriedJobs, AWholeRoundWaitsAtOnceWithItsBaseline) {
  record_answers();
  run_.insert(run_.end(), {"--model", "replay:recorded"});
  auto exit = in_background(run_);
  wait_for(4);
  judge_until_done(exit);
  const auto ended = exit.get();
  EXPECT_LE(ended.exit_code, 1) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("warpwright worker"));
  EXPECT_THAT(program_.run({"show", "last"}).out, HasSubstr("finished"));
  EXPECT_EQ(pending().size(), 0u);
}

TEST_F(CarriedJobs, AKilledSearchFindsItsJobsAgain) {
  record_answers();
  run_.insert(run_.end(), {"--model", "replay:recorded", "-q"});
  StopSignal kill;
  auto killed = std::async(std::launch::async,
                           [&] { return run_process(program_.command(run_), &kill)->signal; });
  wait_for(4);
  kill.request(StopReason::interrupted);
  EXPECT_EQ(killed.get(), SIGKILL);
  judge_pending();  // nobody listens
  const auto resumed = program_.run({"resume", "last", "-q"});
  EXPECT_LE(resumed.exit_code, 1) << resumed.err;
  EXPECT_THAT(program_.run({"show", "last"}).out, HasSubstr("finished"));
}

TEST_F(CarriedJobs, AnswersToldWhileJobsWaitJoinThem) {
  run_.insert(run_.end(), {"--model", "inbox", "--wait", "-q"});
  auto exit = in_background(run_);
  wait_for(1);  // the baseline
  for (const char* id : {"r1.c1", "r1.c2", "r1.c3"}) {
    EXPECT_EQ(program_.run({"tell", "last", id, "-"}, answer(id)).exit_code, 0);
  }
  wait_for(4);
  judge_until_done(exit);
  EXPECT_LE(exit.get().exit_code, 1);
}

TEST_F(CarriedJobs, AMailboxNeedsAFolder) {
  const auto exit = program_.run({"run", "copy", "--model", "inbox", "--worker", "mailbox:"});
  EXPECT_EQ(exit.exit_code, 2);
  EXPECT_THAT(exit.err, HasSubstr("mailbox: needs a folder"));
}

}  // namespace
}  // namespace warpwright::cli
