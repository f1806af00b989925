// SPDX-License-Identifier: Apache-2.0
// Kernels as clang translates them, with all checks on: right results and no report.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "base/files.h"
#include "simt/launcher.h"
#include "support/places.h"

namespace warpwright::simt {
namespace {

class Tasks : public testing::TestWithParam<Engine> {
 protected:
  void run(std::string_view kernel, Dim3 grid, Dim3 block, const Params& p,
           std::uint32_t shared = 0) {
    const LaunchReport r = l_.run(kernel, grid, block, p, {.engine = GetParam()}, shared);
    EXPECT_EQ(r.interpreted_because, "");
    for (const Fault& f : r.faults) ADD_FAILURE() << f.describe();
  }
  std::vector<float> reals(std::size_t n) {
    std::vector<float> v(n);
    for (float& x : v) x = std::uniform_real_distribution<float>(-2, 2)(random_);
    return v;
  }
  std::vector<int> integers(std::size_t n, int below) {
    std::vector<int> v(n);
    for (int& x : v) x = static_cast<int>(random_() % static_cast<unsigned>(below));
    return v;
  }
  Launcher l_{read_file(source_path("/tests/simt/tasks.ptx")).value()};
  std::mt19937 random_{7};
};

TEST_P(Tasks, softmax) {
  const int columns = 333;
  const std::vector<float> x = reals(5 * columns);
  const Address px = l_.put(x, "x"), py = l_.empty(x.size() * 4, "y");
  run("softmax", {5}, {128}, Params().add(px).add(py).add(columns), 512);
  const std::vector<float> y = l_.get<float>(py, x.size());
  for (int r = 0; r < 5; ++r) {
    double sum = 0;
    for (int c = 0; c < columns; ++c)
      sum += std::exp(static_cast<double>(x[static_cast<std::size_t>(r * columns + c)]));
    for (int c = 0; c < columns; ++c) {
      const auto i = static_cast<std::size_t>(r * columns + c);
      ASSERT_NEAR(y[i], std::exp(static_cast<double>(x[i])) / sum, 1e-7);
    }
  }
}

TEST_P(Tasks, scan) {
  const std::vector<int> x = integers(200, 100);
  const Address px = l_.put(x, "x"), py = l_.empty(800, "y");
  run("scan", {1}, {256}, Params().add(px).add(py).add(200));
  std::vector<int> want(200);
  std::partial_sum(x.begin(), x.end(), want.begin());
  EXPECT_EQ(l_.get<int>(py, 200), want);
}

TEST_P(Tasks, sort) {
  std::vector<int> x = integers(256, 1000000);
  const Address px = l_.put(x, "x");
  run("bitonic", {1}, {256}, Params().add(px));
  std::sort(x.begin(), x.end());
  EXPECT_EQ(l_.get<int>(px, 256), x);
}

TEST_P(Tasks, small_linear_systems) {
  const int n = 100;
  const std::vector<float> a = reals(9 * n), b = reals(3 * n);
  const Address pa = l_.put(a, "a"), pb = l_.put(b, "b"), px = l_.empty(12 * n, "x");
  run("solve3", {1}, {128}, Params().add(pa).add(pb).add(px).add(n));
  const std::vector<float> x = l_.get<float>(px, 3 * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t r = 0; r < 3; ++r) {
      double sum = 0, size = 0;
      for (std::size_t c = 0; c < 3; ++c) {
        sum += static_cast<double>(a[i * 9 + r * 3 + c]) * x[i * 3 + c];
        size += std::fabs(static_cast<double>(a[i * 9 + r * 3 + c]) * x[i * 3 + c]);
      }
      ASSERT_NEAR(sum, b[i * 3 + r], 1e-5 * size);
    }
  }
}

TEST_P(Tasks, top_k) {
  std::vector<float> x = reals(500);
  const Address px = l_.put(x, "x"), py = l_.empty(32, "y");
  run("top_k", {1}, {32}, Params().add(px).add(py).add(500).add(8));
  std::sort(x.rbegin(), x.rend());
  x.resize(8);
  EXPECT_EQ(l_.get<float>(py, 8), x);
}

TEST_P(Tasks, convolution) {
  const int h = 40, w = 37, k = 5;
  std::vector<float> x(h * w), f(k * k), want((h - k + 1) * (w - k + 1));
  for (float& v : x) v = static_cast<float>(random_() % 9);
  for (float& v : f) v = static_cast<float>(random_() % 5);
  for (int r = 0; r < h - k + 1; ++r)
    for (int c = 0; c < w - k + 1; ++c)
      for (int i = 0; i < k; ++i)
        for (int j = 0; j < k; ++j)
          want[static_cast<std::size_t>(r * (w - k + 1) + c)] +=
              x[static_cast<std::size_t>((r + i) * w + c + j)] *
              f[static_cast<std::size_t>(i * k + j)];
  const Address px = l_.put(x, "x"), pf = l_.put(f, "f"), po = l_.empty(want.size() * 4, "out");
  run("convolve", {3, 5}, {16, 8}, Params().add(px).add(pf).add(po).add(h).add(w).add(k));
  EXPECT_EQ(l_.get<float>(po, want.size()), want);
}

TEST_P(Tasks, divergent_chains_of_64_bit_divisions) {
  std::vector<std::uint64_t> x(70);
  std::vector<int> want(70);
  for (std::size_t i = 0; i < 70; ++i) {
    x[i] = i * 12345 + 7;
    for (std::uint64_t v = x[i]; v != 1;) {
      v = v % 3 == 0 ? v / 3 : 2 * v + 1;
      if (++want[i] > 200) break;
    }
  }
  const Address px = l_.put(x, "x"), py = l_.empty(280, "y");
  run("chains", {3}, {32}, Params().add(px).add(py).add(70));
  EXPECT_EQ(l_.get<int>(py, 70), want);
}

INSTANTIATE_TEST_SUITE_P(Engines, Tasks, testing::Values(Engine::interpreted, Engine::compiled),
                         [](const auto& engine) {
                           return engine.param == Engine::compiled ? "compiled" : "interpreted";
                         });

}  // namespace
}  // namespace warpwright::simt
