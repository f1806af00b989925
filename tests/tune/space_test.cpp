// SPDX-License-Identifier: Apache-2.0
#include "tune/space.h"

#include <gtest/gtest.h>

namespace warpwright::tune {
namespace {

Space space_of(std::string_view source) {
  auto space = Space::parse(source);
  EXPECT_TRUE(space.ok()) << (space.ok() ? "" : space.error().message);
  return space.ok() ? std::move(*space) : Space();
}

std::string problem_of(std::string_view source) {
  const auto space = Space::parse(source);
  EXPECT_FALSE(space.ok()) << source;
  return space.ok() ? "" : space.error().message;
}

TEST(Space, ReadsDefinitionsOfBothKinds) {
  const Space space = space_of(
      "#define TILE (32)  // tune: TILE = 64, 16, 32\n"
      "static constexpr unsigned kRows = 8, kOther = 3;  // tune: kRows = 4, 8\n");
  ASSERT_EQ(space.parameters().size(), 2u);
  EXPECT_EQ(space.parameters()[0].values, (std::vector<std::string>{"16", "32", "64"}));
  EXPECT_EQ(space.text_of(space.given()), "TILE=32 kRows=8");
  EXPECT_EQ(space.filled({2, 0}),
            "#define TILE (64)  // tuned: TILE = 64, 16, 32\n"
            "static constexpr unsigned kRows = 4, kOther = 3;  // tuned: kRows = 4, 8\n");
}

TEST(Space, DefinesWhatTheFileDoesNot) {
  const Space space = space_of("// tune: TILE = 32, 16\nint x = TILE;\n");
  EXPECT_EQ(space.text_of(space.given()), "TILE=32");  // the first that is declared
  EXPECT_EQ(space.filled(space.given()),
            "#define TILE 32\n// tuned: TILE = 32, 16\nint x = TILE;\n");
}

TEST(Space, AValueOfTheFileThatIsNotDeclaredJoins) {
  const Space space = space_of("#define N 3 // tune: N = 2, 4\n");
  EXPECT_EQ(space.parameters()[0].values, (std::vector<std::string>{"2", "3", "4"}));
  EXPECT_EQ(space.text_of(space.given()), "N=3");
}

TEST(Space, ConstraintsRangesAndNames) {
  const Space space = space_of(
      "// tune: BX = 8..32 step 8; BY = 1..4\n"
      "// tune: V = float, float2\n"
      "// tune: require BX * BY <= 32\n");
  const auto points = space.points();
  // BX*BY <= 32: 8: 1..4, 16: 1, 2, 24: 1, 32: 1; times two types.
  EXPECT_EQ(points.size(), 16u);
  EXPECT_EQ(space.constraints(), std::vector<std::string>{"BX * BY <= 32"});
}

TEST(Space, TheFileAsGivenIsAlwaysAllowed) {
  const Space space = space_of("#define A 8 // tune: A = 1, 2, 8; require A < 4\n");
  EXPECT_EQ(space.points().size(), 3u);
  EXPECT_TRUE(space.allows(space.given()));
}

TEST(Space, WhatIsNoDeclarationIsNone) {
  EXPECT_TRUE(space_of("// tuned: A = 1, 2\n/* // tune: A = 1 */\nconst char* s = \"// tune: "
                       "A = 2\";\n// to tune: A = 1\n")
                  .parameters()
                  .empty());
  // A use or a comparison is no definition.
  const Space space = space_of("// tune: A = 1, 2\nif (const int b = 2; A == b) {}\nint AA = A;\n");
  EXPECT_TRUE(space.filled({1}).starts_with("#define A 2\n"));
}

TEST(Space, ErrorsNameTheLine) {
  EXPECT_EQ(problem_of("\n// tune: 3 = 4\n").substr(0, 7), "line 2:");
  EXPECT_NE(problem_of("// tune: A = 1, 1\n").find("twice"), std::string::npos);
  EXPECT_NE(problem_of("// tune: A = 1\n// tune: A = 2\n").find("twice"), std::string::npos);
  EXPECT_NE(problem_of("// tune: A = (1)\n").find("no value"), std::string::npos);
  EXPECT_NE(problem_of("// tune: A =\n").find("no value"), std::string::npos);
  EXPECT_NE(problem_of("// tune: A = 5..1\n").find("range"), std::string::npos);
  EXPECT_NE(problem_of("// tune: A = 1; require B > 1\n").find("no parameter"), std::string::npos);
  EXPECT_NE(problem_of("// tune: A = x, 1; require A > 1\n").find("no numbers"), std::string::npos);
  EXPECT_NE(problem_of("#define A 1\n#define A 2\n// tune: A = 1\n").find("second"),
            std::string::npos);
  EXPECT_NE(problem_of("#define A 1 + 2\n// tune: A = 1\n").find("must be a number"),
            std::string::npos);
  EXPECT_NE(problem_of("// tune: A = 0..999999\n").find("more than"), std::string::npos);
  EXPECT_NE(problem_of("// tune: A = 0..200; B = 0..200; C = 0..200\n").find("at most"),
            std::string::npos);
}

}  // namespace
}  // namespace warpwright::tune
