// SPDX-License-Identifier: Apache-2.0
#include "evaluate/feedback.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpwright::evaluate {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kSource = "one\ntwo\nthree\n";

TEST(Feedback, QuotesTheLineWhereThereIsOne) {
  EXPECT_EQ(at_line(2, "bad", kSource), "line 2: bad\n    2 | two\n");
  EXPECT_EQ(at_line(0, "bad", kSource), "bad\n");
  EXPECT_EQ(at_line(99, "bad", kSource), "line 99: bad\n");
}

TEST(Feedback, ErrorsHideWarningsAndAreBounded) {
  std::vector<Diagnostic> diagnostics = {{"warning", 1, 1, "unused"}};
  EXPECT_THAT(compile_feedback(diagnostics, kSource), HasSubstr("warning: unused"));
  for (int i = 0; i < 30; ++i) diagnostics.push_back({"error", 3, 1, std::string(2000, 'x')});
  const std::string text = compile_feedback(diagnostics, kSource);
  EXPECT_THAT(text, Not(HasSubstr("unused")));
  EXPECT_LT(text.size(), 7000U);
}

TEST(Feedback, AReasonNamesItsCaseOnce) {
  const TaskSize size{.label = "n=1", .values = {{"n", 1}}};
  verify::Mismatch mismatch;
  mismatch.message = "size n=1: 1 of 1 elements of 'out' are wrong";
  EXPECT_EQ(mismatch_reason(mismatch, {&size, nullptr}),
            describe_case({&size, nullptr}) + ": 1 of 1 elements of 'out' are wrong");
}

TEST(Feedback, MismatchesShowPlaceExpectedGotAndASuspect) {
  const TaskSize size{.label = "33x65", .values = {{"rows", 33}, {"cols", 65}}};
  const InputVariant variant{.name = "ramp"};
  verify::Mismatch mismatch;
  mismatch.argument = "output";
  mismatch.first = {{.index = 7, .expected = 0.1, .got = -3}};
  mismatch.message = "12 of 2145 elements of 'output' are wrong";
  const std::string text = mismatch_feedback(mismatch, {&size, &variant},
                                             {{"uninitialised_read", 3, "reads 'tile'"}}, kSource);
  EXPECT_EQ(
      text,
      "At size 33x65 (cols = 65, rows = 33), inputs 'ramp': 12 of 2145 elements of 'output' are "
      "wrong\n  output[7]: expected 0.1, got -3\nPossible cause: line 3: reads 'tile'\n"
      "    3 | three\n");
}

TEST(Feedback, FaultsNameKernelKindAndCase) {
  const TaskSize size{.label = "5", .values = {{"N", 5}}};
  const std::string text = fault_feedback(
      {{.verdict = Verdict::memory_fault,
        .kind = "out_of_bounds",
        .kernel = "_Z1kPf",
        .line = 2,
        .message = "4 bytes past the end of 'y', in block (0, 0, 0), thread (5, 0, 0)"}},
      {&size, nullptr}, kSource);
  EXPECT_EQ(
      text,
      "At size 5 (N = 5):\nline 2: in kernel k: out of bounds: 4 bytes past the end of 'y', in "
      "block (0, 0, 0), thread (5, 0, 0)\n    2 | two\n");
}

}  // namespace
}  // namespace warpwright::evaluate
