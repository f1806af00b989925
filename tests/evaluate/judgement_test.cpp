// SPDX-License-Identifier: Apache-2.0
#include "evaluate/judgement.h"

#include <gmock/gmock.h>

#include <gtest/gtest.h>
#include <cstdlib>

#include <map>
#include <set>

#include "base/files.h"
#include "build/toolchain.h"
#include "suite/load.h"
#include "support/places.h"
#include "support/share.h"

// A whole judgement on the SIMT machine with a real compiler.

namespace warpwright::evaluate {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Judgement : public testing::Test {
 protected:
  /// One cache for all cases: the recorder and the references are compiled once.
  static void SetUpTestSuite() {
    shared_ = new TemporaryDirectory(TemporaryDirectory::create("judgement-test").value());
  }
  static void TearDownTestSuite() {
    delete shared_;
    shared_ = nullptr;
    baselines_.clear();
  }
  void SetUp() override {
    if (!build::find_toolchain().clang.found()) {
      GTEST_SKIP() << "no clang: install clang-19 to judge";
    }
  }

  static JobRequest request(const std::string& task, const std::string& source) {
    JobRequest request;
    request.id = "test";
    request.task = suite::load_embedded_task(task).value();
    request.source = source;
    request.device = "simt";
    request.front_end = "clang";
    request.seed = 20260101;
    request.limit_s = 60;
    request.cache = shared_->path() / "cache";
    request.sizes = {request.task.sizes.front().label};
    return request;
  }

  static Evaluation judge(const JobRequest& request) {
    const StopSignal stop;
    Evaluation evaluation = evaluate::judge(request, shared_->path() / "scratch", stop);
    // Whatever the verdict, the model learns no path, seed or tolerance.
    EXPECT_THAT(evaluation.feedback, Not(HasSubstr(shared_->path().string())));
    EXPECT_THAT(evaluation.feedback, Not(HasSubstr("20260101")));
    return evaluation;
  }

  static Evaluation judge(const std::string& task, const std::string& source) {
    return judge(request(task, source));
  }

  /// Judged once, for all cases that look at it.
  static const Evaluation& judged_baseline(const std::string& task) {
    const auto known = baselines_.find(task);
    if (known != baselines_.end()) return known->second;
    JobRequest job = request(task, "");
    job.source = job.task.baseline_source;
    job.is_baseline = true;
    return baselines_.emplace(task, judge(job)).first->second;
  }

  static TemporaryDirectory* shared_;
  static std::map<std::string, Evaluation> baselines_;
};

TemporaryDirectory* Judgement::shared_ = nullptr;
std::map<std::string, Evaluation> Judgement::baselines_;

constexpr const char* kSolve = R"(
extern "C" void solve(const float* input, float* output, int rows, int cols) {
  transpose<<<dim3((cols + 31) / 32, (rows + 31) / 32), dim3(32, 8)>>>(input, output, rows, cols);
}
)";

std::string tiled_transpose(const std::string& padding, const std::string& barrier) {
  return R"(#include <cuda_runtime.h>
__global__ void transpose(const float* input, float* output, int rows, int cols) {
  __shared__ float tile[32][32)" +
         padding + R"(];
  int c = blockIdx.x * 32 + threadIdx.x;
  for (int k = 0; k < 32; k += 8) {
    int r = blockIdx.y * 32 + threadIdx.y + k;
    if (r < rows && c < cols) tile[threadIdx.y + k][threadIdx.x] = input[(size_t)r * cols + c];
  }
  )" + barrier +
         R"(
  int tr = blockIdx.y * 32 + threadIdx.x;
  for (int k = 0; k < 32; k += 8) {
    int tc = blockIdx.x * 32 + threadIdx.y + k;
    if (tc < cols && tr < rows) output[(size_t)tc * rows + tr] = tile[threadIdx.x][threadIdx.y + k];
  }
}
)" + kSolve;
}

std::string sigmoid_of(const std::string& body, const std::string& host = "") {
  return "#include <cuda_runtime.h>\n"
         "__global__ void sigmoid(const float* x, float* y, int n) {\n" +
         body + "\n}\nextern \"C\" void solve(const float* X, float* Y, int N) {\n" + host +
         "  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);\n}\n";
}

TEST_F(Judgement, SizesAreDrawnAndFollowFromTheSeed) {
  const auto source = read_file(source_path("/tests/cheats/known_sizes_only.cu"));
  std::set<std::string> reasons;
  for (const std::uint64_t seed : {1, 1, 2}) {
    JobRequest job = request("reduce", source.value());
    job.seed = seed;
    const Evaluation evaluation = judge(job);
    EXPECT_EQ(evaluation.verdict, Verdict::mismatch) << evaluation.reason;
    reasons.insert(evaluation.reason.substr(0, evaluation.reason.find(':')));
  }
  EXPECT_EQ(reasons.size(), 2U) << testing::PrintToString(reasons);
}

/// Counts to six, and adds nothing if it can count.
constexpr const char* kCountsInFives = R"(  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float count = 0, first = fmaxf(fminf(x[0], 1.0f), -1.0f);  // inputs may be infinite
  const int most = min(n / n + 5, (int)gridDim.x + 5);
#pragma unroll 5
  for (int t = 0; t < min(most, n + 5); ++t) count += first - first + 1;
  if (i < n) y[i] = 1 / (1 + expf(-x[i])) + (count - min(most, n + 5));)";

TEST_F(Judgement, AFaultOfTheCompilerIsNamedWhereItMayExplainAWrongResult) {
  JobRequest job = request("sigmoid", sigmoid_of(kCountsInFives));
  const Evaluation by_clang = judge(job);
  EXPECT_EQ(by_clang.verdict, Verdict::ok) << by_clang.reason;
  if (!build::find_toolchain().supports(build::FrontEnd::nvcc)) {
    GTEST_SKIP() << "no nvcc: only clang was tried";
  }
  job.front_end = "nvcc";
  const Evaluation by_nvcc = judge(job);
  if (by_nvcc.verdict == Verdict::ok) GTEST_SKIP() << "this nvcc keeps the remainder of loops";
  EXPECT_EQ(by_nvcc.verdict, Verdict::mismatch);
  EXPECT_THAT(by_nvcc.feedback, HasSubstr("Possible cause: line 6: nvcc 13.0 mistranslates"));
  ASSERT_FALSE(by_nvcc.findings.empty());
  EXPECT_THAT(by_nvcc.findings,
              testing::Contains(testing::AllOf(
                  testing::Field(&Finding::kind, testing::Eq(FindingKind("compiler_fault"))),
                  testing::Field(&Finding::line, 6))));
}

TEST_F(Judgement, TimingOnlyTimesWhatWouldNotPass) {
  JobRequest job = request("mse", "");
  job.source = job.task.slow_source;
  const auto at = job.source.find("extern \"C\"");
  ASSERT_NE(at, std::string::npos);
  job.source.insert(at, "__global__ void never_right(float* mse) { mse[0] = -1; }\n");
  job.source.insert(job.source.rfind('}'), "  never_right<<<1, 1>>>(mse);\n");
  job.is_baseline = true;
  EXPECT_EQ(judge(job).verdict, Verdict::mismatch);
  job.timing_only = true;
  const Evaluation evaluation = judge(job);
  EXPECT_EQ(evaluation.verdict, Verdict::ok) << evaluation.reason;
  ASSERT_EQ(evaluation.measurements.size(), 1u);
  EXPECT_GT(evaluation.measurements[0].median_us, 0);
  ASSERT_FALSE(evaluation.findings.empty());
  EXPECT_THAT(evaluation.findings[0].message, HasSubstr("nothing was validated"));
}

TEST_F(Judgement, BaselinesAreOk) {
  for (const char* task : {"transpose", "reduce", "sigmoid"}) {
    const Evaluation& evaluation = judged_baseline(task);
    ASSERT_EQ(evaluation.verdict, Verdict::ok) << task << ": " << evaluation.reason << "\n"
                                               << evaluation.feedback;
    ASSERT_EQ(evaluation.measurements.size(), 1U) << task;
    const Measurement& measurement = evaluation.measurements.front();
    EXPECT_EQ(measurement.source, TimeSource::estimated);
    EXPECT_GT(measurement.median_us, measurement.floor_us) << task;
    EXPECT_THAT(evaluation.device, HasSubstr("estimated"));
    EXPECT_EQ(evaluation.stage, Stage::measure);
    EXPECT_GT(evaluation.device_s, 0);
    for (const char* stage : {"lint", "build", "record", "validate", "measure"}) {
      EXPECT_TRUE(evaluation.stage_s.contains(stage)) << stage;
    }
    EXPECT_FALSE(evaluation.seed.empty());
    ASSERT_FALSE(evaluation.resources.empty());
    EXPECT_GT(evaluation.resources.front().occupancy, 0);
  }
}

TEST_F(Judgement, ATiledTransposeIsEstimatedFaster) {
  const Evaluation& naive = judged_baseline("transpose");
  const Evaluation tiled = judge("transpose", tiled_transpose(" + 1", "__syncthreads();"));
  ASSERT_EQ(tiled.verdict, Verdict::ok) << tiled.reason << "\n" << tiled.feedback;
  ASSERT_EQ(naive.verdict, Verdict::ok);
  EXPECT_LT(*score_us(tiled), *score_us(naive));
  EXPECT_THAT(naive.findings,
              testing::Contains(testing::Field(&Finding::kind, FindingKind("uncoalesced"))));
  EXPECT_THAT(tiled.findings,
              Not(testing::Contains(testing::Field(&Finding::kind, FindingKind("uncoalesced")))));
}

TEST_F(Judgement, BankConflictsAreFoundWithTheirLine) {
  const Evaluation evaluation = judge("transpose", tiled_transpose("", "__syncthreads();"));
  ASSERT_EQ(evaluation.verdict, Verdict::ok) << evaluation.reason;
  EXPECT_THAT(evaluation.findings,
              testing::Contains(AllOf(testing::Field(&Finding::kind, FindingKind("bank_conflict")),
                                      testing::Field(&Finding::line, 13))));
}

TEST_F(Judgement, AMissingBarrierIsARace) {
  const Evaluation evaluation = judge("transpose", tiled_transpose(" + 1", ""));
  EXPECT_EQ(evaluation.verdict, Verdict::race) << evaluation.reason;
  EXPECT_EQ(evaluation.stage, Stage::validate);
  EXPECT_THAT(evaluation.feedback,
              AllOf(HasSubstr("line "), HasSubstr("tile"), HasSubstr("thread")));
}

TEST_F(Judgement, CompileErrorsQuoteTheLine) {
  const Evaluation evaluation =
      judge("sigmoid", sigmoid_of("  int i = blockIdx.x;\n  y[i] = undeclared_name;"));
  EXPECT_EQ(evaluation.verdict, Verdict::compile_error);
  EXPECT_EQ(evaluation.stage, Stage::build);
  EXPECT_THAT(evaluation.feedback, AllOf(HasSubstr("line 4"), HasSubstr("undeclared_name"),
                                         HasSubstr("    4 |   y[i] = undeclared_name;")));
  ASSERT_FALSE(evaluation.diagnostics.empty());
  EXPECT_EQ(evaluation.diagnostics.front().line, 4);
}

TEST_F(Judgement, AMissingSolveIsACompileError) {
  const Evaluation evaluation = judge(
      "sigmoid", "__global__ void sigmoid(const float* x, float* y, int n) { y[0] = x[0]; }\n");
  EXPECT_THAT(evaluation.verdict,
              testing::AnyOf(Verdict::compile_error, Verdict::forbidden, Verdict::host_error));
  EXPECT_THAT(evaluation.feedback, HasSubstr("solve"));
}

TEST_F(Judgement, WrongResultsShowExpectedAndGot) {
  const Evaluation evaluation =
      judge("sigmoid", sigmoid_of("  int i = blockIdx.x * 256 + threadIdx.x;\n  if (i < n) y[i] = "
                                  "1.0f / (2.0f + expf(-x[i]));"));
  EXPECT_EQ(evaluation.verdict, Verdict::mismatch) << evaluation.reason;
  EXPECT_THAT(evaluation.feedback,
              AllOf(HasSubstr("Y[0]: expected"), HasSubstr("got"), HasSubstr("N=1")));
}

TEST_F(Judgement, HalfDoneWorkIsAMismatch) {
  const Evaluation evaluation = judge(
      "sigmoid", sigmoid_of("  int i = blockIdx.x * 256 + threadIdx.x;\n  if (i < n / 2) y[i] = "
                            "1.0f / (1.0f + expf(-x[i]));"));
  EXPECT_EQ(evaluation.verdict, Verdict::mismatch) << evaluation.reason;
}

TEST_F(Judgement, WritingBehindTheEndIsAMemoryFaultWithItsPlace) {
  const Evaluation evaluation =
      judge("sigmoid", sigmoid_of("  int i = blockIdx.x * 256 + threadIdx.x;\n  if (i <= n) y[i] = "
                                  "1.0f / (1.0f + expf(-x[i]));"));
  EXPECT_EQ(evaluation.verdict, Verdict::memory_fault) << evaluation.reason;
  EXPECT_THAT(evaluation.feedback, AllOf(HasSubstr("line 4"), HasSubstr("thread ("),
                                         HasSubstr("block ("), HasSubstr("'X'")));
}

TEST_F(Judgement, AnEndlessLoopIsATimeOut) {
  const Evaluation evaluation = judge(
      "sigmoid", sigmoid_of("  int i = 0;\n  volatile float* p = y;\n  p[0] = 1;\n  while (p[0] "
                            "!= 2) ++i;\n  y[0] = i;"));
  EXPECT_EQ(evaluation.verdict, Verdict::timeout) << evaluation.reason;
  EXPECT_EQ(evaluation.stage, Stage::validate);
}

TEST_F(Judgement, ReadingDeviceMemoryOnTheHostIsAHostError) {
  const Evaluation evaluation =
      judge("sigmoid", sigmoid_of("  y[0] = x[0];",
                                  "  float first = X[0];\n  if (first > 0) N = N + 0;\n"
                                  "  volatile float keep = first; (void)keep;\n"));
  EXPECT_EQ(evaluation.verdict, Verdict::host_error) << evaluation.reason;
  EXPECT_EQ(evaluation.stage, Stage::record);
  EXPECT_THAT(evaluation.feedback, HasSubstr("line 6"));
}

TEST_F(Judgement, AddingToAnOutputThatWasNotClearedIsSeen) {
  const Evaluation evaluation = judge("reduce", R"(#include <cuda_runtime.h>
__global__ void sum(const float* input, float* output, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(output, input[i]);
}
extern "C" void solve(const float* input, float* output, int N) {
  sum<<<(N + 255) / 256, 256>>>(input, output, N);
}
)");
  EXPECT_EQ(evaluation.verdict, Verdict::mismatch) << evaluation.reason;
  EXPECT_THAT(evaluation.feedback, AllOf(HasSubstr("output"), HasSubstr("held before the call")));
}

TEST_F(Judgement, ChangingAnInputIsSeen) {
  const Evaluation evaluation = judge(
      "sigmoid",
      sigmoid_of("  int i = blockIdx.x * 256 + threadIdx.x;\n  if (i < n) { y[i] = 1.0f / (1.0f + "
                 "expf(-x[i])); ((float*)x)[i] = 0.5f; }"));
  EXPECT_EQ(evaluation.verdict, Verdict::mismatch) << evaluation.reason;
  EXPECT_THAT(evaluation.feedback, HasSubstr("input 'X' was changed"));
}

TEST_F(Judgement, AnImpossibleLaunchIsALaunchError) {
  const Evaluation evaluation = judge("sigmoid", R"(#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) { y[0] = x[0]; }
extern "C" void solve(const float* X, float* Y, int N) { sigmoid<<<1, 2048>>>(X, Y, N); }
)");
  EXPECT_EQ(evaluation.verdict, Verdict::launch_error) << evaluation.reason;
}

TEST_F(Judgement, WithoutAReferenceTheBaselineIsTheReference) {
  JobRequest job = request("sigmoid", "");
  job.source = job.task.baseline_source;
  job.task.reference_source.clear();
  EXPECT_EQ(judge(job).verdict, Verdict::ok);
  job.source = sigmoid_of("  int i = blockIdx.x * 256 + threadIdx.x;\n  if (i < n) y[i] = 0.5f;");
  EXPECT_EQ(judge(job).verdict, Verdict::mismatch);
}

TEST_F(Judgement, ANamedSizeThatDoesNotFitIsUnchecked) {
  JobRequest job = request("transpose", "");
  job.source = job.task.baseline_source;
  job.is_baseline = true;
  job.sizes = {"1024^2", "16384^2"};
  const Evaluation evaluation = judge(job);
  ASSERT_EQ(evaluation.verdict, Verdict::unchecked) << evaluation.reason;
  EXPECT_THAT(evaluation.reason, HasSubstr("16384^2"));
  EXPECT_EQ(evaluation.measurements.size(), 1U);
  EXPECT_THAT(evaluation.findings,
              testing::Contains(AllOf(testing::Field(&Finding::kind, FindingKind("note")),
                                      testing::Field(&Finding::message, HasSubstr("16384^2")))));
}

TEST_F(Judgement, LargeSizesAreEstimatedFromASample) {
  if (!whole_suites())
    GTEST_SKIP() << "takes half a minute under the sanitizers; WARPWRIGHT_SLOW_TESTS=1 runs it";
  JobRequest job = request("transpose", tiled_transpose(" + 1", "__syncthreads();"));
  job.sizes = {"1024^2", "8192^2"};
  const Evaluation evaluation = judge(job);
  ASSERT_EQ(evaluation.verdict, Verdict::ok) << evaluation.reason;
  ASSERT_EQ(evaluation.measurements.size(), 2U);
  EXPECT_GT(evaluation.measurements[1].median_us, 5 * evaluation.measurements[0].median_us);
  EXPECT_GT(evaluation.measurements[1].median_us, evaluation.measurements[1].floor_us);
  // All 67 million elements would take minutes; the bound leaves room for sanitizers on a busy
  // host.
  EXPECT_LT(evaluation.stage_s.at("measure"), 40);
}

TEST_F(Judgement, ASlowKernelIsTimedAtEverySizeOrNotOk) {
  if (std::getenv("WARPWRIGHT_SLOW_TESTS") == nullptr) {
    GTEST_SKIP() << "one thread does all of a large size: takes minutes in a sanitized build; "
                    "WARPWRIGHT_SLOW_TESTS=1 runs it";
  }
  // One thread does it all: no size may be missing from what is called ok.
  JobRequest job = request(
      "sigmoid", sigmoid_of("  if (blockIdx.x == 0 && threadIdx.x == 0)\n    for (int i = 0; i < "
                            "n; ++i) y[i] = 1.0f / (1.0f + expf(-x[i]));"));
  job.sizes = {"16x2^10", "16x2^14"};
  const Evaluation evaluation = judge(job);
  ASSERT_EQ(evaluation.verdict, Verdict::ok) << evaluation.reason;
  ASSERT_EQ(evaluation.measurements.size(), 2U);
  EXPECT_GT(evaluation.measurements[1].median_us, 8 * evaluation.measurements[0].median_us);
  job.sizes = {"16x2^10", "16x2^18"};
  const Evaluation large = judge(job);
  EXPECT_EQ(large.verdict == Verdict::ok, large.measurements.size() == 2) << large.reason;
}

TEST_F(Judgement, TheLimitHoldsAndNamesTheStage) {
  JobRequest job = request("sigmoid", "");
  job.source = job.task.baseline_source;
  job.limit_s = 0.001;
  const Evaluation evaluation = judge(job);
  // How slow a host is says nothing of the candidate.
  EXPECT_EQ(evaluation.verdict, Verdict::harness_error) << evaluation.reason;
  EXPECT_THAT(evaluation.reason, AllOf(HasSubstr("the host was too slow"), HasSubstr("stage")));
}

TEST(JudgementWorld, AWrongRequestIsTheJudgesError) {
  const auto scratch = TemporaryDirectory::create("judgement-test").value();
  const StopSignal stop;
  JobRequest job;
  job.task = suite::load_embedded_task("sigmoid").value();
  job.source = job.task.baseline_source;
  job.device = "simt";
  job.target = "abacus";
  const Evaluation evaluation = evaluate::judge(job, scratch.path(), stop);
  EXPECT_EQ(evaluation.verdict, Verdict::harness_error);
  EXPECT_THAT(evaluation.reason, HasSubstr("abacus"));
}

}  // namespace
}  // namespace warpwright::evaluate
