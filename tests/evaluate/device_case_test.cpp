// SPDX-License-Identifier: Apache-2.0
// Validation cases that are made and checked on the device, on the SIMT machine.
#include "evaluate/device_case.h"

#include "evaluate/session_bed.h"

namespace warpwright::evaluate {
namespace {

using testing::HasSubstr;

class DeviceCaseTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!build::find_toolchain().clang.found()) GTEST_SKIP() << "no clang: install clang-19";
  }

  /// All validation cases of a judgement, `calls` times each.
  Outcome<> validate(const std::string& task, const std::string& source, int calls = 1) {
    SessionBed bed;
    WW_CHECK(bed.load_candidate(suite::load_embedded_task(task).value(), source));
    std::uint64_t seed = 100;
    for (const verify::Case& item : bed.prepared().cases) {
      if (footprint_bytes(bed.prepared().task(), *item.size).value() > kMostBytesHere) continue;
      ++cases_;
      variants_ += item.variant != nullptr;
      drawn_ += item.size_class != verify::SizeClass::edge;
      WW_TRY(DeviceCase opened, DeviceCase::open(bed.session(), item, seed));
      for (int call = 0; call < calls; ++call) {
        WW_CHECK(opened.before());
        WW_TRY(const auto report,
               opened.loaded().replay->run({.poison_seed = seed + static_cast<unsigned>(call)}));
        EXPECT_TRUE(report.faults.empty());
        WW_CHECK(opened.after({}));
      }
      WW_CHECK(opened.conclude());
      ++seed;
    }
    return {};
  }

  static constexpr std::uint64_t kMostBytesHere = 20000;
  int cases_ = 0, variants_ = 0, drawn_ = 0;
};

TEST_F(DeviceCaseTest, RightCallsPassAllCases) {
  const auto outcome = validate("sigmoid", sigmoid_with(kRightSigmoid), 2);
  EXPECT_EQ(reason_of(outcome), "none");
  EXPECT_GT(cases_, 20);
  EXPECT_GT(variants_, 8);
  EXPECT_GT(drawn_, 1);
}

// Scalars of a variant are the reference's, too: the integral is from a to b.
TEST_F(DeviceCaseTest, ScalarsOfVariantsReachTheReference) {
  const auto source = [](const std::string& width) {
    return "__global__ void mean(const float* y, float* result, float a, float b, int n) {\n"
           "  double sum = 0;\n"
           "  for (int i = 0; i < n; ++i) sum += y[i];\n"
           "  *result = (float)(" +
           width +
           " * sum / n);\n}\n"
           "extern \"C\" void solve(const float* y, float* result, float a, float b, int n) {\n"
           "  mean<<<1, 1>>>(y, result, a, b, n);\n}\n";
  };
  EXPECT_EQ(reason_of(validate("monte_carlo", source("((double)b - a)"))), "none");
  EXPECT_THAT(reason_of(validate("monte_carlo", source("1.0"))), HasSubstr("'result'"));
}

TEST_F(DeviceCaseTest, OneWrongElementIsNamed) {
  const auto outcome =
      validate("sigmoid", sigmoid_with("  if (n == 257 && i == 200) return;\n" + kRightSigmoid));
  EXPECT_THAT(reason_of(outcome), HasSubstr("N=257"));
  EXPECT_THAT(reason_of(outcome), HasSubstr(": 1 of 257 elements of 'Y' are wrong"));
  EXPECT_THAT(reason_of(outcome), HasSubstr("index 200"));
}

TEST_F(DeviceCaseTest, AChangedInputIsNamed) {
  const auto outcome = validate(
      "sigmoid",
      sigmoid_with(kRightSigmoid + "\n  if (i == 3 && i < n) const_cast<float*>(x)[3] = 0;"));
  EXPECT_THAT(reason_of(outcome), HasSubstr("'X'"));
}

TEST_F(DeviceCaseTest, WhatMemoryHeldBeforeIsBlamed) {
  const auto outcome =
      validate("sigmoid", sigmoid_with("  if (n > 1000) return;\n" + kRightSigmoid));
  ASSERT_FALSE(outcome.ok());
  const Halt halt = outcome.error();
  ASSERT_TRUE(std::holds_alternative<Ended>(halt));
  EXPECT_THAT(std::get<Ended>(halt).feedback, HasSubstr("what the memory held before the call"));
}

}  // namespace
}  // namespace warpwright::evaluate
