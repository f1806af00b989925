// SPDX-License-Identifier: Apache-2.0
#include "evaluate/compare.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "build/toolchain.h"
#include "core/evaluation_json.h"
#include "evaluate/careful_run.h"
#include "evaluate/judgement.h"
#include "evaluate/replay_only.h"
#include "suite/load.h"
#include "support/share.h"

// Two kernels, and the careful run of one, on the SIMT machine with a real compiler.

namespace warpwright::evaluate {
namespace {

using testing::HasSubstr;

std::string sigmoid(const std::string& body) {
  return "#include <cuda_runtime.h>\n"
         "__global__ void sigmoid(const float* x, float* y, int n) {\n"
         "  int i = blockIdx.x * 256 + threadIdx.x;\n" +
         body +
         "\n}\nextern \"C\" void solve(const float* X, float* Y, int N) {\n"
         "  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);\n}\n";
}
const std::string kPlain = "  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));";
const std::string kSlow =
    "  float v = i < n ? x[i] : 0.0f;\n"
    "  for (int k = 0; k < 200; ++k) v = v + 1e-30f * v;\n"
    "  if (i < n) y[i] = 1.0f / (1.0f + expf(-v));";
const std::string kWrong = "  if (i < n) y[i] = 0.5f;";

class Compare : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_ = new TemporaryDirectory(TemporaryDirectory::create("compare-test").value());
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
    request.seed = 20260101;
    request.cache = shared_->path() / "cache";
    request.sizes = {"16x2^10", "16x2^14"};
    return request;
  }
  static Evaluation compare(const std::string& first, const std::string& second) {
    JobRequest job = request(sigmoid(first));
    job.rival = sigmoid(second);
    const StopSignal stop;
    return judge(job, shared_->path() / "scratch", stop);
  }
  static Prepared prepared_of(const std::string& source, Context& context) {
    auto prepared = prepare(std::make_shared<const Source>(Source{request(source)}), context);
    if (!prepared.ok()) ADD_FAILURE() << reason_of(prepared.error());
    return std::move(prepared).value();
  }
  static TemporaryDirectory* shared_;
};

TemporaryDirectory* Compare::shared_ = nullptr;

/// These kernels do nothing on the host: a time there is another process's, and the judge's only
/// way to be sure is to look again.
bool disturbed(const Evaluation& evaluation) {
  if (!evaluation.comparison) return false;
  const auto& sizes = evaluation.comparison->sizes;
  return std::any_of(sizes.begin(), sizes.end(), [](const SizeComparison& size) {
    return size.first_host_us > 0 || size.second_host_us > 0;
  });
}

TEST_F(Compare, TheFasterOfTwoIsFoundAndCalledAnEstimate) {
  if (!whole_suites())
    GTEST_SKIP() << "takes half a minute under the sanitizers; WARPWRIGHT_SLOW_TESTS=1 runs it";
  const auto undisturbed = [](const std::string& first, const std::string& second) {
    Evaluation evaluation = compare(first, second);
    for (int more = 3; more > 0 && disturbed(evaluation); --more)
      evaluation = compare(first, second);
    return evaluation;
  };
  const Evaluation evaluation = undisturbed(kPlain, kSlow);
  ASSERT_EQ(evaluation.verdict, Verdict::ok) << evaluation.reason;
  ASSERT_TRUE(evaluation.comparison.has_value());
  const Comparison& comparison = *evaluation.comparison;
  EXPECT_EQ(comparison.failed, "");
  EXPECT_EQ(comparison.order, Order::faster);
  ASSERT_EQ(comparison.sizes.size(), 2U);
  for (const SizeComparison& size : comparison.sizes) {
    EXPECT_EQ(size.source, TimeSource::estimated);
    EXPECT_DOUBLE_EQ(size.ratio.value, size.first_us / size.second_us);
  }
  EXPECT_EQ(comparison.sizes[1].order, Order::faster);
  EXPECT_EQ(evaluation.measurements.size(), 2U);
  EXPECT_EQ(undisturbed(kSlow, kPlain).comparison->order, Order::slower);
}

TEST_F(Compare, AKernelIsTheSameAsItself) {
  const Evaluation evaluation = compare(kPlain, kPlain);
  ASSERT_TRUE(evaluation.valid()) << evaluation.reason;
  EXPECT_EQ(evaluation.comparison->order, Order::same);
  EXPECT_DOUBLE_EQ(evaluation.comparison->ratio.value, 1);
}

// Work that is moved to the host is paid for, as in scores.
TEST_F(Compare, TimeOnTheHostCounts) {
  std::string busy = sigmoid(kPlain);
  const std::string launch = "  sigmoid<<<";
  ASSERT_NE(busy.find(launch), std::string::npos) << busy;
  busy.insert(busy.find(launch),
              "  volatile double x = 0;\n  for (int i = 0; i < 500000; ++i) x = x + 1;\n");
  JobRequest job = request(sigmoid(kPlain));
  job.rival = busy;
  const Evaluation evaluation = judge(job, shared_->path() / "scratch", StopSignal());
  ASSERT_TRUE(evaluation.valid()) << evaluation.reason;
  EXPECT_EQ(evaluation.comparison->order, Order::faster);
  for (const SizeComparison& size : evaluation.comparison->sizes) {
    EXPECT_EQ(size.first_host_us, 0);
    EXPECT_GT(size.second_us, size.second_host_us);
    EXPECT_GT(size.second_host_us, 50);
  }
  for (const Measurement& m : evaluation.measurements) EXPECT_EQ(m.host_excess_us, 0);
}

TEST_F(Compare, ABadVerdictSaysWhoseItIs) {
  const Evaluation second = compare(kPlain, kWrong);
  EXPECT_EQ(second.verdict, Verdict::mismatch);
  EXPECT_EQ(second.comparison->failed, "second");
  EXPECT_THAT(second.reason, HasSubstr("the second kernel"));
  EXPECT_FALSE(second.feedback.empty());
  const Evaluation first = compare("  y[i] = nonsense;", kPlain);
  EXPECT_EQ(first.verdict, Verdict::compile_error);
  EXPECT_EQ(first.comparison->failed, "first");
}

TEST_F(Compare, WhatNeedsNoDeviceIsFoundWithoutOne) {
  JobRequest job = request(sigmoid(kPlain));
  job.rival = sigmoid("  y[i] = nonsense;");
  Station station;
  const StopSignal stop;
  const auto prepared = prepare_judgement(job, shared_->path() / "scratch", station, stop);
  const auto* ended = std::get_if<Evaluation>(&prepared);
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->verdict, Verdict::compile_error);
  EXPECT_EQ(ended->comparison->failed, "second");
  job.rival = sigmoid(kSlow);
  const auto both = prepare_judgement(job, shared_->path() / "scratch", station, stop);
  ASSERT_EQ(std::get<Contenders>(both).size(), 2U);
  // One seed: both are held to the same cases.
  EXPECT_EQ(std::get<Contenders>(both)[0].prepared.seed,
            std::get<Contenders>(both)[1].prepared.seed);
}

TEST_F(Compare, ACarefulRunFindsWhatResultsDoNotShow) {
  const StopSignal stop;
  Station station;
  const auto careful = [&](const std::string& body) {
    Context context = make_context(request(""), shared_->path() / "scratch", station, stop);
    return run_carefully(prepared_of(sigmoid(body), context), context);
  };
  const CarefulRun clean = careful(kPlain);
  EXPECT_TRUE(clean.complete) << clean.why_not;
  EXPECT_TRUE(clean.faults.empty());
  const CarefulRun beyond =
      careful("  float v = x[i + 1];\n" + kPlain + "\n  if (v > 1e30f) y[0] = v;");
  ASSERT_FALSE(beyond.faults.empty()) << beyond.why_not;
  EXPECT_EQ(beyond.faults.front().verdict, Verdict::memory_fault);
  EXPECT_EQ(beyond.faults.front().line, 4);
  ASSERT_NE(beyond.item.size, nullptr);
}

// The last block to come clears the counter by a plain store behind relaxed atomics: nothing orders
// the two. Only inputs beyond 64 KiB take this way.
constexpr const char* kTicketsOfLargeInputs = R"(#include <cuda_runtime.h>
__device__ unsigned int tickets;
__global__ void sigmoid(const float* x, float* y, int n, int counted) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
  if (counted && threadIdx.x == 0 && atomicAdd(&tickets, 1u) == gridDim.x - 1) {
    tickets = 0u;
  }
}
extern "C" void solve(const float* X, float* Y, int N) {
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N, N > 8192);
}
)";

TEST_F(Compare, ACarefulRunGoesOnToLargerCases) {
  const StopSignal stop;
  Station station;
  Context context = make_context(request(""), shared_->path() / "scratch", station, stop);
  const Prepared prepared = prepared_of(kTicketsOfLargeInputs, context);
  const CarefulRun careful = run_carefully(prepared, context);
  EXPECT_TRUE(careful.complete) << careful.why_not;
  ASSERT_FALSE(careful.faults.empty());
  EXPECT_EQ(careful.faults.front().verdict, Verdict::race);
  EXPECT_EQ(careful.faults.front().line, 7);
  EXPECT_GT(footprint_bytes(prepared.task(), *careful.item.size).value(), 64U << 10);
}

void leave_out(Prepared& prepared, std::uint64_t beyond, std::uint64_t up_to) {
  std::erase_if(prepared.cases, [&](const verify::Case& item) {
    const std::uint64_t bytes = footprint_bytes(prepared.task(), *item.size).value();
    return bytes > beyond && bytes <= up_to;
  });
  ASSERT_FALSE(prepared.cases.empty());
}

// An image of fixed width and height has no small case.
TEST_F(Compare, ACarefulRunTakesTheSmallestCasesThereAre) {
  const StopSignal stop;
  Station station;
  Context context = make_context(request(""), shared_->path() / "scratch", station, stop);
  Prepared prepared = prepared_of(sigmoid(kPlain), context);
  EXPECT_EQ(small_bytes(prepared), kSmallBytes);
  leave_out(prepared, 0, kSmallBytes);
  EXPECT_GT(small_bytes(prepared), kSmallBytes);
  leave_out(prepared, small_bytes(prepared), 4 << 20);
  CarefulRun careful = run_carefully(prepared, context);
  EXPECT_TRUE(careful.complete) << careful.why_not;
  EXPECT_TRUE(careful.faults.empty());
  leave_out(prepared, 0, 4 << 20);
  EXPECT_EQ(small_bytes(prepared), kSmallBytes);
  careful = run_carefully(prepared, context);
  EXPECT_FALSE(careful.complete);
  EXPECT_THAT(careful.why_not, HasSubstr("no size of the task is small enough"));
}

// What does too much work for small inputs alone is looked at with larger ones.
TEST_F(Compare, ACarefulRunGoesOnFromSmallCasesOfMuchWork) {
  const StopSignal stop;
  Station station;
  Context context = make_context(request(""), shared_->path() / "scratch", station, stop);
  std::string source = kTicketsOfLargeInputs;
  const std::string first = "  int i = blockIdx.x * 256 + threadIdx.x;\n";
  source.insert(
      source.find(first) + first.size(),
      "  if (n <= 8192) for (int k = 0; k < 1 << 28; ++k) asm volatile(\"nanosleep.u32 0;\");\n");
  const CarefulRun careful = run_carefully(prepared_of(source, context), context);
  EXPECT_FALSE(careful.complete);
  EXPECT_THAT(careful.why_not, HasSubstr("too much work"));
  ASSERT_FALSE(careful.faults.empty());
  EXPECT_EQ(careful.faults.front().verdict, Verdict::race);
}

// Every thread adds many terms where there are many elements.
constexpr const char* kSquaredWork = R"(#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n, int terms) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < terms; ++k) sum += x[k % n] * 0.0f;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i])) + sum;@EXTRA@
}
extern "C" void solve(const float* X, float* Y, int N) {
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N, N > 512 ? 20000 : N);
}
)";

// The work on the largest of the small cases leaves nothing for the others of their size.
TEST_F(Compare, ACarefulRunOfMuchWorkTakesSmallerCases) {
  const StopSignal stop;
  Station station;
  const auto careful = [&](const std::string& extra) {
    std::string source = kSquaredWork;
    source.replace(source.find("@EXTRA@"), 7, extra);
    Context context = make_context(request(""), shared_->path() / "scratch", station, stop);
    return run_carefully(prepared_of(source, context), context);
  };
  const CarefulRun clean = careful("");
  EXPECT_TRUE(clean.complete) << clean.why_not;
  EXPECT_TRUE(clean.faults.empty());
  EXPECT_THAT(clean.remark, HasSubstr("too much work for the SIMT machine"));
  // Only small inputs take this way.
  const CarefulRun beyond = careful("\n  if (i == n && n < 300 && x[i] > 1e30f) y[0] = sum;");
  ASSERT_FALSE(beyond.faults.empty()) << beyond.why_not;
  EXPECT_EQ(beyond.faults.front().verdict, Verdict::memory_fault);
}

TEST_F(Compare, LargerCasesComeInOrderOfSize) {
  const StopSignal stop;
  Station station;
  Context context = make_context(request(""), shared_->path() / "scratch", station, stop);
  const Prepared prepared = prepared_of(sigmoid(kPlain), context);
  const auto cases = larger_cases(prepared, 64 << 10, 8 << 20);
  ASSERT_GE(cases.size(), 2U);
  std::uint64_t before = 64 << 10;
  for (const verify::Case& item : cases) {
    if (item.variant != nullptr) break;
    const std::uint64_t bytes = footprint_bytes(prepared.task(), *item.size).value();
    EXPECT_GE(bytes, before);
    EXPECT_LE(bytes, 8U << 20);
    before = bytes;
  }
}

TEST_F(Compare, ReplayOnlyRunsThePlans) {
  const JobDirectory job(shared_->path() / "replay");
  ASSERT_TRUE(job.write_request(request(sigmoid(kPlain))).ok());
  Station station;
  const StopSignal stop;
  const Status small = replay_only(job, "", station, stop);
  EXPECT_TRUE(small.ok()) << small.error().message;
  EXPECT_TRUE(replay_only(job, "16x2^10", station, stop).ok());
  EXPECT_FALSE(replay_only(job, "no such size", station, stop).ok());
  EXPECT_FALSE(job.has_result());
}

TEST(ComparisonJob, TheRivalTravelsWithTheDirectory) {
  const auto folder = std::move(TemporaryDirectory::create("ww-compare-")).value();
  const JobDirectory job(folder.path() / "one");
  JobRequest request;
  request.id = "c1";
  request.task = suite::load_embedded_task("sigmoid").value();
  request.source = "// one\n";
  request.rival = "// two\n";
  request.rival_is_baseline = true;
  request.sanitize = "on";
  request.counters = true;
  ASSERT_TRUE(job.write_request(request).ok());
  EXPECT_EQ(job.read_request().value(), request);
  std::filesystem::remove(job.path() / "rival.cu");
  EXPECT_THAT(job.read_request().error().message, HasSubstr("rival.cu"));
}

TEST(ComparisonJob, MalformedFieldsAreNamed) {
  JobRequest request;
  request.task = suite::load_embedded_task("sigmoid").value();
  request.rival = "";
  request.is_baseline = true;
  const std::string good = request_to_json(request);
  ASSERT_TRUE(request_from_json(good).ok());
  const auto broken = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const auto read = request_from_json(text);
    return read.ok() ? "accepted" : read.error().message;
  };
  EXPECT_THAT(broken("\"sanitize\": \"auto\"", "\"sanitize\": \"maybe\""), HasSubstr("'sanitize'"));
  EXPECT_THAT(broken("\"timing_only\": false", "\"timing_only\": true"), HasSubstr("rival"));
  EXPECT_THAT(broken("\"counters\": false", "\"counters\": 3"), HasSubstr("'counters'"));
}

TEST(ComparisonResult, SurvivesItsText) {
  Evaluation evaluation;
  evaluation.verdict = Verdict::ok;
  evaluation.stage = Stage::sanitize;
  evaluation.manifest = {{"driver", "580.1"}, {"input_sets", "3"}};
  evaluation.measurements = {
      {.size = "s", .samples = 3, .dropped = 1, .throttled = 2, .raw_us = {1.5, 2.25, 1.75}}};
  Comparison comparison;
  comparison.failed = "second";
  comparison.order = Order::slower;
  comparison.ratio = {1.02, 1.01, 1.03};
  comparison.sizes = {{.size = "s",
                       .order = Order::slower,
                       .ratio = {1.02, 1.01, 1.03},
                       .margin = 0.0075,
                       .first_us = 10.2,
                       .second_us = 10,
                       .first_host_us = 0.5,
                       .second_host_us = 0.25,
                       .pairs = 2,
                       .first_raw_us = {10.2, 10.3},
                       .second_raw_us = {10, 10.1}}};
  evaluation.comparison = comparison;
  const std::string text = evaluation_to_json(evaluation);
  EXPECT_EQ(evaluation_from_json(text).value(), evaluation);
  const auto broken = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    const auto read = evaluation_from_json(changed);
    return read.ok() ? "accepted" : read.error().message;
  };
  EXPECT_THAT(broken("\"failed\": \"second\"", "\"failed\": \"third\""), HasSubstr("'failed'"));
  EXPECT_THAT(broken("\"order\": \"slower\"", "\"order\": \"quicker\""), HasSubstr("'order'"));
  EXPECT_THAT(broken("\"driver\": \"580.1\"", "\"driver\": 580"), HasSubstr("'driver'"));
}

}  // namespace
}  // namespace warpwright::evaluate
