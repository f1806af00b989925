// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

// Of long prompts 1024 rows are expected, chosen by the inputs' own bits, and the first and last of
// each sequence and head at its ends; the rest is NaN, which is not compared.
static std::vector<char> chosen_rows(const float* q, std::size_t rows, int S, int Dh) {
  constexpr double kFull = 3e8;
  constexpr int kRows = 1024;
  const bool all = double(rows) * S * Dh <= kFull || rows <= kRows;
  std::vector<char> chosen(rows, all ? 1 : 0);
  if (all) return chosen;
  std::uint64_t state = 0;
  for (int i = 0; i < 64; ++i) {
    std::uint32_t bits;
    std::memcpy(&bits, q + rows / 64 * i * Dh, sizeof bits);
    state = (state ^ bits) * 0x9E3779B97F4A7C15u;
  }
  for (int i = 0; i < kRows; ++i) {
    state = (state ^ (state >> 29)) * 0xBF58476D1CE4E5B9u + 1;
    chosen[(state >> 32) % rows] = 1;
  }
  chosen[0] = chosen[S - 1] = chosen[rows - S] = chosen[rows - 1] = 1;
  return chosen;
}

static double dot(const float* a, const float* b, int n) {
  double sum[4] = {};
  for (int j = 0; j + 4 <= n; j += 4) {
    for (int i = 0; i < 4; ++i) sum[i] += double(a[j + i]) * b[j + i];
  }
  for (int j = n / 4 * 4; j < n; ++j) sum[0] += double(a[j]) * b[j];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

extern "C" void reference(const float* q, const float* k, const float* v, double* out, int B,
                          int Hq, int Hk, int S, int Dh) {
  const std::size_t rows = std::size_t(B) * Hq * S;
  const std::vector<char> chosen = chosen_rows(q, rows, S, Dh);
  std::vector<double> weight(S);
  for (std::size_t row = 0; row < rows; ++row) {
    double* to = out + row * Dh;
    if (!chosen[row]) {
      std::fill(to, to + Dh, std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    const int s = int(row % S);
    const std::size_t b = row / S / Hq, h = row / S % Hq, g = h / (Hq / Hk);
    const float* keys = k + (b * Hk + g) * S * Dh;
    const float* values = v + (b * Hk + g) * S * Dh;
    double largest = -std::numeric_limits<double>::infinity(), total = 0;
    for (int t = 0; t <= s; ++t) {
      weight[t] = dot(q + row * Dh, keys + std::size_t(t) * Dh, Dh) / std::sqrt(double(Dh));
      largest = std::max(largest, weight[t]);
    }
    std::fill(to, to + Dh, 0.0);
    for (int t = 0; t <= s; ++t) {
      const double w = std::exp(weight[t] - largest);
      total += w;
      for (int j = 0; j < Dh; ++j) to[j] += w * values[std::size_t(t) * Dh + j];
    }
    for (int j = 0; j < Dh; ++j) to[j] /= total;
  }
}
