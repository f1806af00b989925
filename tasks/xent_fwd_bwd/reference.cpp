// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

// The loss is that of all rows. Of large gradients 256 rows are expected, chosen by the inputs' own
// bits; the rest is NaN, which is not compared.
static std::vector<char> chosen_rows(const float* logits, int N, int V) {
  constexpr std::size_t kFull = std::size_t(1) << 24;
  constexpr int kRows = 256;
  if (std::size_t(N) * V <= kFull || N <= kRows) return std::vector<char>(N, 1);
  std::vector<char> chosen(N, 0);
  std::uint64_t state = 0;
  for (int i = 0; i < 64; ++i) {
    std::uint32_t bits;
    std::memcpy(&bits, logits + std::size_t(i) * V / 64 * N, sizeof bits);
    state = (state ^ bits) * 0x9E3779B97F4A7C15u;
  }
  for (int i = 0; i < kRows; ++i) {
    state = (state ^ (state >> 29)) * 0xBF58476D1CE4E5B9u + 1;
    chosen[(state >> 32) % N] = 1;
  }
  chosen[0] = chosen[N - 1] = 1;
  return chosen;
}

// The scale of a gradient: a share errs by as much of itself as logit and logarithm are rounded,
// and at the label 1 is taken from it.
extern "C" void reference(const float* logits, const int* labels, double* loss, double* loss_scale,
                          double* dlogits, double* dlogits_scale, int N, int V, float grad_scale) {
  const std::vector<char> chosen = chosen_rows(logits, N, V);
  int tokens = 0;
  for (int n = 0; n < N; ++n) tokens += labels[n] != -100;
  *loss = *loss_scale = 0;
  for (int n = 0; n < N; ++n) {
    const float* row = logits + std::size_t(n) * V;
    double* to = dlogits + std::size_t(n) * V;
    double* scale = dlogits_scale + std::size_t(n) * V;
    std::fill(scale, scale + V, 0.0);
    if (labels[n] == -100) {
      std::fill(to, to + V, 0.0);
      continue;
    }
    const double largest = *std::max_element(row, row + V);
    double sum = 0;
    if (chosen[n]) {
      for (int v = 0; v < V; ++v) sum += to[v] = std::exp(row[v] - largest);
      const double factor = grad_scale / double(tokens);
      const double log_sum = largest + std::log(sum);
      for (int v = 0; v < V; ++v) {
        to[v] *= factor / sum;
        scale[v] = to[v] * (1 + std::fabs(row[v]) + std::fabs(log_sum));
      }
      scale[labels[n]] += factor;
      // The difference first: the label's share may be all but 1.
      const double p = std::exp(row[labels[n]] - largest) / sum;
      to[labels[n]] = factor * (p - 1);
    } else {
      for (int v = 0; v < V; ++v) sum += std::exp(row[v] - largest);
      std::fill(to, to + V, std::numeric_limits<double>::quiet_NaN());
    }
    const double lse = largest + std::log(sum);
    *loss += (lse - row[labels[n]]) / tokens;
    *loss_scale += (std::fabs(lse) + std::fabs(double(row[labels[n]]))) / tokens;
  }
}
