// SPDX-License-Identifier: Apache-2.0
#include <cmath>

extern "C" void reference(const float* A, const float* B, double* result, double* result_scale,
                          int N) {
  double sum = 0;
  double magnitude = 0;
  for (int i = 0; i < N; ++i) {
    const double term = double(A[i]) * B[i];
    sum += term;
    magnitude += std::fabs(term);
  }
  result[0] = sum;
  result_scale[0] = magnitude;
}
