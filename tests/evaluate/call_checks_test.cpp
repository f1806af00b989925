// SPDX-License-Identifier: Apache-2.0
// Timed calls have inputs of their own, and wrong ones are found: on the SIMT machine, whose calls
// are made like a GPU's here.
#include "evaluate/call_checks.h"

#include <gmock/gmock.h>

#include "evaluate/session_bed.h"

namespace warpwright::evaluate {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class CallChecksTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!build::find_toolchain().clang.found()) GTEST_SKIP() << "no clang: install clang-19";
  }

  /// What is said of six calls and two of another distribution. `coverage` as the result tells it.
  Outcome<> judge(const std::string& source, bool on_device, std::string& coverage) {
    Task task = suite::load_embedded_task("sigmoid").value();
    task.sizes = {{"700", {{"N", 700}}}};
    if (!on_device) task.device_reference_source.clear();
    SessionBed bed;
    WW_CHECK(bed.load_candidate(task, source));
    const Sized sized{.size = bed.prepared().timed.front()};
    WW_TRY(auto place, load_place(bed.session(), {sized.size, nullptr}, 0, bed.session().module));
    WW_TRY(auto checks, CallChecks::make(bed.session(), sized));
    for (int call = 0; call < 8; ++call) {
      if (call % 4 == 3) {
        WW_TRY(const bool there, checks->before_other(place.buffers));
        EXPECT_TRUE(there);
      } else {
        WW_CHECK(checks->before(place.buffers));
      }
      WW_TRY(const auto report, place.replay->run({.poison_seed = 5}));
      EXPECT_TRUE(report.faults.empty());
      WW_CHECK(checks->after(place));
    }
    coverage = checks->coverage();
    return checks->conclude();
  }
};

TEST_F(CallChecksTest, RightCallsPass) {
  for (const bool on_device : {true, false}) {
    std::string coverage;
    auto outcome = judge(sigmoid_with(kRightSigmoid), on_device, coverage);
    EXPECT_EQ(reason_of(outcome), "none");
    // Where the machine is slow, most checks on the device are of a part of the rows.
    EXPECT_THAT(coverage, StartsWith(on_device ? "all 8 calls" : "8 of 8 calls"));
  }
}

TEST_F(CallChecksTest, OneElementLeftOutIsFound) {
  for (const bool on_device : {true, false}) {
    std::string coverage;
    const auto outcome =
        judge(sigmoid_with("  if (i == n - 1) return;\n" + kRightSigmoid), on_device, coverage);
    EXPECT_THAT(reason_of(outcome), HasSubstr(": 1 of 700 elements of 'Y' are wrong"));
  }
}

TEST_F(CallChecksTest, AChangedInputIsFound) {
  std::string coverage;
  auto outcome =
      judge(sigmoid_with(kRightSigmoid + "\n  if (i == 3) const_cast<float*>(x)[3] = 0;"), true,
            coverage);
  EXPECT_THAT(reason_of(outcome), HasSubstr("'X'"));
}

}  // namespace
}  // namespace warpwright::evaluate
