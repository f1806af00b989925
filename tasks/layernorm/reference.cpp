// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>

// The scale of an element: what its own value, the row's mean and the bias add to it in magnitude.
extern "C" void reference(const float* input, const float* weight, const float* bias,
                          double* output, double* output_scale, int N, int C, float eps) {
  for (int i = 0; i < N; ++i) {
    const float* row = input + std::size_t(i) * C;
    double sum = 0;
    double magnitude = 0;
    for (int c = 0; c < C; ++c) {
      sum += row[c];
      magnitude += std::fabs(row[c]);
    }
    const double mean = sum / C;
    magnitude /= C;
    double squares = 0;
    for (int c = 0; c < C; ++c) squares += (row[c] - mean) * (row[c] - mean);
    const double scale = 1 / std::sqrt(squares / C + eps);
    for (int c = 0; c < C; ++c) {
      output[std::size_t(i) * C + c] = (row[c] - mean) * scale * weight[c] + bias[c];
      output_scale[std::size_t(i) * C + c] =
          (std::fabs(row[c]) + magnitude) * scale * std::fabs(weight[c]) + std::fabs(bias[c]);
    }
  }
}
