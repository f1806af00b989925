// SPDX-License-Identifier: Apache-2.0
// `ok` means checked: what is slow, wrong or faulty where few look is a verdict, and none of them
// depends on how busy the host is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <limits>

#include "base/child.h"
#include "base/files.h"
#include "build/toolchain.h"
#include "evaluate/judgement.h"
#include "evaluate/written.h"
#include "suite/load.h"
#include "support/share.h"

namespace warpwright::evaluate {
namespace {

using testing::HasSubstr;

std::string launched_sigmoid(const std::string& body,
                             const std::string& launch = "(N + 255) / 256, 256") {
  return "#include <cuda_runtime.h>\n__device__ unsigned int calls;\n"
         "__global__ void sigmoid(const float* x, float* y, int n) {\n"
         "  int i = blockIdx.x * 256 + threadIdx.x;\n" +
         body + "\n}\nextern \"C\" void solve(const float* X, float* Y, int N) {\n  sigmoid<<<" +
         launch + ">>>(X, Y, N);\n}\n";
}
const std::string kGuarded = "  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));";

class CheckedJudgement : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_ = new TemporaryDirectory(TemporaryDirectory::create("checked-test").value());
  }
  static void TearDownTestSuite() {
    delete shared_;
    shared_ = nullptr;
  }
  void SetUp() override {
    if (!build::find_toolchain().clang.found()) GTEST_SKIP() << "no clang: install clang-19";
  }
  /// At a small size and at one that only its own calls have: no drawn size is as large.
  static Evaluation judge(const std::string& source,
                          std::vector<std::string> sizes = {"16x2^10", "16x2^16"}) {
    JobRequest request;
    request.id = "test";
    request.task = suite::load_embedded_task("sigmoid").value();
    request.source = source;
    request.device = "simt";
    request.front_end = "clang";
    request.seed = 20260101;
    request.cache = shared_->path() / "cache";
    request.sizes = std::move(sizes);
    // No test here is about this limit: what ends a kernel is the work it may do.
    request.limit_s = 600;
    const StopSignal stop;
    return evaluate::judge(request, shared_->path() / "scratch", stop);
  }
  static TemporaryDirectory* shared_;
};

TemporaryDirectory* CheckedJudgement::shared_ = nullptr;

TEST_F(CheckedJudgement, AMeasurementSaysHowFarItWasChecked) {
  if (!whole_suites())
    GTEST_SKIP() << "takes half a minute under the sanitizers; WARPWRIGHT_SLOW_TESTS=1 runs it";
  // Enough work that a part of the blocks has to stand for all.
  const Evaluation evaluation = judge(
      launched_sigmoid(
          "  float v = i < n ? x[i] : 0.0f;\n  for (int k = 0; k < 100; ++k) v = v + 1e-30f * v;\n"
          "  if (i < n) y[i] = 1.0f / (1.0f + expf(-v));"),
      {"16x2^10", "16x2^18"});
  ASSERT_EQ(evaluation.verdict, Verdict::ok) << evaluation.reason;
  ASSERT_EQ(evaluation.measurements.size(), 2U);
  EXPECT_EQ(evaluation.measurements[0].checked, Checked("all"));
  EXPECT_EQ(evaluation.measurements[1].checked, Checked("sampled"));
}

TEST_F(CheckedJudgement, BlocksThatShareSomethingAreRunAsAWhole) {
  const Evaluation evaluation =
      judge(launched_sigmoid(kGuarded + "\n  if (threadIdx.x == 0) atomicAdd(&calls, 1u);"));
  ASSERT_EQ(evaluation.verdict, Verdict::ok) << evaluation.reason;
  EXPECT_EQ(evaluation.measurements[1].checked, Checked("all"));
}

TEST_F(CheckedJudgement, WrongValuesOfALargeSizeAreSeen) {
  const Evaluation nothing = judge(
      launched_sigmoid("  if (n >= 1048576) { if (i < n) y[i] = 0.5f; return; }\n" + kGuarded));
  EXPECT_EQ(nothing.verdict, Verdict::mismatch) << nothing.reason;
  EXPECT_THAT(nothing.reason, HasSubstr("16x2^16"));
  const Evaluation less =
      judge(launched_sigmoid("  if (n >= 1048576 && i % 4 == 3) return;\n" + kGuarded));
  EXPECT_NE(less.verdict, Verdict::ok) << "a quarter of the elements was never written";
}

TEST_F(CheckedJudgement, FaultsAndHangsOfALargeSizeAreVerdicts) {
  EXPECT_EQ(
      judge(launched_sigmoid(kGuarded + "\n  if (n >= 1048576 && i == 7) y[n + 3] = 1;")).verdict,
      Verdict::memory_fault);
  if (std::getenv("WARPWRIGHT_SLOW_TESTS") == nullptr) {
    GTEST_SKIP() << "what hangs is run until its work is used up: a minute in a sanitized build; "
                    "WARPWRIGHT_SLOW_TESTS=1 runs it";
  }
  const Evaluation endless = judge(launched_sigmoid(
      "  volatile float* p = y;\n  if (n >= 1048576) while (p[0] != 7.0f) ;\n" + kGuarded));
  EXPECT_NE(endless.verdict, Verdict::ok);
  EXPECT_TRUE(endless.measurements.size() < 2);
  EXPECT_FALSE(score_us(endless).has_value()) << "a missing size is infinitely slow";
}

/// Burns instructions at the small sizes, and is wrong at the timed one.
TEST_F(CheckedJudgement, SlowEdgeSizesDoNotHideTheTimedOnes) {
  const Evaluation evaluation = judge(launched_sigmoid(
      "  float v = 0;\n  if (n < 15000) for (int k = 0; k < 300000; ++k) v = v * 0.5f + x[0];\n"
      "  if (v == 1e30f) y[0] = v;\n  if (n >= 15000) { if (i < n) y[i] = 0.5f; return; }\n" +
      kGuarded));
  EXPECT_THAT(evaluation.verdict, testing::AnyOf(Verdict::timeout, Verdict::mismatch))
      << evaluation.reason;
}

TEST_F(CheckedJudgement, ABusyHostChangesNothing) {
  if (std::getenv("WARPWRIGHT_SLOW_TESTS") == nullptr) {
    GTEST_SKIP()
        << "four judgements of slow kernels, two beside busy processes: takes minutes in a "
           "sanitized build; WARPWRIGHT_SLOW_TESTS=1 runs it";
  }
  const std::string endless = launched_sigmoid(
      "  volatile float* p = y;\n  p[0] = 1;\n  while (p[0] != 2) ++i;\n  y[0] = (float)i;");
  const std::string slow =
      launched_sigmoid("  for (int k = 0; k < 1500; ++k) if (i < n) y[i] = x[i] + k;\n" + kGuarded);
  const std::vector<std::string> small = {"16x2^10"};
  const Evaluation quiet_endless = judge(endless, small), quiet_slow = judge(slow, small);
  std::vector<ChildProcess> busy;
  for (int i = 0; i < 4; ++i) {
    Command command;
    command.argv = {"/bin/sh", "-c", "while :; do :; done"};
    command.env = {"PATH=/usr/bin:/bin"};
    busy.push_back(std::move(ChildProcess::start(command)).value());
  }
  const Evaluation loud_endless = judge(endless, small), loud_slow = judge(slow, small);
  EXPECT_EQ(quiet_endless.verdict, Verdict::timeout) << quiet_endless.reason;
  EXPECT_EQ(loud_endless.verdict, quiet_endless.verdict);
  EXPECT_EQ(loud_endless.reason, quiet_endless.reason);
  EXPECT_EQ(loud_slow.verdict, quiet_slow.verdict) << loud_slow.reason;
  EXPECT_EQ(loud_slow.reason, quiet_slow.reason);
}

TEST(Written, OnlyWhatStillHoldsPoisonIsReplaced) {
  const Task task = suite::load_embedded_task("sigmoid").value();
  constexpr std::size_t kElements = 1000;
  std::vector<verify::Bytes> outputs(task.arguments.size());
  std::vector<verify::Expected> expected(task.arguments.size());
  const auto poison = device::poison_pattern(5, kElements * sizeof(float));
  outputs[1].assign(poison.begin(), poison.end());
  expected[1].wide.assign(kElements, 0.25);
  EXPECT_EQ(complete_unwritten(task, 5, expected, outputs), 0) << "nothing was written";
  outputs[1].assign(poison.begin(), poison.end());
  const float written = 3;
  std::memcpy(outputs[1].data() + 7 * sizeof(float), &written, sizeof written);
  EXPECT_DOUBLE_EQ(complete_unwritten(task, 5, expected, outputs), 1.0 / kElements);
  for (std::size_t i = 0; i < kElements; ++i) {
    EXPECT_EQ(verify::element_as_double(ElementType::f32, outputs[1], i), i == 7 ? 3 : 0.25);
  }
}

// A task's reference may leave integers unrounded. Cut instead of rounded, what other blocks would
// have written counted as the candidate's mistake.
TEST(Written, UnroundedIntegersAreReplacedByTheNearest) {
  const Task task = suite::load_embedded_task("quant_int8").value();
  ASSERT_EQ(task.arguments[1].type, ElementType::i8);
  std::vector<verify::Bytes> outputs(task.arguments.size());
  std::vector<verify::Expected> expected(task.arguments.size());
  expected[1].wide = {-3.525647477187332, 10.838969404186795, 63.25, -127.2, 127.4, 2.5, 900, -900};
  expected[1].wide.push_back(std::numeric_limits<double>::quiet_NaN());
  const auto poison = device::poison_pattern(5, expected[1].wide.size());
  outputs[1].assign(poison.begin(), poison.end());
  EXPECT_EQ(complete_unwritten(task, 5, expected, outputs), 0);
  const std::vector<double> nearest = {-4, 11, 63, -127, 127, 2, 127, -128};
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    EXPECT_EQ(verify::element_as_double(ElementType::i8, outputs[1], i), nearest[i]) << i;
  }
}

}  // namespace
}  // namespace warpwright::evaluate
