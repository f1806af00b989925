// SPDX-License-Identifier: Apache-2.0
// Timed calls have inputs of their own, and wrong ones are found: on the SIMT machine, whose calls
// are made like a GPU's here.
#include "evaluate/call_checks.h"

#include <gmock/gmock.h>

#include "base/files.h"
#include "evaluate/oracle_kit.h"
#include "suite/load.h"

namespace warpwright::evaluate {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string sigmoid(const std::string& body) {
  return "__global__ void sigmoid(const float* x, float* y, int n) {\n"
         "  int i = blockIdx.x * 256 + threadIdx.x;\n" +
         body +
         "\n}\nextern \"C\" void solve(const float* X, float* Y, int N) {\n"
         "  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);\n}\n";
}
const std::string kRight = "  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));";

class CallChecksTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!build::find_toolchain().clang.found()) GTEST_SKIP() << "no clang: install clang-19";
  }

  /// What is said of six calls and two of another distribution. `coverage` as the result tells it.
  Outcome<> judge(const std::string& source, bool on_device, std::string& coverage) {
    auto wanted = std::make_shared<Source>();
    wanted->request.task = suite::load_embedded_task("sigmoid").value();
    Task& task = wanted->request.task;
    task.sizes = {{"700", {{"N", 700}}}};
    if (!on_device) task.device_reference_source.clear();
    wanted->request.source = source;
    wanted->request.device = "simt";
    wanted->request.front_end = "clang";
    wanted->request.cache = folder_.path() / "cache";
    Context context{.scratch = folder_.path(), .station = station_, .stop = stop_, .limit_s = 60};
    WW_TRY(auto built, build_stage(wanted, context));
    WW_TRY(const auto prepared, record_stage(std::move(built), 4711, context));
    WW_TRY(const auto kit, oracle_kit(prepared, context));
    WW_TRY(const auto reference,
           verify::Reference::load(task, {.cache = folder_.path() / "references"}));
    WW_TRY(auto machine, device::open_device(prepared.target, 0));
    Session session{.prepared = prepared,
                    .context = context,
                    .device = *machine,
                    .reference = &reference,
                    .kit = kit.get()};
    WW_TRY(const auto fault, load(session));
    EXPECT_FALSE(fault);
    const Sized sized{.size = prepared.timed.front()};
    WW_TRY(auto place, load_place(session, *sized.size, session.module));
    WW_TRY(auto checks, CallChecks::make(session, sized));
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

  TemporaryDirectory folder_ = TemporaryDirectory::create("call-checks-test").value();
  Station station_;
  StopSignal stop_;
};

std::string reason_of(Outcome<>& outcome) {
  if (outcome.ok()) return "none";
  const Halt halt = outcome.error();
  if (const auto* ended = std::get_if<Ended>(&halt)) return ended->reason;
  return "error: " + std::get<Error>(halt).message;
}

TEST_F(CallChecksTest, RightCallsPass) {
  for (const bool on_device : {true, false}) {
    std::string coverage;
    auto outcome = judge(sigmoid(kRight), on_device, coverage);
    EXPECT_EQ(reason_of(outcome), "none");
    // Where the machine is slow, most checks on the device are of a part of the rows.
    EXPECT_THAT(coverage, StartsWith(on_device ? "all 8 calls" : "8 of 8 calls"));
  }
}

TEST_F(CallChecksTest, OneElementLeftOutIsFound) {
  for (const bool on_device : {true, false}) {
    std::string coverage;
    auto outcome = judge(sigmoid("  if (i == n - 1) return;\n" + kRight), on_device, coverage);
    EXPECT_THAT(reason_of(outcome), HasSubstr(" of 700 elements of 'Y' are wrong"));
  }
}

TEST_F(CallChecksTest, AChangedInputIsFound) {
  std::string coverage;
  auto outcome =
      judge(sigmoid(kRight + "\n  if (i == 3) const_cast<float*>(x)[3] = 0;"), true, coverage);
  EXPECT_THAT(reason_of(outcome), HasSubstr("'X'"));
}

}  // namespace
}  // namespace warpwright::evaluate
