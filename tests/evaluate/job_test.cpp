// SPDX-License-Identifier: Apache-2.0
#include "evaluate/job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "evaluate/local_evaluator.h"
#include "evaluate/worker.h"
#include "suite/load.h"

namespace warpwright::evaluate {
namespace {

using testing::HasSubstr;

JobRequest sample() {
  JobRequest request;
  request.id = "r1.c1";
  request.task = suite::load_embedded_task("transpose").value();
  request.source = "// empty\n";
  request.device = "cuda:3";
  request.rule_set = "free";
  request.sizes = {"1024^2"};
  request.limit_s = 30.5;
  request.seed = ~std::uint64_t{0};
  request.cache = "/somewhere";
  return request;
}

TEST(Job, RequestsSurviveTheDirectory) {
  const auto folder = std::move(TemporaryDirectory::create("ww-job-")).value();
  const JobDirectory job(folder.path() / "one");
  ASSERT_TRUE(job.write_request(sample()).ok());
  EXPECT_EQ(job.read_request().value(), sample());
  EXPECT_FALSE(job.has_result());
}

TEST(Job, ARelativeCacheStartsAtTheJob) {
  const auto folder = std::move(TemporaryDirectory::create("ww-job-")).value();
  const JobDirectory job(folder.path() / "jobs" / "one");
  JobRequest request = sample();
  request.cache = "../../cache";
  ASSERT_TRUE(job.write_request(request).ok());
  EXPECT_EQ(job.read_request().value().cache, folder.path() / "cache");
}

TEST(Job, TimingOnlyIsForOurOwnKernelsAndMayBeAbsent) {
  JobRequest request = sample();
  request.is_baseline = request.timing_only = true;
  std::string text = request_to_json(request);
  EXPECT_TRUE(request_from_json(text).value().timing_only);
  const std::string field = "\"timing_only\": true,";
  text.replace(text.find(field), field.size(), "");
  EXPECT_FALSE(request_from_json(text).value().timing_only);
}

TEST(Job, MalformedRequestsNameTheField) {
  const std::string good = request_to_json(sample());
  const auto broken = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    const auto request = request_from_json(text);
    return request.ok() ? "accepted" : request.error().message;
  };
  EXPECT_THAT(broken("cuda:3", "cuda:x"), HasSubstr("'device'"));
  EXPECT_THAT(broken("\"rule_set\": \"free\"", "\"rule_set\": \"fast\""), HasSubstr("'rule_set'"));
  EXPECT_THAT(broken("30.5", "-1"), HasSubstr("'limit_s'"));
  EXPECT_THAT(broken("\"timing_only\": false", "\"timing_only\": true"),
              HasSubstr("'timing_only'"));
  EXPECT_THAT(broken("\"format\": 1", "\"format\": 2"), HasSubstr("'format'"));
  EXPECT_THAT(broken("18446744073709551615", "-5"), HasSubstr("'seed'"));
  EXPECT_THAT(request_from_json("{").error().message, HasSubstr("not valid JSON"));
}

TEST(Job, AWorkerAnswersEvenAnUnreadableRequest) {
  const auto folder = std::move(TemporaryDirectory::create("ww-job-")).value();
  ASSERT_TRUE(write_file(folder.path() / "request.json", "{}").ok());
  StopSignal stop;
  Station station;
  const auto worked = work(JobDirectory(folder.path()), "", station, stop);
  ASSERT_TRUE(worked.ok());
  const auto result = JobDirectory(folder.path()).read_result();
  EXPECT_EQ(result->verdict, Verdict::harness_error);
  EXPECT_THAT(result->reason, HasSubstr("request.json"));
}

LocalEvaluator evaluator_of(const std::filesystem::path& folder, const std::string& script) {
  LocalOptions options;
  options.worker = {"sh", "-c", script, "worker"};
  options.jobs = folder / "jobs";
  options.pattern = sample();
  options.pattern.limit_s = 0.1;
  return LocalEvaluator(options);
}

TEST(LocalEvaluator, AWorkerThatDiesIsAHarnessErrorWithItsLastWords) {
  const auto folder = std::move(TemporaryDirectory::create("ww-job-")).value();
  StopSignal stop;
  auto evaluator = evaluator_of(folder.path(), "echo out of luck >&2; kill -9 $$");
  const auto result = evaluator.evaluate({"x", "source", false}, stop);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->verdict, Verdict::harness_error);
  EXPECT_THAT(result->reason, testing::AllOf(HasSubstr("signal 9"), HasSubstr("out of luck")));
}

TEST(LocalEvaluator, AMissingWorkerIsAnErrorOfTheWorld) {
  const auto folder = std::move(TemporaryDirectory::create("ww-job-")).value();
  StopSignal stop;
  LocalOptions options;
  options.worker = {"/nowhere/warpwright"};
  options.jobs = folder.path();
  options.pattern = sample();
  const auto result = LocalEvaluator(options).evaluate({"x", "source", false}, stop);
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, HasSubstr("/nowhere/warpwright"));
}

TEST(LocalEvaluator, ResultsAreReadAndJobDirectoriesRemoved) {
  const auto folder = std::move(TemporaryDirectory::create("ww-job-")).value();
  Evaluation wanted;
  wanted.verdict = Verdict::race;
  const JobDirectory stencil(folder.path() / "stencil");
  ASSERT_TRUE(make_directories(stencil.path()).ok());
  ASSERT_TRUE(stencil.write_result(wanted).ok());
  StopSignal stop;
  auto evaluator =
      evaluator_of(folder.path(), "cp " + stencil.path().string() + "/result.json \"$1\"/");
  const auto result = evaluator.evaluate({"x", "source", false}, stop);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->verdict, Verdict::race);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "jobs" / "x"));
}

TEST(LocalEvaluator, AStopEndsAHangingWorker) {
  const auto folder = std::move(TemporaryDirectory::create("ww-job-")).value();
  StopSignal stop;
  stop.request(StopReason::interrupted);
  auto evaluator = evaluator_of(folder.path(), "sleep 60");
  const auto result = evaluator.evaluate({"x", "source", false}, stop);
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, HasSubstr("stopped"));
}

}  // namespace
}  // namespace warpwright::evaluate
