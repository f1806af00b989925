// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>

extern "C" void reference(const float* x, const float* residual_in, double* residual,
                          const float* weight, double* out, int N, int C, float eps) {
  for (int n = 0; n < N; ++n) {
    const std::size_t row = std::size_t(n) * C;
    double sum = 0;
    for (int c = 0; c < C; ++c) {
      const double r = double(residual_in[row + c]) + x[row + c];
      residual[row + c] = r;
      sum += r * r;
    }
    const double factor = 1 / std::sqrt(sum / C + eps);
    for (int c = 0; c < C; ++c) out[row + c] = residual[row + c] * factor * weight[c];
  }
}
