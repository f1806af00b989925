// SPDX-License-Identifier: Apache-2.0
// Instructions against host references, over values chosen to be awkward.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "simt/launcher.h"
#include "simt/ops/half.h"

namespace warpwright::simt {
namespace {

std::string kernel_for(std::string_view op, std::string_view type, int operands) {
  const std::string t(type), bits = type.substr(1) == "64" ? "8" : "4";
  std::string ptx =
      ".version 8.3\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 "
      "b, "
      ".param .u64 c, .param .u64 o)\n{\n.reg .b32 %i;\n.reg .b64 %p<9>;\n.reg ." +
      t + " %v<4>;\nmov.u32 %i, %tid.x;\nmul.wide.u32 %p0, %i, " + bits + ";\n";
  const char* names[] = {"a", "b", "c"};
  for (int k = 0; k < operands; ++k)
    ptx += std::string("ld.param.u64 %p1, [") + names[k] +
           "];\nadd.u64 %p2, %p1, %p0;\nld.global." + t + " %v" + std::to_string(k) + ", [%p2];\n";
  ptx += std::string(op) + " %v3";
  for (int k = 0; k < operands; ++k) ptx += ", %v" + std::to_string(k);
  return ptx + ";\nld.param.u64 %p3, [o];\nadd.u64 %p4, %p3, %p0;\nst.global." + t +
         " [%p4], %v3;\nret;\n}\n";
}

template <class T>
std::vector<T> run_op(std::string_view op, std::string_view type,
                      const std::vector<std::vector<T>>& in) {
  Launcher l(kernel_for(op, type, static_cast<int>(in.size())));
  const std::size_t n = in[0].size();
  Params p;
  for (std::size_t k = 0; k < 3; ++k) p.add(k < in.size() ? l.put(in[k], "in") : Address{0});
  const Address out = l.empty(n * sizeof(T), "out");
  p.add(out);
  const LaunchReport r = l.run("k", {1}, {static_cast<std::uint32_t>(n)}, p);
  EXPECT_TRUE(r.clean()) << r.faults[0].describe();
  return l.get<T>(out, n);
}

std::vector<float> awkward_floats(unsigned seed) {
  std::vector<float> v = {0.0f,    -0.0f,    1.0f,           -1.0f,    1e-40f,    -1e-40f,
                          3.4e38f, -3.4e38f, 1.1754944e-38f, INFINITY, -INFINITY, 0.5f,
                          1.5f,    2.5f,     1e20f,          1e-20f};
  std::mt19937 random(seed);
  while (v.size() < 256) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    v.push_back(std::isnan(x) ? 7.0f : x);
  }
  std::shuffle(v.begin(), v.end(), random);
  return v;
}

float ftz(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; }

void expect_same_bits(const std::vector<float>& got,
                      const std::function<float(std::size_t)>& want) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    const float w = want(i);
    if (std::isnan(w)) {
      EXPECT_EQ(std::bit_cast<std::uint32_t>(got[i]), 0x7fffffffu) << i;
    } else {
      EXPECT_EQ(std::bit_cast<std::uint32_t>(got[i]), std::bit_cast<std::uint32_t>(w))
          << i << ": " << w << " and " << got[i];
    }
  }
}

TEST(Arithmetic, binary32_is_exact) {
  const auto a = awkward_floats(1), b = awkward_floats(2), c = awkward_floats(3);
  expect_same_bits(run_op<float>("add.f32", "f32", {a, b}),
                   [&](std::size_t i) { return a[i] + b[i]; });
  expect_same_bits(run_op<float>("mul.rn.f32", "f32", {a, b}),
                   [&](std::size_t i) { return a[i] * b[i]; });
  expect_same_bits(run_op<float>("div.rn.f32", "f32", {a, b}),
                   [&](std::size_t i) { return a[i] / b[i]; });
  expect_same_bits(run_op<float>("fma.rn.f32", "f32", {a, b, c}),
                   [&](std::size_t i) { return std::fma(a[i], b[i], c[i]); });
  expect_same_bits(run_op<float>("sqrt.rn.f32", "f32", {a}),
                   [&](std::size_t i) { return std::sqrt(a[i]); });
}

TEST(Arithmetic, binary32_flushes_subnormals_when_told) {
  const auto a = awkward_floats(4), b = awkward_floats(5);
  expect_same_bits(run_op<float>("add.ftz.f32", "f32", {a, b}),
                   [&](std::size_t i) { return ftz(ftz(a[i]) + ftz(b[i])); });
  expect_same_bits(run_op<float>("mul.ftz.f32", "f32", {a, b}),
                   [&](std::size_t i) { return ftz(ftz(a[i]) * ftz(b[i])); });
}

TEST(Arithmetic, directed_rounding_brackets_the_exact_result) {
  const auto a = awkward_floats(6), b = awkward_floats(7);
  const auto down = run_op<float>("mul.rm.f32", "f32", {a, b}),
             up = run_op<float>("mul.rp.f32", "f32", {a, b});
  const auto zero = run_op<float>("mul.rz.f32", "f32", {a, b});
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double exact = static_cast<double>(a[i]) * b[i];  // exact: 24 + 24 bits fit 53
    if (std::isnan(exact) || std::isinf(exact)) continue;
    EXPECT_LE(static_cast<double>(down[i]), exact);
    EXPECT_GE(static_cast<double>(up[i]), exact);
    EXPECT_TRUE(down[i] == up[i] || std::nextafter(down[i], INFINITY) == up[i]) << i;
    EXPECT_EQ(zero[i], exact > 0 ? down[i] : up[i]);
  }
}

TEST(Arithmetic, saturation_clamps_and_clears_nan) {
  const std::vector<float> a = {0.25f, -3, 7, NAN}, b = {0.5f, 1, 1, 1};
  EXPECT_EQ(run_op<float>("add.sat.f32", "f32", {a, b}), (std::vector<float>{0.75f, 0, 1, 0}));
}

TEST(Arithmetic, minimum_and_maximum_order_zeros_and_drop_nan) {
  const std::vector<float> a = {-0.0f, 0.0f, NAN, 2, NAN}, b = {0.0f, -0.0f, 3, NAN, NAN};
  const auto low = run_op<float>("min.f32", "f32", {a, b}),
             high = run_op<float>("max.f32", "f32", {a, b});
  EXPECT_TRUE(std::signbit(low[0]) && std::signbit(low[1]) && !std::signbit(high[0]) &&
              !std::signbit(high[1]));
  EXPECT_EQ(low[2], 3);
  EXPECT_EQ(high[3], 2);
  EXPECT_TRUE(std::isnan(low[4]));
}

TEST(Arithmetic, binary64_is_exact) {
  std::mt19937_64 random(8);
  std::vector<double> a(64), b(64), c(64);
  for (auto* v : {&a, &b, &c})
    for (double& x : *v)
      x = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 200) - 160);
  const auto got = run_op<double>("fma.rn.f64", "f64", {a, b, c}),
             quotient = run_op<double>("div.rn.f64", "f64", {a, b});
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(got[i], std::fma(a[i], b[i], c[i]));
    EXPECT_EQ(quotient[i], a[i] / b[i]);
  }
}

template <class T>
void expect_integers(std::string_view op, std::string_view type,
                     const std::function<T(T, T)>& want) {
  std::mt19937_64 random(9);
  std::vector<T> a = {
      0, 1, std::numeric_limits<T>::max(), std::numeric_limits<T>::min(), static_cast<T>(-1), 5};
  std::vector<T> b = {3, static_cast<T>(-1), 2, static_cast<T>(-1), static_cast<T>(-1), 7};
  while (a.size() < 200) {
    a.push_back(static_cast<T>(random()));
    b.push_back(static_cast<T>(random() >> (random() % 60)) | 1);
  }
  const auto got = run_op<T>(op, type, {a, b});
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(got[i], want(a[i], b[i])) << op << " " << +a[i] << ", " << +b[i];
}

TEST(Arithmetic, integers_wrap_divide_and_multiply) {
  using s32 = std::int32_t;
  using u32 = std::uint32_t;
  using s64 = std::int64_t;
  using u64 = std::uint64_t;
  expect_integers<s32>("add.s32", "s32",
                       [](s32 a, s32 b) { return static_cast<s32>(u32(a) + u32(b)); });
  expect_integers<s32>("mul.lo.s32", "s32",
                       [](s32 a, s32 b) { return static_cast<s32>(u32(a) * u32(b)); });
  expect_integers<s32>("mul.hi.s32", "s32",
                       [](s32 a, s32 b) { return static_cast<s32>(s64{a} * b >> 32); });
  expect_integers<u32>("mul.hi.u32", "u32",
                       [](u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); });
  expect_integers<s32>("div.s32", "s32", [](s32 a, s32 b) {
    return b == -1 ? static_cast<s32>(0u - u32(a)) : a / b;
  });
  expect_integers<s32>("rem.s32", "s32", [](s32 a, s32 b) { return b == -1 ? 0 : a % b; });
  expect_integers<u64>("div.u64", "u64", [](u64 a, u64 b) { return a / b; });
  expect_integers<u64>("mul.hi.u64", "u64", [](u64 a, u64 b) {
    return static_cast<u64>(static_cast<unsigned __int128>(a) * b >> 64);
  });
  expect_integers<s64>("max.s64", "s64", [](s64 a, s64 b) { return a > b ? a : b; });
}

TEST(Arithmetic, half_precision_rounds_once) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Half h{static_cast<std::uint16_t>(bits)};
    const float x = to_float(h);
    if (std::isnan(x)) continue;
    ASSERT_EQ(half_from_float(x).bits, bits);
    ASSERT_EQ(to_half(x).bits, bits);
    // Half way to the next one, and a hair beside it.
    const float next = to_float(Half{static_cast<std::uint16_t>(bits + 1)});
    if (!std::isfinite(x) || !std::isfinite(next)) continue;
    const float middle = (x + next) / 2;
    ASSERT_EQ(half_from_float(middle).bits, bits % 2 == 0 ? bits : bits + 1);
    ASSERT_EQ(half_from_float(std::nextafter(middle, next)).bits, bits + 1);
    ASSERT_EQ(half_from_float(std::nextafter(middle, x)).bits, bits);
    ASSERT_EQ(to_half(std::nextafter(middle, x), Rounding::zero).bits, bits);
  }
}

TEST(Arithmetic, sticky_fma_agrees_with_rounding_the_exact_value) {
  // 1 * 1 + 2^-24: exactly half way for nothing in binary16, so it must stay 1.
  EXPECT_EQ(to_half(fma_sticky(1, 1, 0x1p-24)).bits, 0x3c00);
  // (2049/2048 * 1) lies half way between 1 and 1 + 2^-10; the addend decides.
  EXPECT_EQ(to_half(fma_sticky(2049.0 / 2048, 1, 0x1p-60)).bits, 0x3c01);
  EXPECT_EQ(to_half(fma_sticky(2049.0 / 2048, 1, 0)).bits, 0x3c00);
  EXPECT_EQ(to_half(fma_sticky(2049.0 / 2048, 1, -0x1p-60)).bits, 0x3c00);
}

}  // namespace
}  // namespace warpwright::simt
