// SPDX-License-Identifier: Apache-2.0
#include "verify/generate.h"
#include "verify/block_values.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/one_way.h"
#include "base/sha256.h"

namespace warpwright::verify {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Task task_with(const std::string& distribution, ElementType type = ElementType::f32) {
  Task task;
  task.name = "t";
  task.arguments = {
      {"a", ElementType::f32, ArgumentRole::input, "n", "uniform(0, 1)"},
      {"x", type, ArgumentRole::input, "n", distribution},
      {"y", ElementType::f32, ArgumentRole::output, "n", ""},
  };
  return task;
}

template <class T = float>
std::vector<T> made(const std::string& distribution, std::size_t n, std::uint64_t seed = 7,
                    ElementType type = ElementType::f32, std::size_t argument = 1) {
  const auto task = task_with(distribution, type);
  const TaskSize size{"s", {{"n", static_cast<double>(n)}}};
  const auto instance = make_instance(task, size, nullptr, seed).value();
  const auto inputs = generate_inputs(instance);
  EXPECT_TRUE(inputs.ok()) << (inputs.ok() ? "" : inputs.error().message);
  if (!inputs.ok()) return std::vector<T>(n);
  std::vector<T> values(n);
  EXPECT_EQ((*inputs)[argument].size(), n * sizeof(T));
  std::memcpy(values.data(), (*inputs)[argument].data(), n * sizeof(T));
  return values;
}

std::string refusal(const std::string& distribution) {
  const auto task = task_with(distribution);
  const TaskSize size{"s", {{"n", 8}}};
  const auto instance = make_instance(task, size, nullptr, 1).value();
  const auto recipe = make_recipe(instance, 1);
  return recipe.ok() ? "none" : recipe.error().message;
}

struct Moments {
  double mean = 0, sd = 0, skewness = 0, kurtosis = 0, low = 1e300, high = -1e300;
};

Moments moments(const std::vector<float>& values) {
  Moments m;
  const auto n = static_cast<double>(values.size());
  for (const double v : values) {
    m.mean += v / n;
    m.low = std::min(m.low, v);
    m.high = std::max(m.high, v);
  }
  double m2 = 0, m3 = 0, m4 = 0;
  for (const double v : values) {
    const double d = v - m.mean;
    m2 += d * d / n;
    m3 += d * d * d / n;
    m4 += d * d * d * d / n;
  }
  m.sd = std::sqrt(m2);
  m.skewness = m3 / std::pow(m2, 1.5);
  m.kurtosis = m4 / (m2 * m2);
  return m;
}

// The three vectors that the authors of Philox publish with their library.
TEST(Philox, KnownAnswers) {
  EXPECT_THAT(philox(0, 0, 0, 0, 0).w,
              ElementsAre(0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u));
  EXPECT_THAT(philox(~0u, ~0u, ~0u, ~0u, ~std::uint64_t{0}).w,
              ElementsAre(0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu));
  EXPECT_THAT(philox(0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u, 0x299f31d0a4093822u).w,
              ElementsAre(0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u));
}

// Seeds in archives must mean the same inputs tomorrow and on every machine.
TEST(Generate, ElementsNeverChange) {
  const auto digest = [](const std::string& distribution) {
    const auto values = made<float>(distribution, 1000, 0x0123456789abcdefu);
    return sha256_hex({reinterpret_cast<const char*>(values.data()), values.size() * 4})
        .substr(0, 16);
  };
  EXPECT_EQ(digest("uniform(-10, 10)"), "808148e1601e4741");
  EXPECT_EQ(digest("normal(0, 1)"), "6bad8526a4675103");
  EXPECT_EQ(digest("bits()"), "3c13831e57138269");
  EXPECT_EQ(
      digest("permutation() | scale(0.1) | drift(0.5, 1.5) | noise(1) | rows(7, -1, 1, 1, 2, 0.5)"),
      "87614407892832e1");
  EXPECT_EQ(digest("uniform(0, 1) | sine() | poly(1, 2, 3)"), "da337d17879d45d5");
  EXPECT_EQ(digest("skewed(0, 1, 8)"), "460050177a1392a8");
}

TEST(Generate, AnyElementAlone) {
  for (const char* text :
       {"normal(0, 1) | drift(1, 2)", "bits()", "permutation()", "linear(a, 1, 2, 1)"}) {
    const auto task = task_with(text);
    const TaskSize size{"s", {{"n", 100}}};
    const auto instance = make_instance(task, size, nullptr, 3).value();
    const auto recipe = make_recipe(instance, 1).value();
    Bytes all(400);
    fill(recipe, 3, 0, all);
    for (std::size_t i : {0, 1, 37, 98, 99}) {
      Bytes one(4);
      fill(recipe, 3, i, one);
      EXPECT_EQ(std::memcmp(one.data(), all.data() + 4 * i, 4), 0) << text << " " << i;
    }
  }
}

TEST(Generate, BlocksHoldWhatEachElementIs) {
  constexpr std::size_t n = 700;  // more than two blocks
  for (const char* text :
       {"uniform(-3, 5)", "normal(1, 2) | noise(0.5) | drift(1, 2)", "ints(-4, 9)",
        "uniform(0, 1) | mix(0.1, 7) | sign()", "linear(a, 1, 2, 1) | scale(3)", "permutation()",
        "normal(0, 1) | rows(7, -1, 1, 1, 2, 0.5)"}) {
    const auto task = task_with(text);
    const TaskSize size{"s", {{"n", n}}};
    const auto recipe = make_recipe(make_instance(task, size, nullptr, 3).value(), 1).value();
    std::vector<double> values(n - 5);
    block_values(recipe, 5, 3, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(values[i], element_value(recipe, 5 + i, 3)) << text << " " << i;
    }
  }
}

TEST(Generate, ThreadsDoNotShow) {
  constexpr std::size_t n = (std::size_t{1} << 21) + 17;
  const auto together = made("normal(0, 1) | drift(1, 2)", n);
  const auto task = task_with("normal(0, 1) | drift(1, 2)");
  const TaskSize size{"s", {{"n", static_cast<double>(n)}}};
  const auto instance = make_instance(task, size, nullptr, 7).value();
  Bytes alone(n * 4);
  fill(make_recipe(instance, 1).value(), one_way(7, "inputs"), 0, alone);
  EXPECT_EQ(std::memcmp(alone.data(), together.data(), alone.size()), 0);
}

TEST(Generate, SeedsBuffersAndIndicesDiffer) {
  EXPECT_NE(made("normal(0, 1)", 16, 1), made("normal(0, 1)", 16, 2));
  EXPECT_NE(made("uniform(0, 1)", 16, 1, ElementType::f32, 0), made("uniform(0, 1)", 16, 1));
  EXPECT_EQ(made("like(a)", 16, 1), made("like(a)", 16, 1, ElementType::f32, 0));
}

TEST(Generate, UniformMoments) {
  const auto m = moments(made("uniform(-2, 4)", 200000));
  EXPECT_NEAR(m.mean, 1, 0.02);
  EXPECT_NEAR(m.sd, 6 / std::sqrt(12.0), 0.01);
  EXPECT_GE(m.low, -2);
  EXPECT_LE(m.high, 4);
  EXPECT_NEAR(m.kurtosis, 1.8, 0.02);
}

TEST(Generate, NormalMoments) {
  const auto values = made("normal(3, 2)", 400000);
  const auto m = moments(values);
  EXPECT_NEAR(m.mean, 3, 0.02);
  EXPECT_NEAR(m.sd, 2, 0.01);
  EXPECT_NEAR(m.skewness, 0, 0.02);
  EXPECT_NEAR(m.kurtosis, 3, 0.1);
  const auto inside =
      std::count_if(values.begin(), values.end(), [](float v) { return std::fabs(v - 3) < 2; });
  EXPECT_NEAR(static_cast<double>(inside) / 400000.0, 0.6827, 0.01);
}

TEST(Generate, Integers) {
  const auto values = made<std::int32_t>("ints(-2, 2)", 5000, 7, ElementType::i32);
  const std::set<std::int32_t> seen(values.begin(), values.end());
  EXPECT_THAT(seen, ElementsAre(-2, -1, 0, 1, 2));
  for (const auto v : made<std::int32_t>("odd_ints(2049, 4095)", 5000, 7, ElementType::i32)) {
    EXPECT_EQ(v % 2, 1);
    EXPECT_GE(v, 2049);
    EXPECT_LE(v, 4095);
  }
  const auto wide = made<std::int32_t>("ints(-2147483648, 2147483647)", 1000, 7, ElementType::i32);
  EXPECT_LT(*std::min_element(wide.begin(), wide.end()), -2000000000);
  EXPECT_GT(*std::max_element(wide.begin(), wide.end()), 2000000000);
  EXPECT_THAT(made<std::int32_t>("const(1e20) | needle(1, -1e20)", 2, 7, ElementType::i32),
              ElementsAre(std::numeric_limits<std::int32_t>::max(),
                          std::numeric_limits<std::int32_t>::min()));
}

TEST(Generate, PermutationsHoldEachOnce) {
  for (std::size_t n : {1, 2, 3, 5, 100, 1000, 4097}) {
    auto values = made("permutation()", n);
    std::sort(values.begin(), values.end());
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(values[i], static_cast<float>(i)) << n;
  }
  EXPECT_FALSE(
      std::is_sorted(made("permutation()", 100).begin(), made("permutation()", 100).begin() + 1) &&
      made("permutation()", 100) == made("index()", 100));
}

TEST(Generate, Patterns) {
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_THAT(made("index() | mod(3)", 5), ElementsAre(0, 1, 2, 0, 1));
  EXPECT_THAT(made("index() | div(2)", 5), ElementsAre(0, 0, 1, 1, 2));
  EXPECT_THAT(made("ramp(1, 3)", 5), ElementsAre(1, 1.5, 2, 2.5, 3));
  EXPECT_THAT(made("ramp(1, 3)", 1), ElementsAre(1));
  EXPECT_THAT(made("organ_pipe()", 5), ElementsAre(0, 1, 2, 1, 0));
  EXPECT_THAT(made("onehot(2, 5)", 6), ElementsAre(5, 0, 0, 5, 5, 0));
  EXPECT_THAT(made("const(1) | every(2, 1)", 4), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(made("const(1) | drift(0, 2)", 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(made("const(1) | trend(0, 2)", 3), ElementsAre(1, 2, 3));
  EXPECT_THAT(made("const(1) | row_drift(2, 1, 3)", 4), ElementsAre(1, 1, 3, 3));
  EXPECT_THAT(made("const(3) | row_powers(2, 10, -1, 1) | scale(10)", 6),
              ElementsAre(3, 3, 30, 30, 300, 300));
  EXPECT_THAT(made("const(3) | column_powers(2, 2, 0, 1)", 4), ElementsAre(3, 6, 3, 6));
  EXPECT_THAT(made("const(1) | row_needle(2, 1, 9)", 4), ElementsAre(1, 1, 9, 9));
  EXPECT_THAT(made("const(-inf) | needle(n-1, inf)", 3), ElementsAre(-inf, -inf, inf));
  EXPECT_THAT(made("index() | scale(0.25) | sine()", 4)[1], ::testing::FloatNear(1, 1e-7));
  EXPECT_THAT(made("index() | poly(1, 2, 3)", 3), ElementsAre(1, 6, 17));
  EXPECT_THAT(made("index() | scale(0.5) | floor() | offset(1)", 3), ElementsAre(1, 1, 2));
}

TEST(Generate, Modifiers) {
  const auto signs = made("const(2) | sign()", 1000);
  EXPECT_NEAR(static_cast<double>(std::count(signs.begin(), signs.end(), -2.0f)), 500, 80);
  const auto mixed = made("const(0) | mix(0.25, 1)", 4000);
  EXPECT_NEAR(static_cast<double>(std::count(mixed.begin(), mixed.end(), 1.0f)), 1000, 120);
  const auto skewed = made("skewed(0, 1, 4)", 10000);
  EXPECT_NEAR(moments(skewed).mean, 0.2, 0.02);
  const auto few = made("skewed(0, 1, 999)", 100000);  // the sum of 1000 of them is 1
  EXPECT_NEAR(moments(few).mean, 1e-3, 2e-4);
  EXPECT_GT(*std::max_element(few.begin(), few.end()), 0.9f);
  const auto rows = made("normal(0, 1) | rows(1000, 5, 6, 2, 3, 1)", 2000);
  EXPECT_NE(moments({rows.begin(), rows.begin() + 500}).mean,
            moments({rows.begin() + 500, rows.begin() + 1000}).mean);
  EXPECT_GT(moments({rows.begin() + 500, rows.begin() + 1000}).mean -
                moments({rows.begin(), rows.begin() + 500}).mean,
            1);
}

TEST(Generate, LinearIsRowTimesWeights) {
  Task task = task_with("linear(a, 2, 3, 0)");
  task.arguments[0].expression = "2*n";
  const TaskSize size{"s", {{"n", 50}}};
  const auto instance = make_instance(task, size, nullptr, 3).value();
  const auto inputs = generate_inputs(instance).value();
  const auto* a = reinterpret_cast<const float*>(inputs[0].data());
  const auto* y = reinterpret_cast<const float*>(inputs[1].data());
  // Two rows give the weights; all others must follow.
  const double det = double{a[0]} * a[3] - double{a[1]} * a[2];
  const double w0 = (double{y[0]} * a[3] - double{y[1]} * a[1]) / det;
  const double w1 = (double{a[0]} * y[1] - double{a[2]} * y[0]) / det;
  for (std::size_t i = 2; i < 50; ++i) EXPECT_NEAR(y[i], w0 * a[2 * i] + w1 * a[2 * i + 1], 2e-5);
}

TEST(Generate, Halves) {
  EXPECT_EQ(made<std::uint16_t>("const(1)", 1, 7, ElementType::f16)[0], 0x3C00);
  EXPECT_EQ(made<std::uint16_t>("const(1e6)", 1, 7, ElementType::f16)[0], 0x7C00);
  EXPECT_EQ(made<std::uint16_t>("const(-1)", 1, 7, ElementType::bf16)[0], 0xBF80);
  for (std::uint32_t h = 0; h < 0x10000; ++h) {
    const float value = from_half_bits(static_cast<std::uint16_t>(h));
    if (std::isnan(value)) continue;
    ASSERT_EQ(to_half_bits(value), h);
  }
  EXPECT_EQ(to_half_bits(0x1p-25f), 0);  // ties to even, to zero
  EXPECT_EQ(to_half_bits(0x1.8p-25f), 1);
  EXPECT_EQ(to_half_bits(2049.0f), to_half_bits(2048.0f));
  EXPECT_EQ(to_half_bits(2051.0f), to_half_bits(2052.0f));
}

TEST(Generate, PoisonIsRandomAndSeeded) {
  Bytes a(1001), b(1001), c(1001);
  poison(1, 0, a);
  poison(1, 1, b);
  poison(2, 0, c);
  EXPECT_NE(a, b);
  EXPECT_NE(a, c);
}

TEST(Generate, RefusesWhatItCannotDo) {
  EXPECT_THAT(refusal("ints(5, 2)"), HasSubstr("low not above high"));
  EXPECT_THAT(refusal("odd_ints(2, 8)"), HasSubstr("must be odd"));
  EXPECT_THAT(refusal("index() | mod(0)"), HasSubstr("divisor"));
  EXPECT_THAT(refusal("onehot(0, 1)"), HasSubstr("width"));
  EXPECT_THAT(refusal("like(x)"), HasSubstr("circle"));
  EXPECT_THAT(refusal("uniform(0, m)"), HasSubstr("unknown name 'm'"));
}

}  // namespace
}  // namespace warpwright::verify
