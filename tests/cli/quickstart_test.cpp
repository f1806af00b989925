// SPDX-License-Identifier: Apache-2.0
// What ./quickstart runs once everything is built: a recorded conversation, judged for real.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "support/places.h"

namespace warpwright::cli {
namespace {

using testing::HasSubstr;

TEST(Quickstart, TheRecordingIsJudgedForReal) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the SIMT machine is slow under AddressSanitizer; the release build runs this";
#endif
  if (!find_program("clang-19").ok()) GTEST_SKIP() << "clang-19 is not installed";
  Program program;
  const auto exit =
      program.run({"run", "transpose", "--model", "replay:" + source_path("/recordings/transpose"),
                   "-n", "3", "-d", "4", "--device", "simt", "--sizes", "1024^2"});
  EXPECT_EQ(exit.exit_code, 0) << exit.err;
  // One asks for data to stay in the L2 cache, one reads shared memory while it is being filled.
  EXPECT_THAT(exit.out, HasSubstr("12 trials, 10 valid"));
  EXPECT_THAT(exit.out, HasSubstr("Best kernel: r"));
  EXPECT_THAT(exit.out, HasSubstr("(estimate)"));
  const auto exported = program.run({"export", "last", "-o", "out"});
  EXPECT_EQ(exported.exit_code, 0) << exported.err;
  const auto again = program.run({"eval", "transpose", "out/kernel.cu", "--device", "simt",
                                  "--sizes", "1024^2", "--no-baseline"});
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
}

}  // namespace
}  // namespace warpwright::cli
