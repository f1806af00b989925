// SPDX-License-Identifier: Apache-2.0
#include "core/domain.h"

#include <gmock/gmock.h>

#include "core/task_domains.h"

namespace warpwright {
namespace {

using ::testing::HasSubstr;

DomainRange range_of(std::string_view text, const Values& values = {}) {
  return Domain::parse(text).value().at(values).value();
}

std::string error_of(std::string_view text, const Values& values = {}) {
  const auto domain = Domain::parse(text);
  if (!domain.ok()) return domain.error().message;
  const auto range = domain->at(values);
  return range.ok() ? "none" : range.error().message;
}

TEST(Domain, WholeNumbersIncludeBothEnds) {
  const auto range = range_of("1..2^28");
  EXPECT_TRUE(range.contains(1));
  EXPECT_TRUE(range.contains(268435456));
  EXPECT_FALSE(range.contains(0));
  EXPECT_FALSE(range.contains(268435457));
  EXPECT_FALSE(range.contains(1.5));
  EXPECT_EQ(range.at_most(1e12), 268435456);
  EXPECT_EQ(range.at_most(-5), 1);
  EXPECT_EQ(range.at_most(77.9), 77);
}

TEST(Domain, BoundsFollowFromOtherValues) {
  const auto range = range_of("1..min(N, 1024)", {{"N", 33}});
  EXPECT_EQ(range.high, 33);
  EXPECT_THAT(error_of("1..N"), HasSubstr("unknown name 'N'"));
  EXPECT_THAT(error_of("N..10", {{"N", 11}}), HasSubstr("no member"));
  EXPECT_EQ(Domain::parse("h..8*h multiple of h").value().names(), (std::set<std::string>{"h"}));
}

TEST(Domain, Multiples) {
  const auto range = range_of("h..100 multiple of h", {{"h", 12}});
  EXPECT_TRUE(range.contains(96));
  EXPECT_FALSE(range.contains(100));
  EXPECT_EQ(range.largest(), 96);
  EXPECT_EQ(range.least(), 12);
  EXPECT_EQ(range_of("5..30 multiple of 8").least(), 8);
  EXPECT_THAT(error_of("9..15 multiple of 8"), HasSubstr("no member"));
  EXPECT_THAT(error_of("1..15 multiple of 0"), HasSubstr("step"));
}

TEST(Domain, RealNumbers) {
  EXPECT_TRUE(range_of("-1..1 real").contains(0.3));
  const auto range = range_of("1e-12..1e-1 log");
  EXPECT_TRUE(range.by_ratio);
  EXPECT_TRUE(range.contains(1e-5));
  EXPECT_THAT(error_of("0..1 log"), HasSubstr("same sign"));
  EXPECT_EQ(range_of("log(1)..log(100) real").low, 0);
  EXPECT_THAT(error_of("0..inf real"), HasSubstr("not bounded"));
}

TEST(Domain, ChoicesAndSingleValues) {
  const auto range = range_of("{128, 32, max(64, N)}", {{"N", 80}});
  EXPECT_TRUE(range.contains(80));
  EXPECT_FALSE(range.contains(64));
  EXPECT_EQ(range.at_most(100), 80);
  EXPECT_EQ(range.at_most(1), 32);
  EXPECT_EQ(range_of("fixed 16*N", {{"N", 3}}).at_most(7), 48);
}

TEST(Domain, MistakesAreExplained) {
  EXPECT_THAT(error_of("12"), HasSubstr("expected LOW..HIGH"));
  EXPECT_THAT(error_of(""), HasSubstr("expected LOW..HIGH"));
  EXPECT_THAT(error_of("{1, 2"), HasSubstr("expected '}'"));
  EXPECT_THAT(error_of("1.."), HasSubstr("the text ends"));
  EXPECT_THAT(error_of("1..2 log real"), HasSubstr("unexpected"));
  EXPECT_THAT(error_of("{}"), HasSubstr("the text ends"));
}

TEST(Domain, WordsForTheModel) {
  EXPECT_EQ(Domain::parse("1..min(N, 1024)")->words(), "any whole number from 1 to min(N, 1024)");
  EXPECT_EQ(Domain::parse("h..64 multiple of h")->words(), "any multiple of h from h to 64");
  EXPECT_EQ(Domain::parse("{32, 64}")->words(), "one of 32, 64");
  EXPECT_EQ(Domain::parse("fixed 1e-5")->words(), "always 1e-5");
  EXPECT_EQ(Domain::parse("0..1 real")->words(), "any number from 0 to 1");
}

TEST(Domains, AreOrderedByWhatTheyNeed) {
  const auto ordered = ordered_domains({{"a", "b..9"}, {"b", "c..5"}, {"c", "1..2"}}).value();
  EXPECT_EQ(ordered[0].name, "c");
  EXPECT_EQ(ordered[2].name, "a");
  EXPECT_THAT(ordered_domains({{"a", "1..b"}, {"b", "1..a"}}).error().message,
              HasSubstr("depends on itself"));
  EXPECT_THAT(ordered_domains({{"a", "1..x"}}).error().message, HasSubstr("has no domain"));
}

TEST(Domains, ValuesOutsideAreNamed) {
  const auto ordered = ordered_domains({{"k", "1..n"}, {"n", "1..100"}}).value();
  EXPECT_TRUE(within_domains(ordered, {{"k", 5}, {"n", 7}}).ok());
  EXPECT_THAT(within_domains(ordered, {{"k", 8}, {"n", 7}}).error().message,
              HasSubstr("k = 8 lies outside its domain '1..n'"));
}

}  // namespace
}  // namespace warpwright
