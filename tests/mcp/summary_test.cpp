// SPDX-License-Identifier: Apache-2.0
#include "mcp/summary.h"

#include <gmock/gmock.h>

namespace warpwright::mcp {
namespace {

using testing::HasSubstr;
using testing::Not;

Evaluation judged(Verdict verdict) {
  Evaluation e;
  e.verdict = verdict;
  e.stage = Stage::measure;
  e.feedback = verdict == Verdict::ok ? "" : "'out' is close, but less accurate";
  e.findings = {{FindingKind("instructions"), 4, "the device code has 3 conversions to FP16"},
                {FindingKind("low_occupancy"), 0, "few threads are resident"}};
  e.resources = {{.kernel = "attend", .registers = 80, .shared_bytes = 8320, .occupancy = 0.38},
                 {.kernel = "spills", .registers = 255, .spill_store_bytes = 16}};
  e.measurements = {{"small", TimeSource::measured, 100, 99, 101, 9, 1, 0}};
  return e;
}

TEST(Summary, OfAValidKernelInstructionsAreNoFault) {
  const std::string text = evaluation_answer(judged(Verdict::ok), false).text;
  EXPECT_THAT(text, Not(HasSubstr("conversions")));
  EXPECT_THAT(text, HasSubstr("1. low_occupancy: few threads are resident"));
  EXPECT_THAT(evaluation_answer(judged(Verdict::precision), false).text,
              HasSubstr("line 4, instructions: the device code has 3 conversions"));
}

TEST(Summary, SaysWhatTheCompilerMadeAndHowSureATimeIs) {
  const std::string text = evaluation_answer(judged(Verdict::ok), false).text;
  EXPECT_THAT(text, HasSubstr("kernel attend: 80 registers, nothing spilled, 8320 B shared, "
                              "occupancy 38 %"));
  EXPECT_THAT(text, HasSubstr("kernel spills: 255 registers, 16 B spilled, 0 B shared\n"));
  EXPECT_THAT(text, HasSubstr("100.000 us +-1.0 %"));
}

}  // namespace
}  // namespace warpwright::mcp
