// SPDX-License-Identifier: Apache-2.0
__global__ void terms(const float* y_samples, double* result, double* result_scale, double factor, int n_samples) {
  double sum = 0, magnitude = 0;
  for (u64 i = grid_thread(); i < u64(n_samples); i += grid_threads()) {
    sum += y_samples[i];
    magnitude += fabs(double(y_samples[i]));
  }
  add_block_sum(result, factor * sum);
  add_block_sum(result_scale, fabs(factor) * magnitude);
}

extern "C" void reference(const float* y_samples, double* result, double* result_scale, float a, float b, int n_samples,
                          const u64* choice) {
  set_to_zero(result, 1);
  set_to_zero(result_scale, 1);
  terms<<<blocks_for(n_samples), kBlock>>>(y_samples, result, result_scale, (double(b) - a) / n_samples, n_samples);
}
