// SPDX-License-Identifier: Apache-2.0
#include "verify/check.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/files.h"
#include "suite/load.h"
#include "verify/bench_case.h"
#include "verify/rules.h"

namespace warpwright::verify {
namespace {

using ::testing::HasSubstr;

const float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

Bytes bytes_of_floats(const std::vector<float>& values) {
  Bytes bytes(values.size() * sizeof(float));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// A task with one output `y` of n floats and a rule, checked against given values.
struct Fixture {
  Task task;
  TaskSize size{"s", {}};

  explicit Fixture(CheckRule rule, ArgumentRole role = ArgumentRole::output) {
    task.name = "t";
    task.arguments = {
        {"y", ElementType::f32, role, "n", role == ArgumentRole::inout ? "index()" : ""}};
    task.check = std::move(rule);
  }

  std::optional<Mismatch> check(const Expected& expected, const std::vector<float>& got,
                                const std::vector<float>& before = {}) {
    size.values["n"] = static_cast<double>(got.size());
    const auto instance = make_instance(task, size, nullptr, 1).value();
    const std::vector<Bytes> inputs = {bytes_of_floats(before)};
    const std::vector<Bytes> outputs = {bytes_of_floats(got)};
    auto result = check_outputs(instance, inputs, std::span(&expected, 1), outputs);
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
    return result.ok() ? *result : std::nullopt;
  }
};

Expected wide(const std::vector<double>& values, std::vector<double> scale = {}) {
  return {{values.begin(), values.end()}, std::move(scale), {}};
}
Expected native(const std::vector<float>& values) { return {{}, {}, bytes_of_floats(values)}; }

TEST(Elementwise, RoundingToDenormalHalvesIsNoError) {
  Fixture f({"elementwise", {{"rtol", "1e-3"}, {"alpha_rms", "1e-3"}, {"rel_rms", "1e-3"}}});
  f.task.arguments[0].type = ElementType::f16;
  const auto refused = [&](std::uint16_t off) {
    constexpr int kCount = 200;
    std::vector<double> values;
    Bytes got(kCount * sizeof(std::uint16_t));
    for (std::uint16_t k = 0; k < kCount; ++k) {
      values.push_back((k + 0.45) * 0x1p-24);  // the nearest half is k steps
      const auto bits = static_cast<std::uint16_t>(k + off);
      std::memcpy(got.data() + k * sizeof bits, &bits, sizeof bits);
    }
    f.size.values["n"] = kCount;
    const auto instance = make_instance(f.task, f.size, nullptr, 1).value();
    const Expected expected = wide(values);
    const std::vector<Bytes> inputs(1), outputs = {got};
    return check_outputs(instance, inputs, std::span(&expected, 1), outputs).value().has_value();
  };
  EXPECT_FALSE(refused(0));
  EXPECT_TRUE(refused(2));
}

TEST(Elementwise, ToleratesWhatItSays) {
  Fixture f({"elementwise", {{"rtol", "1e-3"}}});
  EXPECT_FALSE(f.check(wide({1, 2, 3}), {1.0005f, 2, 3}));
  const auto wrong = f.check(wide({1, 2, 3}), {1, 2.5f, 3});
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->verdict, Verdict::mismatch);
  EXPECT_EQ(wrong->wrong, 1u);
  EXPECT_EQ(wrong->total, 3u);
  EXPECT_EQ(wrong->first.at(0).index, 1u);
  EXPECT_EQ(wrong->message,
            "size s: 1 of 3 elements of 'y' are wrong; first at index 1: expected 2, got 2.5.");
}

TEST(Elementwise, ScalesWithTheReference) {
  Fixture f({"elementwise", {{"alpha_rms", "1e-3"}}});
  EXPECT_TRUE(f.check(wide({1e-6, 2e-6}), {0, 0}));
  EXPECT_FALSE(f.check(wide({1e6, 1e-9}), {1e6f, 100}));
  EXPECT_TRUE(f.check(wide({0, 0}), {0, 1e-30f}));  // all expected are zero: nothing else will do
  EXPECT_FALSE(f.check(wide({0, 0}), {0, -0.0f}));
  Fixture rows({"elementwise", {{"alpha_rms", "1e-3"}, {"row", "2"}}});
  EXPECT_TRUE(rows.check(wide({1e6, 1e6, 1, 1}), {1e6f, 1e6f, 1, 1.1f}));
}

TEST(Elementwise, ScalesWithWhatIsNotZeroWhereAsked) {
  std::vector<double> expected(10'000, 0.0);
  std::vector<float> got(10'000, 0.0f);
  expected[7] = 1;
  got[7] = 1.0005f;
  EXPECT_TRUE(Fixture({"elementwise", {{"alpha_rms", "1e-3"}}}).check(wide(expected), got));
  Fixture f({"elementwise", {{"alpha_rms", "1e-3"}, {"nonzero", "1"}}});
  EXPECT_FALSE(f.check(wide(expected), got));
  got[9] = 0.002f;
  EXPECT_TRUE(f.check(wide(expected), got));
  EXPECT_TRUE(f.check(wide({0, 0}), {0, 1e-30f}));
}

TEST(Elementwise, InfinitiesMatchAndNanNeverDoes) {
  Fixture f({"elementwise", {{"rtol", "1e-3"}}});
  EXPECT_FALSE(f.check(wide({kInf, -kInf, 1}), {kInf, -kInf, 1}));
  EXPECT_TRUE(f.check(wide({kInf}), {-kInf}));
  EXPECT_TRUE(f.check(wide({kInf}), {1e38f}));
  EXPECT_TRUE(f.check(wide({1}), {kInf}));
  EXPECT_TRUE(f.check(wide({1}), {kNan}));
  EXPECT_FALSE(f.check(wide({kNan}), {5}));     // not scored
  EXPECT_FALSE(f.check(wide({1e40}), {kInf}));  // beyond a float
}

/// Whether results with the rule's bound of a thousandth are accepted beside somebody else's.
bool off_alike(const std::vector<double>& expected, const std::vector<float>& got,
               const std::vector<float>& rounded, const char* rule = "elementwise") {
  Fixture f({rule, {}});
  if (f.task.check.rule == "elementwise") f.task.check.parameters["rtol"] = "1e-3";
  f.size.values["n"] = static_cast<double>(got.size());
  const auto instance = make_instance(f.task, f.size, nullptr, 1).value();
  const Expected values = wide(expected);
  const std::vector<Bytes> inputs(1), outputs = {bytes_of_floats(got)};
  const std::vector<Bytes> others = {bytes_of_floats(rounded)};
  const auto theirs = spreads_of(instance, inputs, std::span(&values, 1), others).value();
  return is_rounding(instance, inputs, std::span(&values, 1), outputs, theirs).value();
}

TEST(Rounding, WhatIsOffAsSomebodyElseIsIsAccepted) {
  // Off by three and five times the bound.
  EXPECT_TRUE(off_alike({1, 2, 3}, {1.003f, 2, 3}, {1, 2.01f, 3}));
  EXPECT_TRUE(off_alike({1, 2, 3}, {1.0015f, 2, 3}, {1, 2.001f, 3}));  // half of the bound
}

TEST(Rounding, WhatIsFurtherOffIsNot) {
  EXPECT_FALSE(off_alike({1, 2, 3}, {1.003f, 2, 3}, {1, 2, 3}));
  EXPECT_FALSE(off_alike({1, 2, 3}, {1.03f, 2, 3}, {1, 2.01f, 3}));
  EXPECT_FALSE(off_alike({1, 2, 3}, {kNan, 2, 3}, {1, 2.01f, 3}));
  // Somebody else who has no number there says nothing of what is allowed.
  EXPECT_FALSE(off_alike({1, 2, 3}, {1.003f, 2, 3}, {1, kInf, 3}));
}

TEST(Rounding, NotManyMoreElementsAreOff) {
  const std::vector<double> expected(100, 1.0);
  std::vector<float> got(100, 1.0f), rounded(100, 1.0f);
  rounded[7] = 1.002f;
  for (std::size_t i = 0; i < 8; ++i) got[i] = 1.002f;
  EXPECT_TRUE(off_alike(expected, got, rounded));
  got[8] = 1.002f;
  EXPECT_FALSE(off_alike(expected, got, rounded));
}

TEST(Rounding, NothingFollowsFromSomebodyWhoIsOffEverywhere) {
  const std::vector<double> expected(100, 1.0);
  std::vector<float> got(100, 1.0f), rounded(100, 1.0f);
  got[0] = 1.5f;
  std::fill_n(rounded.begin(), 16, 1.5f);
  EXPECT_TRUE(off_alike(expected, got, rounded));
  rounded[16] = 1.5f;
  EXPECT_FALSE(off_alike(expected, got, rounded));
}

TEST(Rounding, SomebodyWhoIsOffEverywhereByLittleCounts) {
  // What is left where large terms cancel: small numbers beside a large one.
  std::vector<double> expected(100, 0.01);
  expected[0] = 100;
  std::vector<float> got(100, 0.01005f), rounded(100, 0.01004f);
  got[0] = rounded[0] = 100;
  EXPECT_TRUE(off_alike(expected, got, rounded));
  std::fill_n(got.begin() + 1, 99, 0.0102f);
  EXPECT_FALSE(off_alike(expected, got, rounded)) << "five times as far off";
  std::fill_n(rounded.begin() + 1, 99, 0.2f);
  EXPECT_TRUE(off_alike(expected, got, rounded));
  std::fill_n(rounded.begin() + 1, 99, 0.4f);
  EXPECT_FALSE(off_alike(expected, got, rounded)) << "by more than a thirtieth of the result";
}

TEST(Rounding, WhereAllTermsCancelNothingIsExpected) {
  Fixture f({"elementwise", {{"rtol", "1e-3"}}});
  f.task.arguments.push_back(f.task.arguments.front());
  f.task.arguments.front().role = ArgumentRole::input;
  f.size.values["n"] = 2;
  const auto instance = make_instance(f.task, f.size, nullptr, 1).value();
  const auto accepts = [&](const std::vector<double>& expected, const std::vector<float>& got,
                           float largest = -1) {
    const std::vector<Expected> values = {{}, wide(expected)};
    const std::vector<Bytes> inputs = {bytes_of_floats({0.25f, largest}), {}};
    const std::vector<Bytes> outputs = {{}, bytes_of_floats(got)};
    const std::vector<Bytes> others = {{}, bytes_of_floats({expected.begin(), expected.end()})};
    const auto theirs = spreads_of(instance, inputs, values, others).value();
    return is_rounding(instance, inputs, values, outputs, theirs).value();
  };
  EXPECT_TRUE(accepts({-4e-14, 3e-14}, {0, 0}));
  EXPECT_TRUE(accepts({-4e-14, 3e-14}, {1e-6f, -1e-5f}));
  EXPECT_FALSE(accepts({-4e-14, 3e-14}, {1e-6f, 1e-4f}));
  EXPECT_FALSE(accepts({-4e-14, 3e-14}, {0, kNan}));
  EXPECT_FALSE(accepts({-4e-10, 3e-10}, {1e-6f, 0}));
  EXPECT_TRUE(accepts({-4e-11, 3e-11}, {1e-6f, 0}));
  EXPECT_FALSE(accepts({0.5, 1}, {0, 0}, 1e20f)) << "small beside a huge input alone";
}

TEST(Rounding, OtherRulesAreNotRelaxed) {
  EXPECT_FALSE(off_alike({1, 2, 3}, {2, 2, 3}, {2, 2, 3}, "rounded"));
}

TEST(Elementwise, SmallErrorsEverywhereAreAMatterOfPrecision) {
  Fixture f({"elementwise", {{"rtol", "1e-5"}}});
  const auto wrong = f.check(wide({1, 2, 3}), {1.001f, 2.001f, 3.001f});
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->verdict, Verdict::precision);
  EXPECT_THAT(wrong->message, HasSubstr("not accurate enough"));
  Fixture gate({"elementwise", {{"rtol", "1e-2"}, {"rel_rms", "1e-5"}}});
  const auto gated = gate.check(wide({1, 2, 3}), {1.001f, 2, 3});
  ASSERT_TRUE(gated);
  EXPECT_EQ(gated->verdict, Verdict::precision);
  EXPECT_FALSE(gate.check(wide({1, 2, 3}), {1, 2, 3}));
}

TEST(Elementwise, ManyElementsAreComparedByAllCoresAndToldInOrder) {
  constexpr std::size_t kCount = (std::size_t{1} << 22) + 7;
  Fixture f({"elementwise", {{"rtol", "1e-6"}, {"alpha_rms", "1e-6"}, {"rel_rms", "1e-3"}}});
  std::vector<double> expected(kCount);
  for (std::size_t i = 0; i < kCount; ++i) expected[i] = 1.0 + static_cast<double>(i % 5);
  std::vector<float> got(expected.begin(), expected.end());
  EXPECT_FALSE(f.check(wide(expected), got));
  got[kCount - 1] = 9;
  got[77] = 8;
  const auto wrong = f.check(wide(expected), got);
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->verdict, Verdict::mismatch);
  EXPECT_EQ(wrong->wrong, 2u);
  EXPECT_EQ(wrong->first.at(0).index, 77u);
  EXPECT_EQ(wrong->first.at(1).index, kCount - 1);
}

TEST(Accepted, ADenormalNumberMayBeOneStepOff) {
  const double step = 0x1p-149;
  EXPECT_TRUE(accepted(ElementType::f32, 44 * step, 44.4 * step, 0)) << "as the type rounds it";
  EXPECT_FALSE(accepted(ElementType::f32, 0, 44.4 * step, 0)) << "flushed";
  EXPECT_FALSE(accepted(ElementType::f32, 46 * step, 44.4 * step, 0));
  EXPECT_FALSE(accepted(ElementType::f64, 44 * step, 44.4 * step, 0));
}

TEST(Exact, EqualByValue) {
  Fixture f({"exact", {}});
  EXPECT_FALSE(f.check(native({0.0f, 1.5f, kInf}), {-0.0f, 1.5f, kInf}));
  EXPECT_TRUE(f.check(native({1.5f}), {1.5000001f}));
  EXPECT_TRUE(f.check(native({1.5f}), {kNan}));
  EXPECT_FALSE(f.check(wide({1.0 / 3}), {1.0f / 3}));  // a wide reference is rounded first
}

TEST(Bits, EveryBitCounts) {
  Fixture f({"bits", {}});
  EXPECT_FALSE(f.check(native({kNan, -0.0f}), {kNan, -0.0f}));
  const auto wrong = f.check(native({1, -0.0f}), {1, 0.0f});
  ASSERT_TRUE(wrong);
  EXPECT_THAT(wrong->message, HasSubstr("differs in 1 of 2 elements; first at index 1: expected "
                                        "the bits 0x80000000, got 0x00000000"));
}

TEST(SortedExact, SaysWhenOnlyTheOrderIsWrong) {
  Fixture f({"sorted_exact", {}});
  EXPECT_FALSE(f.check(native({3, 2, 2}), {3, 2, 2}));
  EXPECT_THAT(f.check(native({3, 2, 1}), {2, 3, 1})->message, HasSubstr("their order is not"));
  EXPECT_THAT(f.check(native({3, 2, 1}), {1, 3, 5})->message, HasSubstr("not in order"));
}

TEST(OrderMultiset, NeedsOrderAndTheSameValues) {
  Fixture f({"order_multiset", {}}, ArgumentRole::inout);
  const std::vector<float> before = {3, 1, 2, 2};
  const auto expected = native({1, 2, 2, 3});
  EXPECT_FALSE(f.check(expected, {1, 2, 2, 3}, before));
  EXPECT_THAT(f.check(expected, {1, 3, 2, 2}, before)->message,
              HasSubstr("not in order: index 1 holds 3 and index 2 holds 2"));
  EXPECT_THAT(f.check(expected, {1, 1, 2, 3}, before)->message,
              HasSubstr("does not hold the input's values: at index 1"));
  EXPECT_THAT(f.check(expected, {1, 2, 2, kNan}, before)->message, HasSubstr("NaN at index 3"));
}

TEST(Scalar, UsesTheScaleOfTheTerms) {
  Fixture f({"scalar", {{"rtol", "2e-5"}, {"tau", "1e-6"}}});
  EXPECT_FALSE(f.check(wide({0.1}, {1e4}), {0.105f}));
  EXPECT_TRUE(f.check(wide({0.1}, {1e4}), {0.2f}));
  EXPECT_TRUE(f.check(wide({0}, {0}), {1e-30f}));
  EXPECT_FALSE(f.check(wide({100}), {100.001f}));  // no scale given: the value's own
}

TEST(DotProducts, CancellationIsForgivenNotTf32) {
  Fixture f({"dot_products", {{"rtol", "1e-5"}, {"alpha", "2e-5"}, {"rel_rms", "1e-5"}}});
  EXPECT_FALSE(f.check(wide({1e-6}, {8}), {2e-5f}));
  EXPECT_TRUE(f.check(wide({1e-6}, {8}), {1e-2f}));
}

TEST(DotProducts, RoundedDenormalNumbersAreNoLossOfPrecision) {
  Fixture f({"dot_products", {{"rtol", "1e-5"}, {"alpha", "2e-5"}, {"rel_rms", "1e-5"}}});
  const double step = 0x1p-149;
  EXPECT_FALSE(f.check(wide({1.4 * step, 3}), {static_cast<float>(step), 3}));
  EXPECT_TRUE(f.check(wide({3.4 * step, 3}), {static_cast<float>(step), 3})) << "two steps off";
}

TEST(CheckOutputs, WrongBuffersAreTheJudgesOwnErrors) {
  Fixture f({"exact", {}});
  f.size.values["n"] = 2;
  const auto instance = make_instance(f.task, f.size, nullptr, 1).value();
  const std::vector<Bytes> inputs(1);
  const std::vector<Expected> expected = {native({1, 2})};
  const std::vector<Bytes> too_short = {bytes_of_floats({1})};
  EXPECT_FALSE(check_outputs(instance, inputs, expected, too_short).ok());
  const std::vector<Bytes> outputs = {bytes_of_floats({1, 2})};
  const std::vector<Expected> nothing(1);
  EXPECT_FALSE(check_outputs(instance, inputs, nothing, outputs).ok());
  EXPECT_FALSE(check_outputs(instance, inputs, {}, outputs).ok());
  EXPECT_TRUE(check_outputs(instance, inputs, expected, outputs).ok());
}

/// A matrix product that is beyond the full reference, with its float result.
struct LargeProduct {
  Task task = suite::load_embedded_task("matmul").value();
  TaskSize size{"large", {{"M", 300}, {"N", 200}, {"K", 150}}};
  std::vector<Bytes> inputs;
  std::vector<Bytes> outputs{6};
  Instance instance;

  LargeProduct() {
    task.check.parameters["full"] = "1000";
    instance = make_instance(task, size, nullptr, 77).value();
    inputs = generate_inputs(instance).value();
    outputs[2].resize(300 * 200 * 4);
    multiply(inputs);
  }
  void multiply(const std::vector<Bytes>& from) {
    for (std::size_t i = 0; i < 300; ++i) {
      for (std::size_t j = 0; j < 200; ++j) {
        float sum = 0;
        for (std::size_t k = 0; k < 150; ++k)
          sum += floats(from[0])[i * 150 + k] * floats(from[1])[k * 200 + j];
        floats(outputs[2])[i * 200 + j] = sum;
      }
    }
  }
  std::optional<Mismatch> check() { return check_outputs(instance, inputs, {}, outputs).value(); }
};

TEST(Freivalds, AcceptsAFloatProductWithoutExpectedValues) {
  LargeProduct p;
  EXPECT_FALSE(needs_expected(p.instance).value());
  const auto mismatch = p.check();
  EXPECT_FALSE(mismatch) << mismatch->message;
}

TEST(Freivalds, FindsOneWrongEntryAnywhere) {
  for (std::size_t at : {std::size_t{0}, std::size_t{12345}, std::size_t{300 * 200 - 1}}) {
    LargeProduct p;
    floats(p.outputs[2])[at] += 0.5f;
    const auto mismatch = p.check();
    ASSERT_TRUE(mismatch) << at;
    EXPECT_EQ(mismatch->verdict, Verdict::mismatch);
  }
  LargeProduct p;
  floats(p.outputs[2])[54321] = kNan;
  EXPECT_TRUE(p.check());
}

/// Halves whose product is beyond them.
struct OverflowingProduct {
  static constexpr std::uint16_t kInfinity = 0x7C00, kNotANumber = 0x7E00;
  Task task = suite::load_embedded_task("gemm_f16").value();
  TaskSize size{"large", {{"M", 30}, {"N", 40}, {"K", 150}}};
  std::vector<Bytes> inputs;
  std::vector<Bytes> outputs{6};
  Instance instance;

  OverflowingProduct() {
    task.check.parameters["full"] = "1000";
    for (TaskArgument& argument : task.arguments)
      if (argument.role == ArgumentRole::input) argument.distribution = "const(24)";
    instance = make_instance(task, size, nullptr, 77).value();
    inputs = generate_inputs(instance).value();
    outputs[2].resize(30 * 40 * 2);
    for (std::size_t i = 0; i < 30 * 40; ++i) put(i, kInfinity);
  }
  void put(std::size_t i, std::uint16_t bits) {
    std::memcpy(outputs[2].data() + 2 * i, &bits, sizeof bits);
  }
  bool accepted() { return !check_outputs(instance, inputs, {}, outputs).value(); }
};

TEST(Freivalds, WhatNoHalfHoldsIsInfinite) {
  OverflowingProduct right;
  EXPECT_TRUE(right.accepted());
  OverflowingProduct negative;
  for (std::size_t i = 0; i < 30 * 40; ++i) negative.put(i, 0xFC00);
  EXPECT_FALSE(negative.accepted());
  for (const std::size_t at : {std::size_t{40}, std::size_t{79}}) {
    OverflowingProduct wrong;
    wrong.put(at, OverflowingProduct::kNotANumber);
    EXPECT_FALSE(wrong.accepted()) << at;
  }
  OverflowingProduct small;
  for (std::size_t j = 0; j < 40; ++j) small.put(40 + j, 0x3C00);  // a row of ones
  EXPECT_FALSE(small.accepted());
}

/// What a tensor core's float accumulator comes to: of so many products and the sum before, what is
/// below 25 bits of the largest is cut off, then the sum to 24.
float sum_of_tensor_core(const std::uint16_t* a, const std::uint16_t* b, std::size_t count,
                         std::size_t step) {
  const auto cut = [](double x, int exponent) {
    return std::ldexp(std::trunc(std::ldexp(x, -exponent)), exponent);
  };
  double sum = 0;
  for (std::size_t k = 0; k < count; k += step) {
    double addends[17] = {sum}, largest = sum, total = 0;
    for (std::size_t i = 0; i < step && k + i < count; ++i) {
      addends[i + 1] = double{from_half_bits(a[k + i])} * from_half_bits(b[k + i]);
      largest = std::max(largest, addends[i + 1]);
    }
    for (const double x : addends) total += cut(x, std::ilogb(largest) - 25);
    sum = cut(total, std::ilogb(total) - 23);
  }
  return static_cast<float>(sum);
}

// Of two entries, so that no other makes up for the one that rounding takes further off.
TEST(Freivalds, ALongSumOfATensorCoreIsAccurateEnough) {
  const Task task = suite::load_embedded_task("gemm_f16").value();
  const auto positive = std::find_if(task.variants.begin(), task.variants.end(),
                                     [](const InputVariant& v) { return v.name == "positive"; });
  ASSERT_NE(positive, task.variants.end());
  for (const std::int64_t inner : {16, 4096, 16384, 58151, 65536}) {
    const TaskSize size{"long", {{"M", 2}, {"N", 1}, {"K", inner}}};
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      const Instance instance = make_instance(task, size, &*positive, seed).value();
      const auto inputs = generate_inputs(instance).value();
      std::vector<Bytes> outputs(6);
      outputs[2].resize(2 * sizeof(std::uint16_t));
      const auto count = static_cast<std::size_t>(inner);
      std::vector<double> sums;
      for (std::size_t row = 0; row < 2; ++row) {
        const auto* a = reinterpret_cast<const std::uint16_t*>(inputs[0].data()) + row * count;
        const auto* b = reinterpret_cast<const std::uint16_t*>(inputs[1].data());
        const std::uint16_t bits =
            to_half_bits(sum_of_tensor_core(a, b, count, seed % 2 == 0 ? 16 : 8));
        std::memcpy(outputs[2].data() + 2 * row, &bits, sizeof bits);
        sums.push_back(0);
        for (std::size_t k = 0; k < count; ++k)
          sums.back() += double{from_half_bits(a[k])} * from_half_bits(b[k]);
      }
      std::vector<Expected> expected(6);
      expected[2] = wide(sums);
      const auto mismatch = check_outputs(instance, inputs, expected, outputs).value();
      EXPECT_FALSE(mismatch) << inner << " " << seed << ": " << mismatch->message;
    }
  }
}

TEST(Freivalds, FindsALowerPrecision) {
  LargeProduct p;
  auto rounded = p.inputs;
  for (std::size_t i = 0; i < 300 * 150; ++i)
    floats(rounded[0])[i] = from_bfloat_bits(to_bfloat_bits(floats(rounded[0])[i]));
  p.multiply(rounded);
  const auto mismatch = p.check();
  ASSERT_TRUE(mismatch);
  EXPECT_EQ(mismatch->verdict, Verdict::precision);
}

TEST(Reference, ErrorsShowTheCompilersWordsAndTheSignature) {
  auto task = suite::load_embedded_task("relu").value();
  task.reference_source = "void reference(const float*, double*, int) {}\n";
  auto directory = TemporaryDirectory::create("ww-ref").value();
  const auto loaded = Reference::load(task, {.cache = directory.path()});
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(
      loaded.error().message,
      HasSubstr("It must define: void reference(const float* input, float* output, int N)"));
  task.reference_source = "";
  EXPECT_THAT(Reference::load(task, {.cache = directory.path()}).error().message,
              HasSubstr("has no reference.cpp"));
}

TEST(Reference, SignaturesFollowTheRule) {
  EXPECT_EQ(reference_signature(suite::load_embedded_task("reverse").value()),
            "void reference(const float* input_in, float* input, int N)");
  EXPECT_EQ(reference_signature(suite::load_embedded_task("dot").value()),
            "void reference(const float* A, const float* B, double* result, double* result_scale, "
            "int N)");
}

TEST(Reference, BaselineOutputsCanStandIn) {
  const auto task = suite::load_embedded_task("reduce").value();
  const auto instance = make_instance(task, task.edge_sizes[3], nullptr, 5).value();
  const auto inputs = generate_inputs(instance).value();
  std::vector<Bytes> outputs(3);
  outputs[1] = bytes_of_floats({3.25f});
  const auto expected = expected_from_outputs(instance, outputs).value();
  EXPECT_THAT(expected[1].wide, ::testing::ElementsAre(3.25));
  EXPECT_FALSE(check_outputs(instance, inputs, expected, outputs).value());
  outputs[1] = bytes_of_floats({3.26f});
  EXPECT_TRUE(check_outputs(instance, inputs, expected, outputs).value());
}

// Partial sums of 256 elements joined by single additions, at the largest timed size: what the
// baselines do, and the worst that a sound kernel does.
TEST(Scalar, AcceptsBlockedSumsAtFullSize) {
  for (const char* name : {"reduce", "dot", "mse"}) {
    const auto task = suite::load_embedded_task(name).value();
    const auto reference = load_reference(task);
    const auto data = make_case(task, reference, {&task.sizes.back(), nullptr}, 3);
    const std::size_t n = static_cast<std::size_t>(data.instance.values.at("N"));
    const float* a = floats(data.inputs[0]);
    const float* b = floats(data.inputs[1]);
    float total = 0;
    for (std::size_t first = 0; first < n; first += 256) {
      float block[256];
      for (std::size_t i = 0; i < 256; ++i) {
        const float x = a[first + i];
        block[i] = std::string_view(name) == "reduce" ? x
                   : std::string_view(name) == "dot"  ? x * b[first + i]
                                                      : (x - b[first + i]) * (x - b[first + i]);
      }
      for (std::size_t stride = 128; stride > 0; stride /= 2) {
        for (std::size_t i = 0; i < stride; ++i) block[i] += block[i + stride];
      }
      total += std::string_view(name) == "mse" ? block[0] / static_cast<float>(n) : block[0];
    }
    auto outputs = data.honest;
    for (auto& bytes : outputs) {
      if (!bytes.empty()) *floats(bytes) = total;
    }
    const auto mismatch = check_outputs(data.instance, data.inputs, data.expected, outputs).value();
    EXPECT_FALSE(mismatch) << mismatch->message;
  }
}

TEST(Cases, CoverEdgesVariantsAndTimedSizes) {
  const auto task = suite::load_embedded_task("reduce").value();
  const auto all = cases_of(task, {}).value();
  const auto count = [&](auto&& predicate) {
    return std::count_if(all.begin(), all.end(), predicate);
  };
  EXPECT_EQ(count([&](const Case& c) { return c.variant == nullptr; }),
            static_cast<long>(task.edge_sizes.size() + task.sizes.size()));
  for (const auto& variant : task.variants)
    EXPECT_GE(count([&](const Case& c) { return c.variant == &variant; }), 2) << variant.name;
  const auto small = cases_of(task, {.max_bytes = 4096}).value();
  for (const auto& item : small) EXPECT_LE(footprint_bytes(task, *item.size).value(), 4096u);
  EXPECT_LT(small.size(), all.size());
}

}  // namespace
}  // namespace warpwright::verify
