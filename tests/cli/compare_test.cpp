// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sha256.h"
#include "cli/program.h"
#include "support/places.h"

// The verb alone: a fake worker judges by the sources' hashes.

namespace warpwright::cli {
namespace {

using testing::HasSubstr;

/// A source that the fake worker finds good or bad.
std::string source(bool good) {
  for (int i = 0;; ++i) {
    const std::string text = "// " + std::to_string(i) + "\n";
    if ((sha256_hex(text)[0] > '4') == good) return text;
  }
}

class CompareVerb : public testing::Test {
 protected:
  CompareVerb() {
    program_.write("good.cu", source(true));
    program_.write("bad.cu", source(false));
  }
  ProcessExit compare(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"compare", "transpose"});
    arguments.insert(arguments.end(), {"--worker", fake_worker_path(), "--device", "simt"});
    return program_.run(std::move(arguments));
  }
  Program program_;
};

TEST_F(CompareVerb, AnswersWithARatioAndSaysThatItIsAnEstimate) {
  const auto exit = compare({"good.cu", "baseline"});
  EXPECT_EQ(exit.exit_code, 0) << exit.err;
  EXPECT_THAT(exit.out, HasSubstr("A (good.cu) is estimated faster than B (baseline)"));
  EXPECT_THAT(exit.out, HasSubstr("1024^2"));
  const auto back = compare({"baseline", "good.cu"});
  EXPECT_THAT(back.out, HasSubstr("is estimated slower than"));
  const auto same = compare({"good.cu", "good.cu"});
  EXPECT_EQ(same.exit_code, 0);
  EXPECT_THAT(same.out, HasSubstr("is estimated same as B"));
}

TEST_F(CompareVerb, ABadKernelIsExitCodeOneAndIsNamed) {
  const auto second = compare({"good.cu", "bad.cu"});
  EXPECT_EQ(second.exit_code, 1) << second.err;
  EXPECT_THAT(second.out, HasSubstr("B (bad.cu): "));
  const auto first = compare({"bad.cu", "good.cu"});
  EXPECT_EQ(first.exit_code, 1);
  EXPECT_THAT(first.out, HasSubstr("A (bad.cu): "));
}

TEST_F(CompareVerb, JsonIsTheResultFile) {
  const auto exit = compare({"good.cu", "baseline", "--json"});
  EXPECT_EQ(exit.exit_code, 0) << exit.err;
  const auto result = parse_json(exit.out, "output");
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ((*result)["comparison"]["order"], "faster");
  EXPECT_LT((*result)["comparison"]["ratio"]["value"].get<double>(), 1);
}

TEST_F(CompareVerb, UsageAndMissingFilesAreExitCodeTwo) {
  EXPECT_EQ(compare({"good.cu"}).exit_code, 2);
  EXPECT_EQ(compare({"good.cu", "nowhere.cu"}).exit_code, 2);
  const auto sizes = compare({"good.cu", "baseline", "--sizes", "7x7"});
  EXPECT_EQ(sizes.exit_code, 2);
  EXPECT_THAT(sizes.err, HasSubstr("7x7"));
  const auto sanitize = compare({"good.cu", "baseline", "--sanitize", "perhaps"});
  EXPECT_EQ(sanitize.exit_code, 2);
  EXPECT_THAT(sanitize.err, HasSubstr("sanitize"));
}

}  // namespace
}  // namespace warpwright::cli
