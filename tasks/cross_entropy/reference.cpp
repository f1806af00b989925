// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>

// A loss near zero is the difference of two larger numbers, so the scale counts both of them.
extern "C" void reference(const float* logits, const int* true_labels, double* loss,
                          double* loss_scale, int N, int C) {
  double sum = 0;
  double magnitude = 0;
  for (int i = 0; i < N; ++i) {
    const float* z = logits + std::size_t(i) * C;
    const double largest = *std::max_element(z, z + C);
    double total = 0;
    for (int c = 0; c < C; ++c) total += std::exp(z[c] - largest);
    const double log_sum = largest + std::log(total);
    const double chosen = z[true_labels[i]];
    sum += std::log(total) + (largest - chosen);
    magnitude += std::fabs(log_sum) + std::fabs(chosen);
  }
  loss[0] = sum / N;
  loss_scale[0] = magnitude / N;
}
