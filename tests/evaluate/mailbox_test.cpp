// SPDX-License-Identifier: Apache-2.0
#include "evaluate/mailbox.h"

#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "suite/load.h"

namespace warpwright::evaluate {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

Evaluation verdict(Verdict verdict, double us = 0) {
  Evaluation evaluation;
  evaluation.verdict = verdict;
  evaluation.reason = "as told";
  if (us > 0) evaluation.measurements = {{"small", TimeSource::measured, us, us, us, 9, 1, 0}};
  return evaluation;
}

class Mailbox : public testing::Test {
 protected:
  MailboxEvaluator evaluator() {
    MailboxOptions options;
    options.folder = folder_.path() / "box";
    options.pattern.task = suite::load_embedded_task("copy").value();
    options.pattern.limit_s = 0.01;  // of the instance; nothing limits the wait
    options.pattern.cache = "/somewhere/here";
    options.glance = std::chrono::milliseconds(5);
    return MailboxEvaluator(options);
  }

  std::future<Result<Evaluation>> ask(const std::string& source) {
    return std::async(std::launch::async, [this, source] {
      return evaluator().evaluate({source, "// " + source, false}, stop_);
    });
  }

  [[nodiscard]] fs::path box(const std::string& part) const {
    return folder_.path() / "box" / part;
  }

  /// The jobs in a part of the box; waits until there are that many.
  std::vector<fs::path> jobs(const std::string& part, std::size_t count) {
    for (int i = 0; i < 2000; ++i) {
      std::vector<fs::path> found;
      std::error_code none;
      for (const auto& entry : fs::directory_iterator(box(part), none)) found.push_back(entry);
      if (found.size() == count) return found;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ADD_FAILURE() << "never " << count << " jobs in " << part;
    return {};
  }

  TemporaryDirectory folder_ = std::move(TemporaryDirectory::create("ww-mailbox-")).value();
  StopSignal stop_;
};

TEST_F(Mailbox, AJobWaitsUntilItsResultIsBroughtBack) {
  auto answer = ask("a");
  const auto pending = jobs("pending", 1);
  const auto request = JobDirectory(pending[0]).read_request();
  EXPECT_TRUE(request.ok() && request->source == "// a" && request->cache == box("cache"));
  EXPECT_THAT(pending[0].filename().string(), testing::StartsWith("copy-"));
  EXPECT_EQ(answer.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
  const fs::path done = box("done") / pending[0].filename();
  EXPECT_TRUE(make_directories(done).ok());
  EXPECT_TRUE(JobDirectory(done).write_result(verdict(Verdict::ok, 7)).ok());
  const auto result = answer.get();
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->measurements[0].median_us, 7);
  jobs("pending", 0);
}

TEST_F(Mailbox, WhatIsExpectedWaitsAtOnceAndIsTheSameJob) {
  MailboxEvaluator box = evaluator();
  box.expect({"baseline", "// a", true});
  box.expect({"again", "// a", true});
  const auto pending = jobs("pending", 1);
  EXPECT_THAT(pending[0].filename().string(), testing::StartsWith("copy-baseline-"));
  EXPECT_TRUE(JobDirectory(pending[0]).write_result(verdict(Verdict::ok, 5)).ok());
  const auto result = box.evaluate({"later", "// a", true}, stop_);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->measurements[0].median_us, 5);
  box.expect({"baseline", "// a", true});
  jobs("pending", 0);
}

TEST_F(Mailbox, AResultBesideTheJobCountsToo) {
  auto answer = ask("a");
  const auto pending = jobs("pending", 1);
  EXPECT_TRUE(JobDirectory(pending[0]).write_result(verdict(Verdict::mismatch)).ok());
  EXPECT_EQ(answer.get()->verdict, Verdict::mismatch);
  jobs("pending", 0);
  EXPECT_TRUE(fs::exists(box("done") / pending[0].filename() / "candidate.cu"));
}

TEST_F(Mailbox, TheSameQuestionFindsTheResultOfBefore) {
  auto killed = ask("a");
  const auto before = jobs("pending", 1);
  stop_.request(StopReason::interrupted);
  EXPECT_THAT(killed.get().error().message, HasSubstr("stopped"));
  EXPECT_TRUE(JobDirectory(before[0]).write_result(verdict(Verdict::race)).ok());
  StopSignal again;
  for (int i = 0; i < 2; ++i) {
    const auto result = evaluator().evaluate({"another id", "// a", false}, again);
    EXPECT_EQ(result->verdict, Verdict::race);
  }
}

TEST_F(Mailbox, AllOfARoundWaitAtOnceAndOnlyDifferentOnes) {
  std::vector<std::future<Result<Evaluation>>> answers;
  for (const char* source : {"a", "b", "c", "c"}) answers.push_back(ask(source));
  for (const auto& job : jobs("pending", 3)) {
    EXPECT_TRUE(JobDirectory(job).write_result(verdict(Verdict::ok, 1)).ok());
  }
  for (auto& answer : answers) EXPECT_TRUE(answer.get()->valid());
  for (const auto& entry : fs::directory_iterator(folder_.path() / "box")) {
    EXPECT_FALSE(entry.path().filename().string().starts_with(".")) << entry.path();
  }
}

TEST_F(Mailbox, AFailedJudgeIsAskedAgain) {
  auto answer = ask("a");
  EXPECT_TRUE(
      JobDirectory(jobs("pending", 1)[0]).write_result(verdict(Verdict::harness_error)).ok());
  EXPECT_EQ(answer.get()->verdict, Verdict::harness_error);
  jobs("failed", 1);
  auto second = ask("a");
  EXPECT_TRUE(JobDirectory(jobs("pending", 1)[0]).write_result(verdict(Verdict::ok, 3)).ok());
  EXPECT_TRUE(second.get()->valid());
}

TEST_F(Mailbox, HalfACopiedResultIsNoneYet) {
  auto answer = ask("a");
  const fs::path job = jobs("pending", 1)[0];
  EXPECT_TRUE(write_file(job / "result.json", "{\"format\": 1, \"verd").ok());
  EXPECT_EQ(answer.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
  EXPECT_TRUE(JobDirectory(job).write_result(verdict(Verdict::ok, 3)).ok());
  EXPECT_TRUE(answer.get()->valid());
}

TEST_F(Mailbox, NamesFollowFromAllThatIsJudged) {
  JobRequest request;
  request.task.name = "demo";
  request.source = "x";
  const std::string name = mailbox_job_name(request);
  JobRequest other = request;
  other.id = "any";
  EXPECT_EQ(mailbox_job_name(other), name);
  EXPECT_NE(mailbox_job_name(other, 1), name);
  EXPECT_NE(mailbox_job_name(other, 1), mailbox_job_name(other, 2));
  other.sizes = {"large"};
  EXPECT_NE(mailbox_job_name(other), name);
  other = request;
  other.source = "y";
  EXPECT_NE(mailbox_job_name(other), name);
  other.is_baseline = true;
  EXPECT_THAT(mailbox_job_name(other), testing::StartsWith("demo-baseline-"));
  other.rival = "z";
  EXPECT_THAT(mailbox_job_name(other), testing::StartsWith("demo-pair-"));
}

}  // namespace
}  // namespace warpwright::evaluate
