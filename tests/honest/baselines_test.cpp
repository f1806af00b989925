// SPDX-License-Identifier: Apache-2.0
// Every task's baseline passes every case that fits, on the SIMT machine.
#include <gtest/gtest.h>

#include "small_trial.h"
#include "support/share.h"

namespace warpwright {
namespace {

constexpr std::uint64_t kBaselineBytes = 16 << 10;
constexpr double kBaselineWork = 6e5;

class Baselines : public testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() { trials_ = new SmallTrials; }
  static void TearDownTestSuite() {
    delete trials_;
    trials_ = nullptr;
  }
  static void judge(const std::string& front_end) {
    evaluate::JobRequest request = trials_->request(GetParam(), front_end);
    request.source = request.task.baseline_source;
    request.is_baseline = true;
    if (!SmallTrials::all()) SmallTrials::shrink(request.task, kBaselineBytes, kBaselineWork);
    const Evaluation e = trials_->judge(request);
    EXPECT_EQ(e.verdict, Verdict::ok) << front_end << ": " << e.reason << "\n" << e.feedback;
  }
  static SmallTrials* trials_;
};
SmallTrials* Baselines::trials_ = nullptr;

TEST_P(Baselines, AreOk) {
  const build::Toolchain tools = build::find_toolchain();
  if (!tools.clang.found()) GTEST_SKIP() << "no clang: install clang-19 to run trials";
  if (SmallTrials::with_clang()) judge("clang");
  if (tools.nvcc.found() && SmallTrials::with_nvcc()) judge("nvcc");
}

INSTANTIATE_TEST_SUITE_P(Suite, Baselines,
                         testing::ValuesIn(some_of(suite::embedded_task_names(), 6,
                                                   {"layernorm_bwd", "ems_verify_attention",
                                                    "ems_accept"})),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace warpwright
