// SPDX-License-Identifier: Apache-2.0
#include <cmath>

extern "C" void reference(const float* y_samples, double* result, double* result_scale, float a,
                          float b, int n_samples) {
  double sum = 0;
  double magnitude = 0;
  for (int i = 0; i < n_samples; ++i) {
    sum += y_samples[i];
    magnitude += std::fabs(y_samples[i]);
  }
  const double factor = (double(b) - a) / n_samples;
  result[0] = factor * sum;
  result_scale[0] = std::fabs(factor) * magnitude;
}
