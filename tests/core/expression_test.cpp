// SPDX-License-Identifier: Apache-2.0
#include "core/expression.h"

#include <gmock/gmock.h>

namespace warpwright {
namespace {

using ::testing::HasSubstr;

double value(std::string_view text, const Values& values = {}) {
  const auto result = value_of(text, values);
  EXPECT_TRUE(result.ok()) << text << ": " << (result.ok() ? "" : result.error().message);
  return result.ok() ? *result : -1e300;
}

std::string failure(std::string_view text, const Values& values = {}) {
  const auto result = value_of(text, values);
  EXPECT_FALSE(result.ok()) << text << " = " << (result.ok() ? *result : 0);
  return result.ok() ? "" : result.error().message;
}

TEST(Expression, FollowsTheUsualPrecedence) {
  EXPECT_EQ(value("1+2*3"), 7);
  EXPECT_EQ(value("(1+2)*3"), 9);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("-2^2"), -4);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("10-4-3"), 3);
  EXPECT_EQ(value("24/4/3"), 2);
  EXPECT_EQ(value("--3"), 3);
  EXPECT_EQ(value("1 + 2 < 4"), 1);
  EXPECT_EQ(value("3 == 4"), 0);
  EXPECT_EQ(value("3 != 4"), 1);
  EXPECT_EQ(value("4 >= 4"), 1);
}

TEST(Expression, KnowsNamesAndFunctions) {
  const Values values = {{"rows", 33}, {"cols", 65}};
  EXPECT_EQ(value("8*rows*cols", values), 17160);
  EXPECT_EQ(value("ceil(rows/16)*ceil(cols/16)", values), 15);
  EXPECT_EQ(value("max(rows, cols) - min(rows, cols)", values), 32);
  EXPECT_EQ(value("floor(log2(rows))", values), 5);
  EXPECT_EQ(value("sqrt(rows + 31)", values), 8);
  EXPECT_EQ(value("pow(2, 10)"), 1024);
}

TEST(Expression, RemainderIsAnIndex) {
  EXPECT_EQ(value("-7 % 3"), 2);
  EXPECT_EQ(value("(0-7) % 3"), 2);
  EXPECT_EQ(value("7 % 3"), 1);
}

TEST(Expression, IsExactForLargeIntegers) {
  EXPECT_EQ(value("2^53"), 9007199254740992.0);
  EXPECT_EQ(value("9007199254740991"), 9007199254740991.0);
  EXPECT_EQ(value("262144*4096*4"), 4294967296.0);
  const auto expression = Expression::parse("3*n").value();
  EXPECT_EQ(expression.evaluate_integer({{"n", 3002399751580330.0}}).value(), 9007199254740990);
  EXPECT_FALSE(Expression::parse("1/2").value().evaluate_integer({}).ok());
  EXPECT_FALSE(Expression::parse("2^54").value().evaluate_integer({}).ok());
}

TEST(Expression, SaysWhereParsingFailed) {
  EXPECT_THAT(failure("1 + "), HasSubstr("column 5"));
  EXPECT_THAT(failure("1 + )"), HasSubstr("column 5"));
  EXPECT_THAT(failure("(1 + 2"), HasSubstr("expected ')'"));
  EXPECT_THAT(failure("1 2"), HasSubstr("column 3: unexpected '2'"));
  EXPECT_THAT(failure("sqrtt(2)"), HasSubstr("did you mean 'sqrt'"));
  EXPECT_THAT(failure("min(1)"), HasSubstr("min takes 2"));
  EXPECT_THAT(failure("1e999"), HasSubstr("double"));
  EXPECT_THAT(failure(""), HasSubstr("the text ends"));
  EXPECT_THAT(failure(std::string(100, '(')), HasSubstr("too deeply"));
  EXPECT_THAT(failure(std::string(5000, '1')), HasSubstr("longer"));
}

TEST(Expression, EvaluationIsTotal) {
  EXPECT_THAT(failure("1/0"), HasSubstr("division by zero"));
  EXPECT_THAT(failure("1%0"), HasSubstr("division by zero"));
  EXPECT_THAT(failure("sqrt(0-1)"), HasSubstr("domain"));
  EXPECT_THAT(failure("10^400"), HasSubstr("overflows"));
  EXPECT_THAT(failure("log2(0)"), HasSubstr("overflows"));
  EXPECT_THAT(failure("m*2", {{"n", 1}}), HasSubstr("unknown name 'm'; known here: n"));
  EXPECT_EQ(value("-inf"), -std::numeric_limits<double>::infinity());
  EXPECT_THAT(failure("inf-inf"), HasSubstr("no value"));
}

TEST(Expression, ListsItsNames) {
  EXPECT_THAT(Expression::parse("a*b + sqrt(a)").value().names(), ::testing::ElementsAre("a", "b"));
}

}  // namespace
}  // namespace warpwright
