// SPDX-License-Identifier: Apache-2.0
#include "costs/fit.h"

#include <gmock/gmock.h>

#include <cmath>

namespace warpwright::costs {
namespace {

std::vector<Sample> samples(const std::vector<std::pair<double, double>>& sizes,
                            double (*amount)(double n, double c)) {
  std::vector<Sample> all;
  for (const auto& [n, c] : sizes) all.push_back({{{"N", n}, {"C", c}}, amount(n, c)});
  return all;
}

const std::vector<std::pair<double, double>> kSizes = {{1, 1000},  {3, 700},  {16, 64}, {64, 768},
                                                       {200, 100}, {31, 333}, {512, 8}, {128, 512}};

TEST(Fit, FindsAProduct) {
  const auto found =
      fit(samples(kSizes, [](double n, double c) { return 8 * n * c; }), {"C", "N"}, {"N*C", "C"});
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->expression, "8*(N*C)");
  EXPECT_LT(found->worst, 1e-9);
}

TEST(Fit, FindsASum) {
  const auto found =
      fit(samples(kSizes, [](double n, double c) { return 3 * n * c * c + 500 * n; }), {"C", "N"},
          {"N*C"});
  ASSERT_TRUE(found.ok());
  EXPECT_LT(found->worst, 0.01);
  EXPECT_NEAR(
      value_of(found->expression, {{"N", 1000}, {"C", 4096}}).value() / (3e3 * 4096 * 4096 + 5e5),
      1, 0.01);
}

TEST(Fit, FindsLogarithms) {
  const auto found =
      fit(samples(kSizes, [](double n, double c) { return n * c * std::ceil(std::log2(c + 1)); }),
          {"C", "N"}, {"N*C"});
  ASSERT_TRUE(found.ok());
  EXPECT_LT(found->worst, 0.01);
  EXPECT_NE(found->expression.find("log2(C"), std::string::npos) << found->expression;
}

TEST(Fit, NeverSubtracts) {
  const auto found =
      fit(samples(kSizes, [](double n, double c) { return 1000 + n * c - 5 * n; }), {"C", "N"}, {});
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->expression.find('-'), std::string::npos) << found->expression;
}

TEST(Fit, NothingIsZero) {
  const auto found = fit(samples(kSizes, [](double, double) { return 0.0; }), {"C", "N"}, {});
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->expression, "0");
  EXPECT_FALSE(fit({}, {"C"}, {}).ok());
}

TEST(Fit, OneSizeIsANumber) {
  const auto found = fit({{{{"N", 5}}, 1234}}, {}, {});
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->expression, "1234");
}

}  // namespace
}  // namespace warpwright::costs
