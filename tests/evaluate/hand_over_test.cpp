// SPDX-License-Identifier: Apache-2.0
#include "evaluate/hand_over.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "build/toolchain.h"
#include "evaluate/lines.h"
#include "evaluate/worker.h"
#include "suite/load.h"

// One process prepares, another one finishes: here both are this one.

namespace warpwright::evaluate {
namespace {

using testing::HasSubstr;

TEST(JobLines, SurviveTheirText) {
  const std::string digest(64, 'a');
  for (const std::string folder : {"/jobs/one", "/jobs/with a blank", "prepared and more"}) {
    for (const std::string& known : {std::string(), digest}) {
      const JobLine read = job_line(line_of({folder, known}));
      EXPECT_EQ(read.folder, folder);
      EXPECT_EQ(read.digest, known);
    }
  }
}

std::string sigmoid_beside(const std::string& body, const std::string& host = "") {
  return "#include <cuda_runtime.h>\n#include <cstdio>\n"
         "__global__ void sigmoid(const float* x, float* y, int n) {\n"
         "  int i = blockIdx.x * 256 + threadIdx.x;\n" +
         body + "\n}\nextern \"C\" void solve(const float* X, float* Y, int N) {\n" + host +
         "  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);\n}\n";
}
const std::string kHonest = "  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));";

class HandOver : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_ = new TemporaryDirectory(TemporaryDirectory::create("hand-over-test").value());
  }
  static void TearDownTestSuite() {
    delete shared_;
    shared_ = nullptr;
  }
  void SetUp() override {
    if (!build::find_toolchain().clang.found()) GTEST_SKIP() << "no clang: install clang-19";
  }

  static JobRequest request(const std::string& source) {
    JobRequest request;
    request.id = "test";
    request.task = suite::load_embedded_task("sigmoid").value();
    request.source = source;
    request.device = "simt";
    request.front_end = "clang";
    request.cache = shared_->path() / "cache";
    request.sizes = {"16x2^10"};
    return request;
  }
  JobDirectory job(const std::string& name, const JobRequest& wanted) {
    const JobDirectory job(shared_->path() / name);
    EXPECT_TRUE(job.write_request(wanted).ok());
    return job;
  }
  std::string prepared(const JobDirectory& job) {
    const auto digest = prepare(job, station_, stop_);
    EXPECT_TRUE(digest.ok() && digest->has_value());
    return digest.ok() ? digest->value_or("") : "";
  }
  static std::filesystem::path file_in(const JobDirectory& job) {
    return job.path() / "prepared.cbor";
  }
  /// Judged to the end; whether the stages had to be done again.
  Evaluation finish(const JobDirectory& job, const std::string& digest, bool& again) {
    const auto done = work(job, digest, station_, stop_);
    EXPECT_TRUE(done.ok()) << done.error().message;
    again = false;
    for (const Finding& finding : done->findings) {
      again = again || finding.message.find("was refused") != std::string::npos;
    }
    return *done;
  }

  Station station_;
  StopSignal stop_;
  static TemporaryDirectory* shared_;
};

TemporaryDirectory* HandOver::shared_ = nullptr;

TEST_F(HandOver, TheRunnerStartsAtValidate) {
  const JobRequest wanted = request(sigmoid_beside(kHonest));
  const JobDirectory one = job("whole", wanted);
  const std::string digest = prepared(one);
  ASSERT_EQ(digest.size(), 64U);
  EXPECT_EQ(std::filesystem::status(file_in(one)).permissions(), std::filesystem::perms(0600));
  const auto taken = take_over(one, digest, wanted, station_, stop_);
  ASSERT_TRUE(taken.ok()) << taken.error().message;
  ASSERT_EQ(taken->size(), 1U);
  const Prepared& prepared = taken->front().prepared;
  EXPECT_FALSE(prepared.candidate.code.ptx.empty());
  EXPECT_FALSE(prepared.cases.empty());
  for (const verify::Case& item : prepared.cases) {
    const auto call = call_of(prepared.task(), *item.size, item.variant);
    EXPECT_TRUE(prepared.candidate.plans.contains(call_key(call.value())));
  }
  const double build_s = taken->front().context.notes.stage_s.at("build");
  bool again = true;
  const Evaluation evaluation = finish(one, digest, again);
  EXPECT_FALSE(again);
  EXPECT_EQ(evaluation.verdict, Verdict::ok) << evaluation.reason;
  // The times of the stages are those of the process that did them.
  EXPECT_EQ(evaluation.stage_s.at("build"), build_s);
  EXPECT_TRUE(evaluation.stage_s.contains("record"));
  forget_hand_over(one);
  EXPECT_FALSE(std::filesystem::exists(file_in(one)));
}

TEST_F(HandOver, ATamperedFileIsRefusedAndTheVerdictStaysRight) {
  const JobDirectory one = job("tampered", request(sigmoid_beside("  if (i < n) y[i] = 0.5f;")));
  const std::string digest = prepared(one);
  const std::string good = read_file(file_in(one), std::size_t{64} << 20).value();
  bool again = false;
  EXPECT_EQ(finish(one, digest, again).verdict, Verdict::mismatch);
  EXPECT_FALSE(again);
  std::string changed = good;
  changed[good.size() / 2] ^= 1;
  for (const std::string& bad : {changed, good.substr(0, good.size() - 1), std::string()}) {
    ASSERT_TRUE(write_file(file_in(one), bad).ok());
    EXPECT_EQ(finish(one, digest, again).verdict, Verdict::mismatch);
    EXPECT_TRUE(again);
  }
  std::filesystem::remove(file_in(one));
  EXPECT_EQ(finish(one, digest, again).verdict, Verdict::mismatch);
  EXPECT_TRUE(again);
}

TEST_F(HandOver, AnOldFileAndAnothersAreRefused) {
  const JobDirectory one = job("old", request(sigmoid_beside(kHonest)));
  const std::string first = prepared(one);
  const std::string old = read_file(file_in(one), std::size_t{64} << 20).value();
  const std::string second = prepared(one);  // another seed, another file
  EXPECT_NE(first, second);
  ASSERT_TRUE(write_file(file_in(one), old).ok());
  bool again = false;
  EXPECT_EQ(finish(one, second, again).verdict, Verdict::ok);
  EXPECT_TRUE(again);
  // A file with the right digest that was made for another candidate.
  const JobDirectory other = job("others", request(sigmoid_beside("  if (i < n) y[i] = 0.5f;")));
  ASSERT_TRUE(write_file(file_in(other), old).ok());
  EXPECT_EQ(finish(other, first, again).verdict, Verdict::mismatch);
  EXPECT_TRUE(again);
}

TEST_F(HandOver, BothOfAComparisonAreHandedOver) {
  JobRequest wanted = request(sigmoid_beside(kHonest));
  wanted.rival = sigmoid_beside(
      "  float v = i < n ? x[i] : 0.0f;\n  for (int k = 0; k < 20; ++k) v = v + 1e-30f * v;\n"
      "  if (i < n) y[i] = 1.0f / (1.0f + expf(-v));");
  const JobDirectory one = job("pair", wanted);
  bool again = true;
  const Evaluation evaluation = finish(one, prepared(one), again);
  EXPECT_FALSE(again);
  EXPECT_EQ(evaluation.verdict, Verdict::ok) << evaluation.reason;
  ASSERT_TRUE(evaluation.comparison.has_value());
  EXPECT_EQ(evaluation.comparison->failed, "");
}

/// Dies when it can open the file.
std::string peeking(const std::filesystem::path& file) {
  return sigmoid_beside(kHonest, "  if (FILE* f = fopen(\"" + file.string() +
                                     "\", \"r\")) { fclose(f); *(volatile int*)0 = 1; }\n");
}

TEST_F(HandOver, NoCandidateSeesTheFolder) {
  const JobDirectory victim = job("victim", request(sigmoid_beside(kHonest)));
  prepared(victim);
  ASSERT_TRUE(std::filesystem::exists(file_in(victim)));
  Station station;
  const auto own = job("peeks", request(peeking(file_in(victim))));
  bool again = false;
  const Evaluation blind = finish(own, "", again);
  // Host code may not open anything, whether it is there or not.
  EXPECT_EQ(blind.verdict, Verdict::host_error) << blind.reason;
  EXPECT_THAT(blind.reason, testing::HasSubstr("openat"));
  const auto seen = job("sees", request(peeking("/usr/bin/env")));
  EXPECT_EQ(finish(seen, "", again).verdict, Verdict::host_error);
}

}  // namespace
}  // namespace warpwright::evaluate
