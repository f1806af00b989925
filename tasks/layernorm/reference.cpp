// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>

extern "C" void reference(const float* input, const float* weight, const float* bias, double* output, int N, int C, float eps) {
  for (int i = 0; i < N; ++i) {
    const float* row = input + std::size_t(i) * C;
    double sum = 0;
    for (int c = 0; c < C; ++c) sum += row[c];
    const double mean = sum / C;
    double squares = 0;
    for (int c = 0; c < C; ++c) squares += (row[c] - mean) * (row[c] - mean);
    const double scale = 1 / std::sqrt(squares / C + eps);
    for (int c = 0; c < C; ++c) output[std::size_t(i) * C + c] = (row[c] - mean) * scale * weight[c] + bias[c];
  }
}
