// SPDX-License-Identifier: Apache-2.0
#include <cmath>

extern "C" void reference(const float* input, double* output, double* output_scale, int N) {
  double sum = 0;
  double magnitude = 0;
  for (int i = 0; i < N; ++i) {
    output[i] = sum += input[i];
    output_scale[i] = magnitude += std::fabs(input[i]);
  }
}
