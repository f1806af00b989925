// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

// The scale: the values' magnitudes, as weighted; a score that is rounded changes its weight by as
// much. Weights far below eps may be taken for 0.
extern "C" void reference(const float* Q, const float* K, const float* V, double* output,
                          double* output_scale, int N, int d_model, int h) {
  const int d_k = d_model / h;
  std::vector<double> p(N);
  std::fill(output, output + std::size_t(N) * d_model, 0.0);
  std::fill(output_scale, output_scale + std::size_t(N) * d_model, 0.0);
  for (int first = 0; first < d_model; first += d_k) {
    for (int n = 0; n < N; ++n) {
      const float* q = Q + std::size_t(n) * d_model + first;
      double size = 0;
      for (int m = 0; m < N; ++m) {
        const float* k = K + std::size_t(m) * d_model + first;
        double sum = 0;
        double magnitude = 0;
        for (int j = 0; j < d_k; ++j) {
          sum += double(q[j]) * k[j];
          magnitude += std::fabs(double(q[j]) * k[j]);
        }
        p[m] = sum / std::sqrt(double(d_k));
        size = std::max(size, magnitude / std::sqrt(double(d_k)));
      }
      const double largest = *std::max_element(p.begin(), p.end());
      double total = 0;
      for (double& x : p) total += x = std::exp(x - largest);
      double* out = output + std::size_t(n) * d_model + first;
      double* scale = output_scale + std::size_t(n) * d_model + first;
      constexpr double kNothing = 1.0 / (1 << 18);
      for (int m = 0; m < N; ++m) {
        const float* v = V + std::size_t(m) * d_model + first;
        for (int j = 0; j < d_k; ++j) {
          out[j] += p[m] / total * v[j];
          scale[j] += (p[m] / total + kNothing / N) * std::fabs(v[j]) * (1 + size);
        }
      }
    }
  }
}
